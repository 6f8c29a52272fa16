//! `ugas serve` and `ugas connect`, as two processes over a real socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ugas_core::command::Command;
use ugas_replay::Recording;

use super::page::Client;
use super::{Answer, empty_folder, file, root, ugas};

/// Timeout: long enough for a slow machine, but finite.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A process that is killed at the end of the test.
pub(super) struct Running {
    pub(super) child: Child,
    lines: Receiver<String>,
    seen: String,
}

impl Running {
    pub(super) fn start<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ugas"));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines, seen: String::new() }
    }

    /// A server of a pack on a free port, and its address.
    pub(super) fn serve(pack: &str, more: &[&str]) -> (Self, String) {
        let pack = root(pack);
        // A port alone means 127.0.0.1 for a server without a key.
        let listen = if more.contains(&"--key") { "127.0.0.1:0" } else { ":0" };
        let all = ["serve", &pack, "--listen", listen, "--for", "300"].into_iter();
        let mut server = Self::start(all.chain(more.iter().copied()));
        let line = server.line_with("listening on ");
        let address = line.split([',', ' ']).find(|word| word.starts_with("127.0.0.1:"));
        let address = address.unwrap_or_else(|| panic!("no address in `{line}`")).to_owned();
        (server, address)
    }

    /// The next line that contains a text.
    #[track_caller]
    pub(super) fn line_with(&mut self, words: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("no line with `{words}` in:\n{}", self.seen);
            };
            self.seen.push_str(&line);
            self.seen.push('\n');
            if line.contains(words) {
                return line;
            }
        }
    }

    #[cfg(unix)]
    pub(super) fn signal(&self, signal: &str) {
        let status =
            std::process::Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end of the process: its status and output.
    pub(super) fn finish(mut self) -> (i32, String) {
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code().unwrap_or(-1);
            }
            assert!(Instant::now() < end, "it does not end; so far:\n{}", self.seen);
            thread::sleep(Duration::from_millis(20));
        };
        while let Ok(line) = self.lines.recv_timeout(Duration::from_secs(5)) {
            self.seen.push_str(&line);
            self.seen.push('\n');
        }
        (status, std::mem::take(&mut self.seen))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn connect(server: &str, pack: &str, more: &[&str]) -> Answer {
    let pack = root(pack);
    let all = ["connect", server, "--pack", &pack, "--for", "60", "--format", "json"].into_iter();
    ugas(all.chain(more.iter().copied()))
}

/// A script that waits for its controller and leaves.
pub(super) fn short_visit(folder: &str) -> String {
    file(folder, "visit.yaml", "Steps:\n  - Expect: { Attributes: { Mana: 120 }, Within: 10 }\n")
}

// A fireball costs 50 of 120 mana, takes 1.5 s to cast and 5 s to cool down (packs/spells).
const DUEL: &str = "
Name: a fireball at the ogre
Steps:
  - Expect: { Attributes: { Mana: 120, Health: 100 }, Others: 1, Within: 10 }
  - Activate: { Ability: GA_Fireball, Target: Ogre }
  - Expect: { Attributes: { Mana: 70 }, Tags: { Has: [State.Casting, Cooldown.Ability.Fireball] }, Within: 1 }
  - Expect: { Last: Ok, Confirmed: 1, Within: 10 }
  - Activate: { Ability: GA_Fireball, Target: Ogre }
  - Expect: { Last: AlreadyActive }
  - Expect: { Tags: { HasNot: State.Casting }, Within: 10 }
  - Expect: { Attributes: { Mana: 70 }, Rejected: 0 }
  - Activate: { Ability: GA_FireballImpact, Target: Ogre }
  - Expect: { Last: NotAllowed, Rejected: 0 }
  - Wait: 0.1
";

#[test]
fn match_is_predicted_and_confirmed() {
    let (mut server, address) = Running::serve("packs/spells", &["--bots", "1", "--bot-template", "Ogre"]);
    let script = file("online-duel", "duel.yaml", DUEL);
    let answer = connect(
        &address,
        "packs/spells",
        &["--name", "Ada", "--bot", &script, "--latency", "80", "--loss", "2"],
    );
    let outcome = answer.json();
    assert_eq!((answer.status, &outcome["outcome"]), (0, &"left".into()), "{outcome:#}\n{}", answer.stderr);
    assert_eq!(outcome["id"], 1);
    assert_eq!(outcome["own"]["attributes"]["Mana"]["current"], 70.0);
    assert_eq!(outcome["own"]["template"], "Mage");
    assert_eq!(outcome["statistics"]["confirmed"], 1);
    assert!(outcome["round_trip_ms"].as_f64().is_some_and(|round_trip| round_trip >= 80.0), "{outcome:#}");
    server.line_with("Ada joined as Mage");
    server.line_with("Ada left");
}

#[test]
fn outcome_has_only_replicated_attributes() {
    let (_server, address) = Running::serve("packs/spells", &[]);
    let script = file("online-shown", "bot.yaml", "Steps:\n  - Wait: 0.5\n");
    let own = |template: &str| {
        let answer = connect(&address, "packs/spells", &["--template", template, "--bot", &script]);
        let outcome = answer.json();
        assert_eq!((answer.status, &outcome["own"]["template"]), (0, &template.into()), "{outcome:#}");
        let attributes = &outcome["own"]["attributes"];
        let names = super::keys(attributes).into_iter();
        let (withheld, shown): (Vec<_>, Vec<_>) =
            names.map(str::to_owned).partition(|name| attributes[name] == "NotReplicated");
        (shown, withheld)
    };
    let (shown, withheld) = own("Mage");
    assert_eq!(shown, ["Health", "Mana", "MaxHealth", "MaxMana"]);
    assert!(withheld.is_empty());
    // `ReplicationMode: Minimal` sends no attributes, not even to its owner (§13.2); they are named without
    // values (N1).
    let (shown, withheld) = own("Ogre");
    assert!(shown.is_empty() && withheld.contains(&"Health".to_owned()), "{withheld:?}");
}

#[test]
fn failed_expectation_is_status_one() {
    let (_server, address) = Running::serve("packs/spells", &[]);
    let script = "Steps:\n  - Wait: 0.1\n  - Expect: { Attributes: { Mana: { AtMost: 1 } }, Within: 0.1 }\n";
    let script = file("online-fails", "bot.yaml", script);
    let answer = connect(&address, "packs/spells", &["--bot", &script]);
    let outcome = answer.json();
    assert_eq!((answer.status, &outcome["outcome"]), (1, &"failed".into()), "{outcome:#}");
    let failure = &outcome["failures"][0];
    assert_eq!((&failure["step"], &failure["line"]), (&1.into(), &3.into()));
    assert_eq!(failure["message"], "`Mana` is 120, not at most 1");
}

#[test]
fn unanswered_connection_is_lost() {
    let pack = root("packs/spells");
    let answer = ugas(["connect", "127.0.0.1:1", "--pack", &pack, "--for", "0.5", "--format", "json"]);
    let outcome = answer.json();
    assert_eq!((answer.status, &outcome["outcome"]), (1, &"lost".into()), "{outcome:#}");
}

#[test]
fn other_pack_is_refused() {
    let (mut server, address) = Running::serve("packs/spells", &[]);
    let answer = connect(&address, "packs/arpg", &[]);
    let outcome = answer.json();
    assert_eq!((answer.status, &outcome["outcome"]), (1, &"refused".into()), "{outcome:#}");
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.contains("other rules") && reason.contains("packs"), "{reason}");
    // The server is open: no token is needed.
    assert!(!reason.contains("token"), "{reason}");
    let line = server.line_with("other rules");
    assert!(line.contains("127.0.0.1:") && !line.contains("token"), "{line}");
}

#[cfg(unix)]
#[test]
fn unknown_template_is_refused_with_its_name() {
    let (mut server, address) = Running::serve("packs/spells", &[]);
    let answer = connect(&address, "packs/spells", &["--template", "Mague"]);
    assert_eq!(answer.status, 1);
    let reason = "the server refused the client: there is no template `Mague`; did you mean `Mage`?";
    assert_eq!(answer.json()["reason"], reason);
    let line = server.line_with("there is no template `Mague`");
    assert!(line.contains("! refused 127.0.0.1:"), "{line}");
    // Repetitions are counted, and printed at the end at the latest.
    for _ in 0..2 {
        assert_eq!(connect(&address, "packs/spells", &["--template", "Mague"]).status, 1);
    }
    server.signal("-INT");
    let (_, printed) = server.finish();
    let lines: Vec<&str> = printed.lines().filter(|line| line.contains("`Mague`")).collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert!(lines[1].contains("(2 more times)"), "{printed}");
}

#[test]
fn keyed_server_requires_a_token() {
    let folder = empty_folder("online-keys");
    let key = folder.join("server.key");
    let (key, other) = (key.to_str().unwrap(), folder.join("other.key"));
    let (mut server, address) = Running::serve("packs/spells", &["--key", key, "--token-for", "Ada"]);
    let token = token_of(&server.line_with("Ada connects with: "));
    let visit = short_visit("online-visit");

    // Without a token, and with one of another key.
    let issued = ["serve", &root("packs/spells"), "--key", other.to_str().unwrap(), "--token-for", "Eve"];
    let issued = ugas(issued.into_iter().chain(["--only-tokens", "--public", &address]));
    assert_eq!(issued.status, 0, "{}", issued.stderr);
    let strangers =
        [(&address, "requires a token"), (&token_of(&issued.stdout), "not issued with the server's key")];
    for (stranger, words) in strangers {
        let answer = connect(stranger, "packs/spells", &["--bot", &visit]);
        let outcome = answer.json();
        assert_eq!((answer.status, &outcome["outcome"]), (1, &"refused".into()), "{outcome:#}");
        assert!(outcome["reason"].as_str().unwrap().contains(words), "{outcome:#}");
    }

    // The token's name takes precedence over the client's. The token is accepted once.
    let answer = connect(&token, "packs/spells", &["--name", "Eve", "--bot", &visit]);
    assert_eq!(answer.status, 0, "{}\n{}", answer.stdout, answer.stderr);
    server.line_with("Ada joined as Mage");
    let answer = connect(&token, "packs/spells", &["--bot", &visit]);
    assert_eq!(answer.json()["reason"], "the token has been used: ask for a new one");
}

#[test]
fn full_server_refuses() {
    let (mut server, address) = Running::serve("packs/spells", &["--max-clients", "1"]);
    let pack = root("packs/spells");
    let first = Running::start(["connect", &address, "--pack", &pack, "--name", "Ada", "--for", "100"]);
    server.line_with("Ada joined as Mage");
    let answer = connect(&address, "packs/spells", &[]);
    assert_eq!((answer.status, &answer.json()["reason"]), (1, &"the server is full: try again later".into()));
    drop(first);
}

#[cfg(unix)]
#[test]
fn server_with_several_sockets_plays() {
    let (mut server, address) = Running::serve("packs/spells", &["--sockets", "2"]);
    let answer =
        connect(&address, "packs/spells", &["--name", "Ada", "--bot", &short_visit("online-sockets")]);
    assert_eq!(answer.status, 0, "{}\n{}", answer.stdout, answer.stderr);
    server.line_with("Ada joined as Mage");
}

#[test]
fn flood_does_not_lock_out_clients() {
    let (_server, address) = Running::serve("packs/spells", &[]);
    let flooder = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // Of every kind of packet, and of unknown kinds.
            let mut kind = 0u8;
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                for _ in 0..64 {
                    kind = kind.wrapping_add(1);
                    let _ = flooder.send_to(&[kind; 300], &address);
                }
                thread::sleep(Duration::from_millis(2));
            }
        });
        let answer = connect(&address, "packs/spells", &["--bot", &short_visit("online-flood")]);
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(answer.status, 0, "{}\n{}", answer.stdout, answer.stderr);
    });
}

pub(super) fn token_of(line: &str) -> String {
    let token = line.split_whitespace().find(|word| word.starts_with("ugas-token-"));
    token.unwrap_or_else(|| panic!("no token in `{line}`")).to_owned()
}

#[cfg(unix)]
#[test]
fn signal_ends_the_server_and_disconnects_clients() {
    for signal in ["-INT", "-TERM"] {
        let (mut server, address) = Running::serve("packs/spells", &["--drain", "0.5"]);
        let pack = root("packs/spells");
        let client = ["connect", &address, "--pack", &pack, "--name", "Ada", "--format", "json"];
        let client = Running::start(client);
        server.line_with("Ada joined as Mage");
        server.signal(signal);
        let (status, printed) = server.finish();
        assert_eq!(status, 0, "{printed}");
        assert!(printed.contains("1 player joined"), "{printed}");
        let (status, printed) = client.finish();
        let outcome: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!((status, &outcome["outcome"]), (0, &"closed".into()), "{outcome:#}");
        assert_eq!(outcome["reason"], "the server is shutting down");
    }
}

#[test]
fn server_can_be_inspected() {
    let (mut server, address) = Running::serve("packs/spells", &["--inspect=127.0.0.1:0"]);
    let line = server.line_with("inspector at ");
    let inspector =
        line.trim().strip_prefix("inspector at http://127.0.0.1:").unwrap_or_else(|| panic!("{line}"));
    let inspector = format!("127.0.0.1:{}", inspector.trim_end_matches('/'));
    let mut stream = TcpStream::connect(&inspector).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {inspector}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.contains("<title>UGAS inspector</title>"), "{page}");
    // The game is not affected.
    let answer = connect(&address, "packs/spells", &["--bot", &short_visit("inspected")]);
    assert_eq!(answer.status, 0, "{}{}", answer.stdout, answer.stderr);
    // A requested port in use is an error; without one, any free port is used.
    let taken = format!("--inspect={inspector}");
    let second = ugas(["serve", &root("packs/spells"), "--listen", "127.0.0.1:0", &taken]);
    assert_eq!(second.status, 2, "{}", second.stdout);
    assert!(second.stderr.contains("cannot listen"), "{}", second.stderr);
}

/// Updates are deltas of earlier ones, so the inspector must not miss the first update to a player.
#[test]
fn traffic_is_counted_by_class() {
    let (mut server, address) = Running::serve("packs/spells", &["--inspect=127.0.0.1:0"]);
    let mut page = Client::open(inspector_of(&mut server));
    while page.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let pack = root("packs/spells");
    let stay = file(
        "online-counted",
        "stay.yaml",
        "Steps:\n  - Expect: { Attributes: { Mana: 120 }, Within: 10 }\n  - Wait: 60\n",
    );
    // Several clients, since it depends on when one joins.
    let names = ["Ada", "Bea", "Cid", "Dee", "Eve", "Fay"];
    let come = |name| {
        Running::start(["connect", &address, "--pack", &pack, "--name", name, "--for", "60", "--bot", &stay])
    };
    let _players = names.map(come);
    let counted = |page: &mut Client| {
        let answer = page.answer(json!({ "request": "network" }));
        let is_own = |class: &&Value| class["class"] == "own state";
        let own_state = |client: &Value| {
            let classes = client["receivedByClass"].as_array()?;
            classes.iter().find(is_own)?["bytes"].as_u64()
        };
        let clients = answer["clients"].as_array().cloned().unwrap_or_default();
        clients.iter().filter(|client| own_state(client) > Some(0)).count()
    };
    let end = Instant::now() + PATIENCE;
    while counted(&mut page) < names.len() {
        assert!(Instant::now() < end, "{}", page.answer(json!({ "request": "network" })));
        thread::sleep(Duration::from_millis(20));
    }
}

/// Address of the inspector of a server.
fn inspector_of(server: &mut Running) -> SocketAddr {
    let line = server.line_with("inspector at ");
    let address = line.trim().strip_prefix("inspector at http://").unwrap_or_else(|| panic!("{line}"));
    address.trim_end_matches('/').parse().unwrap()
}

/// All commands of a recording, which must be verified.
fn commands_of(file: &Path) -> Vec<Command> {
    let verified = ugas(["replay", file.to_str().unwrap(), "--verify"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    let mut recording = Recording::open(std::fs::File::open(file).unwrap()).unwrap();
    let ticks = 0..recording.ticks();
    ticks.flat_map(|tick| recording.tick(tick).unwrap().unwrap().commands).collect()
}

#[cfg(unix)]
#[test]
fn commands_of_players_and_the_page_are_recorded() {
    let recording = empty_folder("online-record").join("match.ugasrec");
    let (record, bots) =
        (["--record", recording.to_str().unwrap()], ["--bots", "1", "--bot-template", "Ogre"]);
    let inspect = ["--inspect=127.0.0.1:0", "--allow-edit"];
    let (mut server, address) = Running::serve("packs/spells", &[&record[..], &bots, &inspect].concat());
    let mut page = Client::open(inspector_of(&mut server));
    assert_eq!(page.answer(json!({ "request": "console" }))["recording"], record[1]);
    while page.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let script = file("online-record-duel", "duel.yaml", DUEL);
    let answer = connect(&address, "packs/spells", &["--name", "Ada", "--bot", &script]);
    assert_eq!(answer.status, 0, "{}{}", answer.stdout, answer.stderr);
    let ogre = page.answer(json!({ "request": "world", "template": "Ogre" }))["rows"][0]["id"].clone();
    let edit = json!({ "request": "edit", "command": "set-base", "controller": ogre, "attribute": "Health", "value": 55 });
    assert_eq!(page.answer(edit)["recording"], record[1]);
    while page.answer(json!({ "request": "console" }))["lines"][0].is_null() {}
    // A moment of the running match is exported as a scenario, which needs neither the server nor its pack.
    let export = page.answer(json!({ "request": "export" }));
    let moment = file("online-record-moment", "moment.yaml", export["text"].as_str().unwrap());
    let run = ugas(["run", &moment]);
    assert_eq!((run.status, &export["exact"]), (0, &json!(true)), "{}{}", run.stdout, run.stderr);
    server.signal("-INT");
    let (status, printed) = server.finish();
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("recorded until ") && printed.contains("match.ugasrec"), "{printed}");
    let commands = commands_of(&recording);
    let is_fireball = |command: &&Command| matches!(command, Command::FromClient { command, .. } if matches!(**command, Command::Activate { .. }));
    // The first of the two requested activations; the impact was not allowed.
    assert_eq!(commands.iter().filter(is_fireball).count(), 1);
    assert!(commands.iter().any(|command| matches!(command, Command::DefineEffect(_))), "the edit");
    let answer = ugas(["replay", record[1], "--do", "seek end; show Ogre 0"]);
    assert!(answer.stdout.contains("Ogre 0"), "{}{}", answer.stdout, answer.stderr);
    // The inspector shows it, too.
    let mut inspector = Running::start(["inspect", record[1], "--port", "0", "--no-open"]);
    let mut page = Client::open(inspector_of(&mut inspector));
    let events = page.answer(json!({ "request": "events", "search": "Inspector.SetBase.Health" }));
    assert!(!events["events"].as_array().unwrap().is_empty(), "{events}");
}

#[test]
fn recording_is_readable_however_the_server_ends() {
    let folder = empty_folder("online-record-ends");
    let record = |name: &str| folder.join(name).to_string_lossy().into_owned();
    // The server ends by --for.
    let (timely, killed) = (record("timely.ugasrec"), record("killed.ugasrec"));
    let spells = root("packs/spells");
    let all =
        ["serve", &spells, "--listen", "127.0.0.1:0", "--bots", "2", "--for", "0.5", "--record", &timely];
    let (status, printed) = Running::start(all).finish();
    assert_eq!(status, 0, "{printed}");
    assert!(commands_of(Path::new(&timely)).len() >= 2, "two bots were spawned");
    // The server is killed.
    let (server, _) = Running::serve("packs/spells", &["--bots", "2", "--record", &killed]);
    let ticks = || Recording::open(std::fs::File::open(&killed).ok()?).ok().map(|known| known.ticks());
    let end = Instant::now() + PATIENCE;
    while ticks().is_none_or(|ticks| ticks < 5) {
        assert!(Instant::now() < end, "nothing is written while it plays");
        thread::sleep(Duration::from_millis(20));
    }
    drop(server);
    assert!(commands_of(Path::new(&killed)).len() >= 2, "two bots were spawned");
    // A file of another kind is not overwritten.
    let notes = record("notes.txt");
    std::fs::write(&notes, "keep me").unwrap();
    let answer = ugas(["serve", &spells, "--listen", "127.0.0.1:0", "--for", "0", "--record", &notes]);
    assert_eq!(answer.status, 2, "{}", answer.stdout);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "keep me");
}

#[test]
fn page_shows_that_nothing_is_recorded() {
    // A port alone, without the equals sign: on 127.0.0.1, so there is no token.
    let (mut server, _) = Running::serve("packs/spells", &["--inspect", "0", "--allow-edit"]);
    let mut page = Client::open(inspector_of(&mut server));
    let answer = page.answer(json!({ "request": "console" }));
    assert!(answer["recording"].is_null(), "{answer}");
    while page.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let answer = page.answer(json!({ "request": "edit", "command": "spawn", "template": "Ogre" }));
    assert!(answer["recording"].is_null() && answer["accepted"].is_string(), "{answer}");
}

#[test]
fn server_ends_after_its_time() {
    let server = Running::start(["serve", &root("packs/arpg"), "--for", "0.5", "--tick-rate", "20"]);
    let (status, printed) = server.finish();
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("listening on 127.0.0.1:"), "{printed}");
    assert!(printed.contains("0 players joined"), "{printed}");
}

#[test]
fn missing_server_is_reported() {
    // A port that was free a moment ago, so no server listens.
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();
    drop(socket);
    let answer = connect(&address, "packs/spells", &[]);
    let outcome = answer.json();
    assert_eq!((answer.status, &outcome["outcome"]), (1, &"lost".into()), "{outcome:#}");
    assert!(outcome["reason"].as_str().unwrap().contains("does not answer"), "{outcome:#}");
}

#[test]
fn usage_errors_have_status_two() {
    let spells = root("packs/spells");
    let broken = file("online-broken", "bot.yaml", "Steps:\n  - Activate: GA_Firebell\n");
    let check = |arguments: &[&str], status: i32, words: &str| {
        let answer = ugas(arguments);
        assert_eq!(answer.status, status, "{arguments:?}\n{}", answer.stderr);
        assert!(answer.stderr.contains(words), "{arguments:?}\n{}", answer.stderr);
        assert_eq!(answer.stdout, "", "{arguments:?}");
    };
    check(&["serve", "packs/nothing"], 2, "does not exist");
    check(&["serve", &spells, "--template", "Mague"], 2, "did you mean `Mage`?");
    check(&["serve", &spells, "--listen", "0.0.0.0:0"], 2, "--key FILE");
    check(&["serve", &spells, "--listen", "99999"], 2, "a port from 0 to 65535");
    check(&["serve", &spells, "--inspect=nowhere"], 2, "a port from 0 to 65535");
    check(&["serve", &spells, "--key", "k", "--open"], 2, "cannot be used with");
    check(&["serve", &spells, "--token-for", "Ada"], 2, "--key");
    check(&["serve", &spells, "--allow-edit"], 2, "--inspect");
    check(
        &["connect", "not-a-host.invalid:1", "--pack", &spells],
        2,
        "the host name `not-a-host.invalid` cannot be resolved",
    );
    check(&["connect", "127.0.0.1:84277", "--pack", &spells], 2, "a number from 1 to 65535");
    check(&["connect", "ugas-token-1.abc", "--pack", &spells], 2, "damaged");
    check(&["connect", "127.0.0.1:1", "--pack", &spells, "--bot", &broken], 2, "bot.yaml:2:");
    check(&["connect", "127.0.0.1:1", "--pack", &spells, "--loss", "101"], 2, "from 0 to 100");
    let invalid = super::fixtures().join("broken");
    check(&["serve", invalid.to_str().unwrap()], 1, "is invalid");
}
