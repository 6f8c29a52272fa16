//! Hostile files: a clear error, in bounded time and memory, and never a panic.

use std::path::PathBuf;

use proptest::prelude::*;
use ugas_data::{Limits, Loader, Report};

/// Temporary folder of a test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ugas-data-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn codes(report: &Report) -> Vec<&'static str> {
    report.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// Without the limits these texts would take minutes or all memory, so it matters that the test ends.
#[track_caller]
fn check_text(text: String, expected: &str) {
    let report = Loader::new().text("hostile.yaml", text).check();
    assert!(codes(&report).contains(&expected), "{report}");
    assert!(report.errors() > 0);
}

#[test]
fn a_hundred_megabytes_are_refused_at_once() {
    check_text("a: b\n".repeat(20 << 20), "UG003");
    let folder = Folder::new("large");
    let path = folder.0.join("large.yaml");
    std::fs::File::create(&path).unwrap().set_len(100 << 20).unwrap();
    assert_eq!(codes(&Loader::new().path(&path).check()), ["UG003"]);
}

#[test]
fn depth_bombs_are_refused() {
    check_text("[".repeat(1_000_000), "UG003");
    check_text("- ".repeat(1_000_000), "UG003");
    check_text("? ".repeat(100_000), "UG003");
    check_text((0..2000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect(), "UG003");
    let report = Loader::new().text("deep.json", "[".repeat(1_000_000)).check();
    assert_eq!(codes(&report), ["UG003"]);
    let report = Loader::new().text("deep.json", "{\"a\":".repeat(1_000_000)).check();
    assert_eq!(codes(&report), ["UG003"]);
}

#[test]
fn alias_bombs_are_refused() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    check_text(text, "UG003");
    // A long text, repeated by aliases.
    check_text(format!("a: &a \"{}\"\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(10_000)), "UG003");
}

#[test]
fn too_many_values_are_refused() {
    check_text(format!("a: [{}]", "1,".repeat(3_000_000)), "UG003");
}

#[test]
fn huge_numbers_are_pointed_at() {
    let text = format!("$schema: x/schemas/attribute.json\nName: A\nDefaultBaseValue: {}\n", "9".repeat(400));
    check_text(text, "UG016");
    let text = "$schema: x/schemas/attribute.json\nName: A\nDefaultBaseValue: -1e99999999999\n".to_owned();
    check_text(text, "UG016");
}

#[test]
fn diagnostics_beyond_the_limit_are_dropped() {
    let text = format!("$schema: x/schemas/gameplay_tag.json\nTags: [{}]\n", "5, ".repeat(200_000));
    let report = Loader::new().text("flood.yaml", text).check();
    assert_eq!(report.diagnostics.len(), 10_001);
    assert_eq!(report.errors(), 200_000);
    assert!(codes(&report).contains(&"UG099"));
}

#[test]
fn thousands_of_unknown_names_are_not_compared_with_thousands_of_known_ones() {
    let known: String =
        (0..10_000).map(|n| format!("  - {{ Name: Known{n}, DefaultBaseValue: 1 }}\n")).collect();
    let unknown: String = (0..10_000)
        .map(|n| format!("  - {{ Attribute: Unknown{n}, Operation: Add, Magnitude: {{ Type: ScalableFloat, Value: 1 }} }}\n"))
        .collect();
    check_text(
        format!(
            "$schema: x/schemas/attribute_set.json\nName: S\nAttributes:\n{known}---\n\
             $schema: x/schemas/gameplay_effect.json\nName: E\nDurationPolicy: Instant\nModifiers:\n{unknown}"
        ),
        "UG021",
    );
}

#[test]
fn invalid_utf8_is_pointed_at() {
    let folder = Folder::new("utf8");
    std::fs::write(folder.0.join("bad.yaml"), b"Name: GE\nValue: \xff\xfe\n").unwrap();
    let report = Loader::new().path(&folder.0).check();
    assert_eq!(codes(&report), ["UG002"]);
    let at = report.source_map.position(report.diagnostics[0].span);
    assert_eq!((at.line, at.column), (2, 8));
}

#[test]
fn unreadable_file_is_named() {
    let report = ugas_data::check(["/nowhere/at/all"]);
    assert_eq!(codes(&report), ["UG001"]);
    assert_eq!(report.to_json()["diagnostics"][0]["file"], "/nowhere/at/all");
}

#[cfg(unix)]
#[test]
fn cyclic_links_are_searched_once() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    let inner = folder.0.join("inner");
    std::fs::create_dir(&inner).unwrap();
    symlink(&folder.0, inner.join("up")).unwrap();
    symlink(folder.0.join("self.yaml"), folder.0.join("self.yaml")).unwrap();
    symlink("/nowhere", folder.0.join("dangling.yaml")).unwrap();
    std::fs::write(inner.join("tags.yaml"), "$schema: x/schemas/gameplay_tag.json\nTags: []\n").unwrap();
    let report = Loader::new().path(&folder.0).check();
    assert_eq!(codes(&report), ["UG001", "UG001", "UG001"], "{report}");
    assert_eq!(report.errors(), 2, "the loop is a warning, files that are not there are errors");
}

const SET: &str = "$schema: x/schemas/attribute_set.json\nName: S\nAttributes:\n  - { Name: Hélth, DefaultBaseValue: oops }\n";

#[track_caller]
fn check_bytes(name: &str, bytes: &[u8], expected: &[(&str, u32, u32)]) {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("file.yaml"), bytes).unwrap();
    let report = Loader::new().path(&folder.0).check();
    let found: Vec<_> = report
        .diagnostics
        .iter()
        .map(|found| {
            let at = report.source_map.position(found.span);
            (found.code, at.line, at.column)
        })
        .collect();
    assert_eq!(found, expected, "{report}");
}

#[test]
fn byte_order_marks_and_line_ends_do_not_move_positions() {
    // `oops` is at the same line and column with any byte order mark and line ends.
    check_bytes("plain", SET.as_bytes(), &[("UG011", 4, 38)]);
    check_bytes("bom", format!("\u{feff}{SET}").as_bytes(), &[("UG011", 4, 38)]);
    check_bytes("crlf", SET.replace('\n', "\r\n").as_bytes(), &[("UG011", 4, 38)]);
}

#[test]
fn other_encodings_are_named() {
    let utf16: Vec<u8> = SET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let report = {
        let folder = Folder::new("utf16");
        std::fs::write(folder.0.join("file.yaml"), [&[0xff, 0xfe], utf16.as_slice()].concat()).unwrap();
        Loader::new().path(&folder.0).check()
    };
    assert_eq!(codes(&report), ["UG002"]);
    assert!(report.to_string().contains("UTF-16"), "{report}");
}

#[test]
fn tabs_and_zero_bytes_are_pointed_at() {
    check_bytes("tab", b"$schema: x/schemas/attribute.json\nClamping:\n\tMin: 0\n", &[("UG004", 3, 1)]);
    let folder = Folder::new("nul");
    for (name, text) in [("in", "Name: a\0b\n"), ("all", "\0\0\0\0"), ("key", "a\0: 1\n")] {
        std::fs::write(folder.0.join(format!("{name}.yaml")), text).unwrap();
        std::fs::write(folder.0.join(format!("{name}.json")), text).unwrap();
    }
    let report = Loader::new().path(&folder.0).check();
    assert_eq!(codes(&report), ["UG004"; 6], "{report}");
}

#[test]
fn folders_of_too_many_files_are_refused() {
    let folder = Folder::new("files");
    for at in 0..300 {
        std::fs::write(folder.0.join(format!("{at}.yaml")), "---\n").unwrap();
    }
    let limits = Limits { files: 100, ..Limits::default() };
    let report = Loader::new().path(&folder.0).limits(limits).check();
    assert_eq!(codes(&report), ["UG003"], "{report}");
    assert_eq!(report.source_map.files().count(), 101, "the first hundred are read, and the folder is named");
}

#[test]
fn many_scenarios_in_one_file_cost_no_more_than_their_sum() {
    let definition = "{ $schema: x/schemas/attribute.json, Name: Health, DefaultBaseValue: 1 }, { $schema: x/schemas/gameplay_effect.json, Name: GE_X, DurationPolicy: Instant }";
    let one = format!(
        "Name: a\nDefinitions: [ {definition} ]\nControllers: {{ w: {{}} }}\nSteps: [ {{ Apply: {{ Effect: GE_Y, Target: w }} }} ]\n---\n"
    );
    check_text(one.repeat(3000), "UG023");
}

#[cfg(unix)]
#[test]
fn links_that_multiply_paths_are_bounded() {
    use std::os::unix::fs::symlink;
    // Thirty folders, each with two links to the next: 2^30 paths, and not one file.
    let folder = Folder::new("doubling");
    for at in 0..30 {
        let inner = folder.0.join(format!("f{at}"));
        std::fs::create_dir(&inner).unwrap();
        for link in ["a", "b"] {
            symlink(folder.0.join(format!("f{}", at + 1)), inner.join(link)).unwrap();
        }
    }
    std::fs::create_dir(folder.0.join("f30")).unwrap();
    let limits = Limits { files: 1000, ..Limits::default() };
    assert_eq!(codes(&Loader::new().path(&folder.0).limits(limits).check()), ["UG003"]);
}

#[cfg(unix)]
#[test]
fn named_pipe_is_rejected_without_waiting() {
    let folder = Folder::new("pipe");
    let pipe = folder.0.join("pipe.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Nothing writes to the pipe, so a read would wait for ever.
    let (sender, receiver) = std::sync::mpsc::channel();
    let path = folder.0.clone();
    std::thread::spawn(move || sender.send(codes(&Loader::new().path(path).check())));
    assert_eq!(receiver.recv_timeout(std::time::Duration::from_secs(120)).expect("an answer"), ["UG001"]);
}

#[test]
fn errors_are_kept_before_warnings_at_the_limit() {
    let fields: String = (0..12_000).map(|at| format!("Zzzzzzzz{at}: 1\n")).collect();
    let schema = "$schema: x/schemas/attribute.json\n";
    let text =
        format!("{schema}Name: A\n{fields}DefaultBaseValue: 1\n---\n{schema}Name: B\nDefaultBaseValue: x\n");
    let report = Loader::new().text("flood.yaml", text).allow_unknown().check();
    assert_eq!((report.errors(), report.diagnostics.len()), (1, 10_001));
    assert!(codes(&report).contains(&"UG011"), "the error is there, although it comes last");
    assert!(codes(&report).contains(&"UG099"));
}

#[test]
fn packs_of_too_many_values_are_refused() {
    let folder = Folder::new("values");
    for at in 0..50 {
        let text = format!("$schema: x/schemas/gameplay_tag.json\nTags: [ {{ Tag: Tag.Number{at} }} ]\n");
        std::fs::write(folder.0.join(format!("{at:02}.yaml")), text).unwrap();
    }
    // Each file holds 5 values (the document, its `$schema`, the list, its item, the tag) and 2 for its 68 or
    // 69 bytes.
    let limits = Limits { pack_nodes: 70, ..Limits::default() };
    let report = Loader::new().path(&folder.0).limits(limits).check();
    assert_eq!(codes(&report), ["UG003"], "{report}");
    assert_eq!(
        report.source_map.files().count(),
        11,
        "ten files fit, the eleventh does not, the rest is not read"
    );
}

#[test]
fn limits_can_be_set() {
    let limits = Limits { file_bytes: 10, ..Limits::default() };
    let report = Loader::new().text("a.yaml", "Name: longer").limits(limits).check();
    assert_eq!(codes(&report), ["UG003"]);
}

/// Pieces of files, so that random text gets past the first line.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("$schema: x/schemas/gameplay_effect.json\n".to_owned()),
        Just("$schema: x/schemas/attribute_set.json\n".to_owned()),
        Just("$schema: x/schemas/gameplay_ability.json\n".to_owned()),
        Just("---\n".to_owned()),
        Just("Name: A\n".to_owned()),
        Just("DurationPolicy: HasDuration\n".to_owned()),
        Just("Modifiers:\n  - Attribute: A\n    Operation: Add\n    Magnitude: { Type: Expression, Expression: ".to_owned()),
        Just("\"A + * (\"".to_owned()),
        Just("Attributes: [ { Name: A, DefaultBaseValue: ".to_owned()),
        Just("Tasks: [ { Type: WaitDelay, Params: { Duration: \"".to_owned()),
        Just(" } } ]\n".to_owned()),
        Just("Tags: [a.b, é, \"\\u00e9\"]\n".to_owned()),
        Just("&a ".to_owned()),
        Just("*a\n".to_owned()),
        Just("|\n  x\n   é\n".to_owned()),
        "\\PC{0,8}",
        "[ -~\n]{0,12}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn survives(name: &str, text: &str) {
    let report = Loader::new().text(name, text).check();
    for diagnostic in &report.diagnostics {
        ugas_data::diagnostics::render(&report.source_map, diagnostic, ugas_data::diagnostics::Colour::Never);
        report.source_map.position(diagnostic.span);
    }
    report.to_json();
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
        survives("a.yaml", &text);
        survives("a.json", &text);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        survives("a.yaml", &text);
        survives("a.json", &text);
    }

    #[test]
    fn pieces_of_files_never_panic(text in pieces()) {
        survives("a.yaml", &text);
    }

    #[test]
    fn spoilt_files_never_panic(at in 0usize..8000, spoil in "\\PC{0,3}", cut in 0usize..5) {
        let mut text = super::spec::SPEC_PACK.to_owned();
        let mut start = at.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = (start + cut).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        text.replace_range(start..end, &spoil);
        survives("a.yaml", &text);
    }
}

#[test]
fn pack_with_too_many_bytes_is_refused_before_it_is_parsed() {
    let limits = Limits { pack_bytes: 100, ..Limits::default() };
    let loader = |bytes: usize| {
        let text = "x".repeat(bytes / 2);
        Loader::new().limits(limits).text("a.yaml", text.clone()).text("b.yaml", text)
    };
    let report = loader(102).check();
    let messages: Vec<&str> = report.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(messages, ["the files have more than 100 bytes together"]);
    assert!(!loader(100).check().diagnostics.iter().any(|found| found.message.contains("together")));
}

#[test]
fn long_list_in_brackets_is_refused_before_the_parser_keeps_its_tokens() {
    let refused = |text: String| {
        let report = Loader::new().text("a.yaml", text).check();
        report.diagnostics.iter().any(|found| found.message.contains("in brackets has more than"))
    };
    assert!(refused(format!("a: [{}]\n", "1,".repeat(250_001))));
    assert!(refused(format!("a: {}\n", "[".repeat(250_001))));
    // The same number of values on lines of their own, and in many short lists.
    assert!(!refused(format!("a:\n{}", "  - 1\n".repeat(250_001))));
    assert!(!refused(format!("a:\n{}", "  - [1, 2]\n".repeat(150_000))));
}
