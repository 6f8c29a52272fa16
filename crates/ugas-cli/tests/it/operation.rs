//! Operation of `ugas serve`: configuration, signals, logs, metrics, files.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use ugas_transport::{Admission, ClientSocket, ClientState, ConnectToken, Ending, ProtocolId};

use super::online::{PATIENCE, Running, connect, short_visit, token_of};
use super::{empty_folder, file, root, ugas};

/// The body of a page, and its status.
fn get(address: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    let status = page.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
    (status, page.split_once("\r\n\r\n").map_or_else(String::new, |(_, body)| body.to_owned()))
}

/// The address of `--ops`.
pub(super) fn ops_of(server: &mut Running) -> String {
    let line = server.line_with("metrics at http://");
    line.split("http://").nth(1).unwrap().trim_end_matches("/metrics").to_owned()
}

/// Waits until a metric has a value.
#[track_caller]
pub(super) fn await_metric(ops: &str, line: &str) {
    let end = Instant::now() + PATIENCE;
    loop {
        let (_, metrics) = get(ops, "/metrics");
        if metrics.lines().any(|found| found == line) {
            return;
        }
        assert!(Instant::now() < end, "no `{line}` in:\n{metrics}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn closed_standard_output_changes_nothing() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ugas"));
    command.args(["serve", &root("packs/spells"), "--listen", "127.0.0.1:0", "--for", "300"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
        line.split([',', ' ']).find(|word| word.starts_with("127.0.0.1:")).map(str::to_owned)
    });
    drop(lines);
    // Every join and leave is a line that nobody reads any more.
    for _ in 0..2 {
        let answer = connect(address.as_deref().unwrap(), "packs/spells", &["--bot", &short_visit("closed")]);
        assert_eq!(answer.status, 0, "{}\n{}", answer.stdout, answer.stderr);
    }
    assert!(child.try_wait().unwrap().is_none(), "the server still runs");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn health_readiness_and_metrics_are_served() {
    let (mut server, address) = Running::serve("packs/spells", &["--ops", "0"]);
    let ops = ops_of(&mut server);
    assert_eq!(get(&ops, "/healthz"), (200, "ok\n".to_owned()));
    let end = Instant::now() + PATIENCE;
    while get(&ops, "/readyz").0 != 200 {
        assert!(Instant::now() < end);
    }
    let script = file(
        "ops-visit",
        "duel.yaml",
        "Steps:\n  - Activate: { Ability: GA_Fireball, Target: Self }\n  - Wait: 1\n",
    );
    let answer = connect(&address, "packs/spells", &["--bot", &script]);
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    await_metric(&ops, "ugas_joins_total 1");
    await_metric(&ops, "ugas_players 0.0");
    let (status, metrics) = get(&ops, "/metrics");
    assert_eq!(status, 200);
    for name in [
        "ugas_tick_seconds_bucket{le=\"0.016\"}",
        "ugas_commands_total{outcome=\"run\"}",
        "ugas_leaves_total{reason=\"Left\"} 1",
        "ugas_dropped_datagrams_total{reason=\"limited\"} 0",
        "ugas_kernel_drops_total 0",
        "process_resident_memory_bytes ",
        "ugas_sent_bytes_total ",
    ] {
        assert!(metrics.contains(name), "{name} is missing in:\n{metrics}");
    }
    assert_eq!(get(&ops, "/secrets").0, 404);
}

#[cfg(unix)]
#[test]
fn draining_server_lets_players_finish_and_nobody_in() {
    let (mut server, address) = Running::serve("packs/spells", &["--drain", "100", "--ops", "0"]);
    let ops = ops_of(&mut server);
    let stay = file("drain", "stay.yaml", "Steps:\n  - Wait: 4\n");
    let pack = root("packs/spells");
    let player = Running::start(["connect", &address, "--pack", &pack, "--name", "Ada", "--bot", &stay]);
    server.line_with("Ada joined as Mage");
    server.signal("-TERM");
    server.line_with("draining");
    let late = connect(&address, "packs/spells", &[]);
    assert_eq!(late.json()["reason"], "the server is about to stop: try another one, or later");
    assert_eq!(get(&ops, "/readyz").0, 503);
    assert_eq!(get(&ops, "/healthz").0, 200);
    assert_eq!(player.finish().0, 0, "the player was not disturbed");
    let (status, printed) = server.finish();
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("Ada left: it said good-bye"), "{printed}");
}

#[cfg(unix)]
#[test]
fn reload_takes_bans_and_limits_and_keeps_the_old_ones_if_the_file_is_wrong() {
    let folder = empty_folder("reload");
    let (bans, config) = (folder.join("bans.txt"), folder.join("server.toml"));
    std::fs::write(&bans, "").unwrap();
    let spells = root("packs/spells").replace('\\', "/");
    let text = |more: &str| {
        format!("pack = \"{spells}\"\nlisten = \"127.0.0.1:0\"\nfor = 300\nban-list = \"bans.txt\"\n{more}")
    };
    std::fs::write(&config, text("[limits]\nsession-timeout = 1\n")).unwrap();
    let mut server = Running::start(["serve", "--config", config.to_str().unwrap()]);
    let line = server.line_with("listening on ");
    let address = line.split([',', ' ']).find(|word| word.starts_with("127.0.0.1:")).unwrap().to_owned();
    let visit = short_visit("reload-visit");
    assert_eq!(connect(&address, "packs/spells", &["--name", "Eve", "--bot", &visit]).status, 0);

    // Killed, so that her place is kept.
    let pack = root("packs/spells");
    let away = Running::start(["connect", &address, "--pack", &pack, "--name", "Eve", "--for", "100"]);
    server.line_with("Eve joined");
    server.line_with("Eve joined");
    drop(away);
    server.line_with("Eve lost the connection");

    std::fs::write(&bans, "name Eve\n").unwrap();
    std::fs::write(&config, text("tick-rate = 30\n[limits]\nclients-per-address = 5\n")).unwrap();
    server.signal("-HUP");
    server.line_with("`tick-rate` changes at the next start");
    server.line_with("changed settings: limits.clients-per-address");
    server.line_with("the name is banned");
    let banned = connect(&address, "packs/spells", &["--name", "Eve", "--bot", &visit]);
    assert!(banned.json()["reason"].as_str().unwrap().contains("banned"), "{}", banned.stdout);

    std::fs::write(&config, text("max-clints = 5\n")).unwrap();
    server.signal("-HUP");
    let line = server.line_with("the old configuration stays");
    assert!(line.contains("error"), "{line}");
    server.line_with("did you mean `max-clients`?");
    assert_eq!(connect(&address, "packs/spells", &["--name", "Ada", "--bot", &visit]).status, 0);
}

#[test]
fn configuration_is_printed_read_and_checked() {
    let printed = ugas(["serve", "--print-config", "--max-clients", "7", "--ops", "9100"]);
    assert_eq!((printed.status, printed.stderr.as_str()), (0, ""));
    assert!(printed.stdout.contains("\nmax-clients = 7\n") && printed.stdout.contains("\nops = 9100\n"));
    let whole = file("config", "server.toml", &printed.stdout);
    // Flags take precedence over the file.
    let again = ugas(["serve", "--config", &whole, "--print-config", "--max-clients", "8"]);
    assert_eq!(again.stdout, printed.stdout.replace("max-clients = 7", "max-clients = 8"));
    let wrong = file("config-wrong", "server.toml", "pack = 5\n\n[limits]\ngrace = 9999\nrewnd = 1\n");
    let answer = ugas(["serve", "--config", &wrong]);
    assert_eq!((answer.status, answer.stdout.as_str()), (1, ""));
    for words in
        ["server.toml:1:8", "server.toml:4:9", "server.toml:5:1", "did you mean `rewind`?", "3 problems"]
    {
        assert!(answer.stderr.contains(words), "{words}: {}", answer.stderr);
    }
    let missing = ugas(["serve", "--config", "nothing.toml"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.contains("does not exist"), "{}", missing.stderr);
}

#[test]
fn json_log_has_a_reason_for_every_join_and_leave() {
    let all =
        ["serve", &root("packs/spells"), "--listen", "127.0.0.1:0", "--for", "300", "--log-format", "json"];
    let mut server = Running::start(all);
    let line = server.line_with("listening on ");
    let address = line.split([',', ' ', '"']).find(|word| word.starts_with("127.0.0.1:")).unwrap().to_owned();
    let answer = connect(&address, "packs/spells", &["--name", "Ada", "--bot", &short_visit("json-log")]);
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    let joined: Value = serde_json::from_str(&server.line_with("\"joined\"")).unwrap();
    assert_eq!(
        (&joined["level"], &joined["player"], &joined["reason"]),
        (&"INFO".into(), &"Ada".into(), &"open".into())
    );
    assert!(joined["address"].as_str().unwrap().starts_with("127.0.0.1:") && joined["timestamp"].is_string());
    let left: Value = serde_json::from_str(&server.line_with("\"left\"")).unwrap();
    assert_eq!((&left["player"], &left["reason"]), (&"Ada".into(), &"Left".into()));
}

#[test]
fn connection_without_a_hello_is_closed() {
    let config = file("no-hello", "server.toml", "[limits]\njoin-time = 0.3\n");
    let (mut server, address) = Running::serve("packs/spells", &["--config", &config, "--ops", "0"]);
    let ops = ops_of(&mut server);
    let pack = ugas_data::load(root("packs/spells")).unwrap();
    let protocol = ProtocolId::of(ugas_net::message::PROTOCOL, pack.catalog.hash());
    let admission = Admission::new(5, address.parse().unwrap());
    let mut idle =
        ClientSocket::connect(ConnectToken::without_secrets(protocol, &admission).unwrap()).unwrap();
    let end = Instant::now() + PATIENCE;
    while idle.state() != ClientState::Disconnected(Ending::ClosedByServer) {
        idle.wait(Duration::from_millis(5)).unwrap();
        idle.poll(Instant::now()).unwrap();
        assert!(Instant::now() < end, "{:?}", idle.state());
    }
    await_metric(&ops, "ugas_kicks_total{reason=\"NeverJoined\"} 1");
}

#[test]
fn names_that_look_alike_are_refused() {
    let (mut server, address) = Running::serve("packs/spells", &[]);
    let pack = root("packs/spells");
    let _first = Running::start(["connect", &address, "--pack", &pack, "--name", "Ada", "--for", "100"]);
    server.line_with("Ada joined as Mage");
    // With a Cyrillic letter.
    let alike = connect(&address, "packs/spells", &["--name", "\u{410}da"]);
    assert!(alike.json()["reason"].as_str().unwrap().contains("looks like that of another player"));
    let same = connect(&address, "packs/spells", &["--name", "Ada", "--bot", &short_visit("same-name")]);
    assert_eq!(same.status, 0, "{}", same.stderr);
    server.line_with("Ada 2 joined as Mage");
    let answer = ugas(["connect", &address, "--pack", &pack, "--name", "A\u{202e}da"]);
    assert_eq!(answer.status, 2, "{}", answer.stderr);
}

#[test]
fn keys_come_from_the_environment_and_used_tokens_are_remembered() {
    let folder = empty_folder("rotation");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (used, key) = (path("used-tokens"), path("server.key"));
    let spells = root("packs/spells");
    // A free port, which the token names, for the server and its successor.
    let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let serve = ["serve", &spells, "--listen", &port, "--for", "300", "--used-tokens", &used];
    let mut first = Running::start(serve.iter().copied().chain(["--key", &key, "--token-for", "Ada"]));
    let token = token_of(&first.line_with("ugas-token-"));
    let visit = short_visit("rotation-visit");
    let answer = connect(&token, "packs/spells", &["--bot", &visit]);
    assert_eq!(answer.status, 0, "{}\n{}", answer.stdout, answer.stderr);
    let end = Instant::now() + PATIENCE;
    while std::fs::read_to_string(&used).map_or(0, |text| text.lines().count()) == 0 {
        assert!(Instant::now() < end, "the used token is not written");
        thread::sleep(Duration::from_millis(20));
    }
    // A token of the old key, which was not used yet.
    let tokens =
        ugas(["serve", &spells, "--public", &port, "--key", &key, "--token-for", "Bea", "--only-tokens"]);
    let unused = token_of(&tokens.stdout);
    // The name of a token is one that the server accepts.
    let named =
        ["serve", &spells, "--public", &port, "--key", &key, "--only-tokens", "--token-for", "A\u{202e}da"];
    let refused = ugas(named);
    assert_ne!(refused.status, 0);
    assert!(refused.stderr.contains("1 to 32 printable characters"), "{}", refused.stderr);
    drop(first);

    // The successor has a new key and, until its tokens have expired, the old one: both from the environment.
    let old = std::fs::read_to_string(&key).unwrap();
    let new = ugas([
        "serve",
        &spells,
        "--public",
        &port,
        "--key",
        &path("new.key"),
        "--token-for",
        "Cid",
        "--only-tokens",
    ]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ugas"));
    command.args(serve).arg("--key-env").stdin(Stdio::null()).stdout(Stdio::piped());
    command.env("UGAS_SERVER_KEY", std::fs::read_to_string(path("new.key")).unwrap());
    command.env("UGAS_SERVER_KEY_OLD", old);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.by_ref().any(|line| line.contains("listening on ")));
    let again = connect(&token, "packs/spells", &["--bot", &visit]);
    assert_eq!(again.json()["reason"], "the token has been used: ask for a new one");
    for token in [unused, token_of(&new.stdout)] {
        let answer = connect(&token, "packs/spells", &["--bot", &visit]);
        assert_eq!(answer.status, 0, "{}\n{}", answer.stdout, answer.stderr);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn recordings_are_never_overwritten() {
    let folder = empty_folder("record-twice");
    let recording = folder.join("match.ugasrec");
    let spells = root("packs/spells");
    let all = [
        "serve",
        &spells,
        "--listen",
        "127.0.0.1:0",
        "--for",
        "0.2",
        "--record",
        recording.to_str().unwrap(),
    ];
    assert_eq!(ugas(all).status, 0);
    let first = std::fs::read(&recording).unwrap();
    let again = ugas(all);
    assert!(again.stdout.contains("match-2.ugasrec"), "{}", again.stdout);
    assert_eq!(std::fs::read(&recording).unwrap(), first);
    let verified = ugas(["replay", folder.join("match-2.ugasrec").to_str().unwrap(), "--verify"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn save_replaces_a_file_in_whole_and_a_cut_one_is_noticed() {
    let folder = empty_folder("whole-save");
    let saved = folder.join("wolf.yaml");
    let duel = super::fixtures().join("duel.yaml");
    let save = || {
        let all =
            ["save", duel.to_str().unwrap(), "--controller", "wolf", "--output", saved.to_str().unwrap()];
        ugas(all)
    };
    assert_eq!(save().status, 0, "{}", save().stderr);
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.ends_with("\n...\n"), "{text}");
    assert_eq!(save().status, 0);
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["wolf.yaml"], "no other file is left");
    let half = text[..text.len() / 2].rfind('\n').unwrap();
    std::fs::write(&saved, &text[..half]).unwrap();
    let load = ugas(["load", saved.to_str().unwrap(), "--into", duel.to_str().unwrap()]);
    assert_ne!(load.status, 0);
    assert!(
        load.stderr.contains("the file was cut") || load.stdout.contains("the file was cut"),
        "{}{}",
        load.stdout,
        load.stderr
    );
}
