//! `ugas generate`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::snapshots::check_text;
use crate::{Answer, empty_folder, root, ugas, ugas_in};

/// A pack whose names are keywords, look alike, or try to leave a literal or a comment.
const HOSTILE: &str = r#"
$schema: x/schemas/attribute_set.json
Name: Hostile
Attributes:
  - { Name: Self, DefaultBaseValue: 1 }
  - { Name: type, DefaultBaseValue: 1 }
  - { Name: Max.Health, DefaultBaseValue: 1 }
  - { Name: MaxHealth, DefaultBaseValue: 1 }
  - { Name: max_health, DefaultBaseValue: 1 }
  - { Name: Ok, DefaultBaseValue: 1 }
  - { Name: Attributes, DefaultBaseValue: 1 }
  - { Name: 2Handed, DefaultBaseValue: 1 }
  - { Name: Stärke, DefaultBaseValue: 1 }
---
$schema: x/schemas/gameplay_effect.json
Name: "GE \"; } */ \\ ??/"
DurationPolicy: Instant
---
$schema: x/schemas/gameplay_effect.json
Name: "GE\nLine\u202E"
DurationPolicy: Instant
---
$schema: x/schemas/gameplay_controller.json
Name: "None"
OwnerActor: { ActorID: None, ActorType: Monster }
AttributeSets: [{ Name: Hostile }]
"#;

/// Generates names of the hostile pack in a folder of a test.
fn hostile(folder: &str, flag: &str, more: &[&str]) -> Answer {
    let folder = empty_folder(folder);
    fs::write(folder.join("hostile.yaml"), HOSTILE).unwrap();
    let answer = ugas_in(&folder, ["generate", flag, "hostile.yaml"].iter().chain(more));
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    answer
}

/// Runs a compiler; its errors are the message of a failure.
#[track_caller]
fn compile(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn names_of_a_small_pack() {
    let folder = empty_folder("generate-small");
    assert_eq!(ugas_in(&folder, ["new", "game"]).status, 0);
    for language in ["rust", "c", "csharp", "gdscript"] {
        let answer = ugas_in(&folder, ["generate", &format!("--{language}"), "game"]);
        assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
        // The hash of the rules follows every change of a number.
        let lines = answer.stdout.lines().filter(|line| !line.contains("Catalog hash: "));
        check_text(
            &format!("generate-{language}"),
            &lines.map(|line| format!("{line}\n")).collect::<String>(),
        );
    }
}

/// The committed module, which the example `typed_names` compiles and resolves against the pack.
#[test]
fn committed_module_of_the_example_is_current() {
    let arguments =
        ["generate", "--rust", "packs/spells", "--out", "examples/typed_names/spells.rs", "--check"];
    let answer = ugas_in(Path::new(&root("")), arguments);
    assert_eq!((answer.status, answer.stderr.as_str()), (0, ""));
}

#[test]
fn check_finds_changed_names_but_not_changed_numbers() {
    let folder = empty_folder("generate-check");
    assert_eq!(ugas_in(&folder, ["new", "game"]).status, 0);
    let write = ["generate", "--rust", "game", "--out", "game.rs"];
    let check = || ugas_in(&folder, write.iter().chain(&["--check"]));
    let missing = check();
    assert_eq!(missing.status, 1);
    assert!(missing.stderr.contains("`game.rs` does not exist"), "{}", missing.stderr);
    assert_eq!(ugas_in(&folder, write).status, 0);
    let before = fs::read_to_string(folder.join("game.rs")).unwrap();
    assert_eq!(check().status, 0);

    let extra = |name: &str, value: u32| {
        let set = format!(
            "$schema: x/schemas/attribute_set.json\nName: Extra\nAttributes: [{{ Name: {name}, DefaultBaseValue: {value} }}]\n"
        );
        fs::write(folder.join("game/extra.yaml"), set).unwrap();
    };
    extra("Luck", 1);
    let stale = check();
    assert_eq!(stale.status, 1);
    assert!(stale.stderr.contains("`game.rs` is stale"), "{}", stale.stderr);
    assert_eq!(fs::read_to_string(folder.join("game.rs")).unwrap(), before, "--check writes nothing");
    assert_eq!(ugas_in(&folder, write).status, 0);
    extra("Luck", 2);
    assert_eq!(check().status, 0);
    extra("Fate", 2);
    assert_eq!(check().status, 1);
}

#[test]
fn collisions_are_reported_and_numbered() {
    let answer = hostile("generate-collisions", "--rust", &[]);
    // Sorted by bytes: `Max.Health`, `MaxHealth`, `max_health`.
    assert_eq!(
        answer.stderr,
        "note: attributes: `Max.Health` and `MaxHealth` would have the same identifier; the second is `MAX_HEALTH_2`\n\
         note: attributes: `Max.Health` and `max_health` would have the same identifier; the second is `MAX_HEALTH_3`\n"
    );
    for (identifier, name) in
        [("MAX_HEALTH", "Max.Health"), ("MAX_HEALTH_2", "MaxHealth"), ("MAX_HEALTH_3", "max_health")]
    {
        let line = format!("pub const {identifier}: &str = \"{name}\";");
        assert!(answer.stdout.contains(&line), "{line}");
    }
}

/// Compiled without the library, by stand-ins for its types.
#[test]
fn rust_of_hostile_names_compiles() {
    let answer = hostile("generate-hostile-rust", "--rust", &["--crate", "crate::ugas"]);
    let stand_ins = "#![deny(warnings)]\npub mod ugas {
        pub struct UnknownName;
        pub struct Catalog;
        macro_rules! kinds { ($($id:ident $lookup:ident),*) => { $(
            #[derive(Clone, Copy, PartialEq, Eq, Debug)] pub struct $id;
            impl Catalog { pub fn $lookup(&self, _: &str) -> Result<$id, UnknownName> { Ok($id) } }
        )* } }
        kinds!(AttributeId attribute, TagId tag, EffectId effect, AbilityId ability, TemplateId template);
        pub trait AttributeName { const NAME: &'static str; }
        pub trait TagName { const NAME: &'static str; }
        pub trait EffectName { const NAME: &'static str; }
        pub trait AbilityName { const NAME: &'static str; }
    }
    pub mod names;
    pub fn resolve() -> bool { names::Ids::resolve(&ugas::Catalog).is_ok() }
    ";
    let folder = empty_folder("generate-hostile-rust-crate");
    fs::write(folder.join("lib.rs"), stand_ins).unwrap();
    fs::write(folder.join("names.rs"), &answer.stdout).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    compile(
        Command::new(rustc)
            .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "lib.rs"])
            .current_dir(&folder),
    );
}

#[cfg(unix)]
#[test]
fn c_of_hostile_names_compiles_as_c_and_as_cpp() {
    let answer = hostile("generate-hostile-c", "--c", &["--name", "2 hostile"]);
    let folder = empty_folder("generate-hostile-c-source");
    fs::write(folder.join("ids.h"), &answer.stdout).unwrap();
    let program = "#include \"ids.h\"\nint main(void) { _2_hostile_ids ids; return (int)_2_hostile_ids_resolve(0, 0, &ids); }\n";
    fs::write(folder.join("main.c"), program).unwrap();
    let include = root("crates/ugas-ffi/include");
    for language in [["-xc", "-std=c11"], ["-xc++", "-std=c++17"]] {
        let flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", &include, "main.c"];
        compile(Command::new("cc").args(language).args(flags).current_dir(&folder));
    }
    assert!(
        answer.stdout.contains("_2_HOSTILE_EFFECT_GE \"GE \\\"; } */ \\\\ \\077\\077/\""),
        "{}",
        answer.stdout
    );
}

#[test]
fn csharp_and_gdscript_avoid_words_of_the_language() {
    let csharp = hostile("generate-hostile-csharp", "--csharp", &[]).stdout;
    // A member must not have the name of its class.
    assert!(csharp.contains("public const string Attributes_ = \"Attributes\";"), "{csharp}");
    assert!(csharp.contains("public const string Stu00e4rke = \"St\\u00E4rke\";"), "{csharp}");
    assert!(csharp.contains("= \"GE\\u000ALine\\u202E\";"), "{csharp}");
    let script = hostile("generate-hostile-gdscript", "--gdscript", &[]).stdout;
    assert!(script.contains("\tconst MAX_HEALTH_2: StringName = &\"MaxHealth\"\n"), "{script}");
    assert!(script.contains("class Cues:\n\tpass\n"), "{script}");
}

#[test]
fn foreign_files_and_inputs_are_not_overwritten() {
    let folder = empty_folder("generate-overwrite");
    assert_eq!(ugas_in(&folder, ["new", "game"]).status, 0);
    fs::write(folder.join("mine.rs"), "fn main() {}\n").unwrap();
    let answer = ugas_in(&folder, ["generate", "--rust", "game", "--out", "mine.rs"]);
    assert_eq!(answer.status, 2);
    assert!(
        answer.stderr.contains("already exists and is not generated by this command"),
        "{}",
        answer.stderr
    );
    let answer = ugas_in(&folder, ["generate", "--rust", "game", "--out", "game/pack.yaml"]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("is an input"), "{}", answer.stderr);
}

#[test]
fn misuse_is_refused() {
    assert_eq!(ugas(["generate", "game"]).status, 2, "no language");
    assert_eq!(ugas(["generate", "--rust", "--c", "game"]).status, 2, "two languages");
    assert_eq!(ugas(["generate", "--rust", "game", "--check"]).status, 2, "no file to check");
    assert_eq!(ugas(["generate", "--rust", "game", "--crate", "a; b"]).status, 2);
    let folder = empty_folder("generate-broken");
    fs::write(folder.join("broken.yaml"), "$schema: x/schemas/gameplay_effect.json\nName: 3\nDuration: no\n")
        .unwrap();
    let answer = ugas_in(&folder, ["generate", "--rust", "broken.yaml"]);
    assert_eq!((answer.status, answer.stdout.as_str()), (1, ""));
    assert!(answer.stderr.contains("`broken.yaml` has errors: nothing was generated"), "{}", answer.stderr);
}
