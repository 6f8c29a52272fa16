//! `ugas run --record`, `ugas run --sync-test` and `ugas replay`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::snapshots::check_in;
use crate::{Answer, empty_folder, file, fixtures, keys, ugas, ugas_in};

/// A folder with a recording of the duel, and one of the same duel with another poison.
fn recorded(name: &str) -> PathBuf {
    let folder = empty_folder(name);
    let story = std::fs::read_to_string(fixtures().join("duel.yaml")).unwrap();
    let other = story.replacen(
        "  - Advance: 1.5\n",
        "  - Advance: 1.5\n  - Apply: { Effect: GE_Poison, Target: hero, SetByCaller: { Data.Damage: -3 } }\n",
        1,
    );
    assert_ne!(story, other);
    for (name, story) in [("duel", story), ("other", other)] {
        std::fs::write(folder.join(format!("{name}.yaml")), story).unwrap();
        let answer =
            ugas_in(&folder, ["run", &format!("{name}.yaml"), "--record", &format!("{name}.ugasrec")]);
        let message = format!("recorded until 5 s: ugas replay {name}.ugasrec\n");
        assert_eq!((answer.status, answer.stderr), (0, message), "{}", answer.stdout);
    }
    folder
}

#[test]
fn text_output_matches_the_snapshots() {
    let folder = recorded("replay-text");
    check_in(&folder, "replay-info", "replay duel.ugasrec");
    let walk = "seek 2.5; watch wolf.Health; explain wolf Health; until EffectExecuted wolf; events; commands; step; \
                back 2; diff 1 3; seek end; show wolf";
    check_in(&folder, "replay-walk", &format!("replay duel.ugasrec --do \"{walk}\""));
    check_in(&folder, "replay-verify", "replay duel.ugasrec --verify");
    check_in(&folder, "replay-compare", "replay duel.ugasrec --compare other.ugasrec");
    check_in(&folder, "replay-compare-same", "replay duel.ugasrec --compare duel.ugasrec");
    check_in(&folder, "run-sync-test", "run duel.yaml --sync-test");
}

#[test]
fn mistakes_are_explained() {
    let folder = recorded("replay-mistakes");
    check_in(&folder, "mistake-replay-command", "replay duel.ugasrec --do \"sek 2\"");
    check_in(&folder, "mistake-replay-place", "replay duel.ugasrec --do \"seek soon\"");
    check_in(&folder, "mistake-replay-name", "replay duel.ugasrec --do \"show wulf\"");
    check_in(&folder, "mistake-replay-event", "replay duel.ugasrec --do \"until EffectExecutd\"");
    check_in(&folder, "mistake-replay-file", "replay duel.yaml");
}

#[test]
fn json_is_one_document() {
    let folder = recorded("replay-json");
    let walk = "watch wolf.Health; seek 2.5; until EffectExecuted wolf; until OwnerDied";
    let answer = ugas_in(&folder, ["replay", "duel.ugasrec", "--format", "json", "--do", walk]);
    assert_eq!(answer.status, 1, "nobody dies");
    let commands = &answer.json()["commands"];
    // The poison of 2 ticks at 1 s and 2 s.
    assert_eq!(commands[1]["time"], 2.5);
    assert_eq!(commands[2]["time"], 3.0);
    let (before, after) = (&commands[1]["watched"]["wolf.Health"], &commands[2]["watched"]["wolf.Health"]);
    assert_eq!(before.as_f64().unwrap() - after.as_f64().unwrap(), 2.0);
    assert!(commands[3]["event"].is_null());

    let answer = ugas_in(&folder, ["replay", "duel.ugasrec", "--format", "json", "--verify"]);
    assert_eq!(answer.status, 0);
    assert_eq!(
        keys(&answer.json()),
        ["difference", "key_frames", "tail", "tail_problem", "ticks", "verified"]
    );

    let answer =
        ugas_in(&folder, ["replay", "duel.ugasrec", "--format", "json", "--compare", "other.ugasrec"]);
    assert_eq!(answer.status, 1);
    let document = answer.json();
    // The poison is applied at 1.5 s; its tick ends at 2 s.
    assert_eq!((&document["relation"], &document["time"]), (&"different".into(), &2.0.into()));
    assert!(document["fields"].as_array().unwrap().iter().all(|field| field["field"].is_string()));

    let answer = ugas_in(&folder, ["run", "duel.yaml", "--sync-test=3", "--format", "json"]);
    assert_eq!(answer.status, 0);
    let tested = &answer.json()["sync_test"];
    assert_eq!((&tested["depth"], &tested["failures"]), (&3.into(), &0.into()));
    // Two spawns, four applications, and time up to each of 1, 1.5, 2, 3, 4 and 5 s.
    assert_eq!(tested["commands"], 12);
}

/// Before the first tick no controller exists.
#[test]
fn missing_controller_is_a_negative_result() {
    let folder = recorded("replay-not-there");
    let walk = "seek start; watch wolf.Health; show wolf; explain wolf Health";
    for walk in [walk, "seek start; show wolf", "seek start; explain wolf Health"] {
        let answer = ugas_in(&folder, ["replay", "duel.ugasrec", "--do", walk]);
        assert_eq!((answer.status, answer.stderr.as_str()), (1, ""), "{walk}");
        assert!(answer.stdout.contains("`wolf` does not exist at 0 s\n"), "{}", answer.stdout);
    }
    let answer = ugas_in(&folder, ["replay", "duel.ugasrec", "--do", walk]);
    assert!(answer.stdout.contains("  wolf.Health (none)\n"), "{}", answer.stdout);
    let answer = ugas_in(&folder, ["replay", "duel.ugasrec", "--format", "json", "--do", walk]);
    assert_eq!(answer.status, 1);
    let document = answer.json();
    for command in [2, 3] {
        assert_eq!(document["commands"][command]["missing"], serde_json::json!(["wolf"]));
    }
    let answer =
        ugas_in(&folder, ["replay", "duel.ugasrec", "--do", "seek end; show wolf; explain wolf Health"]);
    assert_eq!(answer.status, 0);
}

#[test]
fn commands_are_read_from_standard_input() {
    let folder = recorded("replay-stdin");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ugas"));
    command.args(["replay", "duel.ugasrec"]).current_dir(&folder);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"seek 2\n\nseek +0.5; back\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = "> seek 2\n2 s, after tick 3 of 6\n> seek +0.5\n2.5 s, in tick 4 of 6\n> back\n2 s, after tick 3 of 6\n";
    assert_eq!((output.status.code(), text.as_str()), (Some(0), expected));
}

/// Runs `ugas replay` on a changed copy of the recording.
fn changed(folder: &Path, change: impl Fn(&mut Vec<u8>), arguments: &[&str]) -> Answer {
    let mut bytes = std::fs::read(folder.join("duel.ugasrec")).unwrap();
    change(&mut bytes);
    std::fs::write(folder.join("changed.ugasrec"), bytes).unwrap();
    ugas_in(folder, [&["replay", "changed.ugasrec"], arguments].concat())
}

#[test]
fn torn_and_damaged_recordings_are_distinguished() {
    let folder = recorded("replay-damage");
    let answer = changed(&folder, |bytes| bytes.truncate(bytes.len() - 3), &["--verify"]);
    assert_eq!(answer.status, 0);
    assert!(answer.stderr.contains("ends inside a frame"), "{}", answer.stderr);
    let damage = |bytes: &mut Vec<u8>| {
        let middle = bytes.len() - 120;
        bytes[middle] ^= 1;
    };
    let answer = changed(&folder, damage, &["--verify"]);
    assert_eq!((answer.status, answer.stdout.as_str()), (2, ""));
    assert!(
        answer.stderr.contains("damaged at byte") && answer.stderr.contains("--salvage"),
        "{}",
        answer.stderr
    );
    let answer = changed(&folder, damage, &["--verify", "--salvage"]);
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("was salvaged"), "{}", answer.stderr);
    let document = changed(&folder, damage, &["--verify", "--salvage", "--format", "json"]).json();
    assert_eq!(document["tail"], "damaged");
    assert!(document["tail_problem"].as_str().unwrap().contains("damaged at byte"), "{document}");
    let torn = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() - 3);
    let document = changed(&folder, torn, &["--verify", "--format", "json"]).json();
    assert_eq!((&document["tail"], &document["verified"]), (&"torn".into(), &true.into()));
    let answer = changed(&folder, |bytes| bytes.truncate(30), &[]);
    assert_eq!(answer.status, 2);
}

#[test]
fn only_one_scenario_is_recorded() {
    let two = "Name: first\nSteps: [ { Advance: 1 } ]\n---\nName: second\nSteps: [ { Advance: 2 } ]\n";
    let story = file("replay-one", "two.yaml", two);
    let tape = story.replace("two.yaml", "two.ugasrec");
    let answer = ugas(["run", &story, "--record", &tape]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("--scenario NAME"), "{}", answer.stderr);
    assert_eq!(ugas(["run", &story, "--record", &tape, "--scenario", "second"]).status, 0);
    assert!(ugas(["replay", &tape]).stdout.contains("until 2 s: 1 tick, 1 key frame\n"));
    for (wrong, hint) in [("secnd", "did you mean `second`?"), ("else", "known names: first, second")] {
        let answer = ugas(["run", &story, "--record", &tape, "--scenario", wrong]);
        assert_eq!(answer.status, 2);
        assert!(answer.stderr.contains(hint), "{}", answer.stderr);
    }
    let nowhere = empty_folder("replay-nowhere").join("none/two.ugasrec");
    let answer = ugas(["run", &story, "--scenario", "first", "--record", &nowhere.to_string_lossy()]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("cannot be written"), "{}", answer.stderr);
}

#[test]
fn scenario_that_cannot_start_is_not_recorded() {
    let story = file("replay-wrong", "wrong.yaml", "Name: wrong\nPack: nowhere\nSteps: [ { Advance: 1 } ]\n");
    let tape = story.replace("wrong.yaml", "wrong.ugasrec");
    let answer = ugas(["run", &story, "--record", &tape]);
    assert_eq!(answer.status, 1);
    assert!(answer.stderr.contains("nothing was recorded"), "{}", answer.stderr);
    assert!(!Path::new(&tape).exists());
}

#[test]
fn sync_test_depth_after_a_space_is_explained() {
    let answer = ugas_in(&fixtures(), ["run", "duel.yaml", "--sync-test", "3"]);
    assert_eq!(answer.status, 2);
    assert!(answer.stderr.contains("--sync-test=3"), "{}", answer.stderr);
}

/// A sparse file is quick to create, but long to read.
#[cfg(unix)]
#[test]
fn huge_files_and_devices_are_refused() {
    let folder = empty_folder("replay-huge");
    let huge = std::fs::File::create(folder.join("huge")).unwrap();
    huge.set_len(5 << 30).unwrap();
    let story = fixtures().join("duel.yaml").to_string_lossy().into_owned();
    for (path, reason) in
        [("huge", "larger than"), ("/dev/zero", "not a regular file"), (".", "not a regular file")]
    {
        for arguments in [vec!["replay", path], vec!["load", path, "--into", &story]] {
            let answer = ugas_in(&folder, &arguments);
            assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{arguments:?}");
            assert!(answer.stderr.contains(reason), "{}", answer.stderr);
        }
    }
    std::fs::remove_file(folder.join("huge")).unwrap();
}

/// The same scenario with one number changed: the commands differ only in that.
#[test]
fn differing_commands_are_distinguished() {
    let folder = recorded("replay-apart");
    let story = std::fs::read_to_string(fixtures().join("duel.yaml")).unwrap();
    let check = |from: &str, to: &str, left: &str, right: &str| {
        let changed = story.replacen(from, to, 1);
        assert_ne!(story, changed);
        std::fs::write(folder.join("apart.yaml"), changed).unwrap();
        ugas_in(&folder, ["run", "apart.yaml", "--record", "apart.ugasrec"]);
        let answer = ugas_in(&folder, ["replay", "duel.ugasrec", "--compare", "apart.ugasrec"]);
        let expected = format!("  left executes  {left}\n  right executes {right}\n");
        assert!(answer.stdout.contains(&expected), "{}", answer.stdout);
    };
    check(
        "Data.Damage: -2",
        "Data.Damage: -3",
        "apply GE_Poison from hero to wolf with Data.Damage -2",
        "apply GE_Poison from hero to wolf with Data.Damage -3",
    );
    // Commands with equal descriptions are shown from their first differing field on.
    check(
        "As: poison }",
        "Duration: 3, As: poison }",
        "apply GE_Poison from hero to wolf with Data.Damage -2: duration: None, period: None, gr…",
        "apply GE_Poison from hero to wolf with Data.Damage -2: duration: Some(3s), period: None…",
    );
}
