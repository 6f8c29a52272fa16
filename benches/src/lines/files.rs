//! Files of a game that does not exist: sets, effects of every policy, abilities, a registry.

use std::fmt::Write;

/// Number of a document, its kind and the attribute set that it uses. Kind 0 is a set, or the tag registry if
/// the number is 0; kind 1 an ability that uses the next two numbers as its cost and cooldown; the others are effects.
type Numbered = (usize, usize, usize);

/// Documents in turn in a number of files. Set 0 is not defined.
pub(crate) fn generate(files: usize, documents: impl Iterator<Item = Numbered>) -> Vec<String> {
    let schema = |kind: &str| format!("$schema: https://ugas.example/v1.0.0-draft.1/schemas/{kind}.json");
    let mut files = vec![String::new(); files];
    let count = files.len();
    for (turn, (at, kind, set)) in documents.enumerate() {
        let file = &mut files[turn % count];
        if !file.is_empty() {
            file.push_str("---\n");
        }
        let done = match kind {
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
            _ => effect(file, &schema("gameplay_effect"), at, kind, set.max(1)),
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
