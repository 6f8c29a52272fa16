//! `ugas check` against the bare parser.

use std::fmt::Write;
use std::hint::black_box;

use saphyr_parser::Parser;
use ugas::data::{Loader, Severity};

use crate::line::{Goal, Line};
use crate::measure::{Effort, compare, subject};

const FILES: usize = 100;
const DOCUMENTS: usize = 10_000;

/// 10,000 documents, checked and merely parsed.
pub(crate) fn measure(effort: Effort) -> Vec<Line> {
    let files = generate();
    let bytes: usize = files.iter().map(String::len).sum();
    let report = check(&files);
    assert_eq!(report.errors(), 0, "{report}");
    let warnings = report.diagnostics.iter().filter(|found| found.severity == Severity::Warning).count();
    assert_eq!(warnings, 0, "{report}");
    let ours = subject(|| {
        black_box(check(&files));
    });
    let floor = subject(|| {
        for text in &files {
            for event in Parser::new_from_str(text) {
                black_box(event.expect("the documents are well-formed"));
            }
        }
    });
    let [ours, floor] = compare(effort, [ours, floor]);
    vec![Line::new("check", ours, Goal::Floor(4.0)).floor(floor.median).note(format!(
        "{DOCUMENTS} documents, {:.1} MB, parsed, decoded, checked; floor: the parser's events, thrown away",
        bytes as f64 / 1e6
    ))]
}

fn check(files: &[String]) -> ugas::data::Report {
    let loader = files
        .iter()
        .enumerate()
        .fold(Loader::new(), |loader, (at, text)| loader.text(format!("{at}.yaml"), text.as_str()));
    loader.as_set().check()
}

/// Files of a game that does not exist: sets, effects of every policy, abilities, a registry.
fn generate() -> Vec<String> {
    let schema = |kind: &str| format!("$schema: https://ugas.example/v1.0.0-draft.1/schemas/{kind}.json");
    let mut files = vec![String::new(); FILES];
    for at in 0..DOCUMENTS {
        let file = &mut files[at % FILES];
        if !file.is_empty() {
            file.push_str("---\n");
        }
        let set = at / 10;
        let done = match at % 10 {
            0 if at == 0 => write!(
                file,
                "{}\nTags:\n  - Tag: State.Debuff.Burning\n    Description: On fire\n  - Tag: State.Debuff.Slowed\n  \
                 - Tag: State.Dead\n  - Tag: Cooldown.Ability\n  - Tag: Ability.Spell.Fire\n  - Tag: GameplayCue.Fire\n  \
                 - Tag: Data.Damage\n",
                schema("gameplay_tag")
            ),
            0 => write!(
                file,
                "{}\nName: Set{set}\nAttributes:\n  - Name: Health{set}\n    DefaultBaseValue: 100\n    Category: Resource\n    \
                 Clamping: {{ Min: 0, Max: MaxHealth{set} }}\n  - Name: MaxHealth{set}\n    DefaultBaseValue: 100\n    \
                 Clamping: {{ Min: 1 }}\n  - Name: Power{set}\n    DefaultBaseValue: 10\n    Category: Statistic\n",
                schema("attribute_set")
            ),
            1 => write!(
                file,
                "{}\nName: GA_{at}\nTags:\n  AbilityTags: [Ability.Spell.Fire]\n  ActivationBlockedTags: [State.Dead]\n\
                 Cost: GE_{}\nCooldown: GE_{}\nTasks:\n  - Type: Commit\n  - Type: WaitDelay\n    Params: {{ Duration: 0.5 }}\n",
                schema("gameplay_ability"),
                at + 1,
                at + 2
            ),
            kind => effect(file, &schema("gameplay_effect"), at, kind, set.max(1)),
        };
        done.expect("writing to a text cannot fail");
    }
    files
}

fn effect(file: &mut String, schema: &str, at: usize, kind: usize, set: usize) -> std::fmt::Result {
    write!(file, "{schema}\nName: GE_{at}\n")?;
    match kind {
        2 => write!(
            file,
            "DurationPolicy: Instant\nModifiers:\n  - Attribute: Health{set}\n    Operation: Add\n    Magnitude:\n      \
             Type: ScalableFloat\n      Value: -12.5\n"
        ),
        3 => write!(
            file,
            "DurationPolicy: HasDuration\nDuration:\n  Type: ScalableFloat\n  Value: 8\nGrantedTags:\n  - Cooldown.Ability\n"
        ),
        4 => write!(
            file,
            "DurationPolicy: HasDuration\nDuration: {{ Type: ScalableFloat, Value: 10 }}\nPeriod:\n  Period: 1\n  \
             ExecuteOnApplication: true\nModifiers:\n  - Attribute: Health{set}\n    Operation: Add\n    Magnitude:\n      \
             Type: SetByCaller\n      DataTag: Data.Damage\nGrantedTags: [State.Debuff.Burning]\nGameplayCues: [GameplayCue.Fire]\n"
        ),
        5 => write!(
            file,
            "DurationPolicy: Infinite\nPriority: {kind}\nModifiers:\n  - Attribute: Power{set}\n    Operation: Multiply\n    \
             Channel: DamageBonuses\n    Magnitude:\n      Type: AttributeBased\n      BackingAttribute: MaxHealth{set}\n      \
             Source: Source\n      Coefficient: 0.01\n"
        ),
        6 => write!(
            file,
            "DurationPolicy: Instant\nApplicationRequiredTags: [State.Debuff.Burning]\nModifiers:\n  - Attribute: Health{set}\n    \
             Operation: Add\n    Magnitude:\n      Type: Expression\n      Expression: \"-Source.Power{set} * (1 + Level / 10)\"\n"
        ),
        _ => write!(
            file,
            "DurationPolicy: Infinite\nMetadata:\n  DisplayName: Effect number {at}\n  Description: Something that slows whoever it hits\n\
             GrantedTags: [State.Debuff.Slowed]\nModifiers:\n  - Attribute: Power{set}\n    Operation: Multiply\n    Magnitude:\n      \
             Type: ScalableFloat\n      Value: -0.25\n  - Attribute: MaxHealth{set}\n    Operation: Add\n    Magnitude:\n      \
             Type: ScalableFloat\n      Value: 5\n"
        ),
    }
}
