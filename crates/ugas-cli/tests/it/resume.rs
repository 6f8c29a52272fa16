//! `ugas connect` survives a changed address and a restart of `ugas serve`.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::online::{PATIENCE, Running};
use super::operation::{await_metric, ops_of};
use super::{file, root};

/// A relay between a client and a server, like the router of a home: the server sees the address of the
/// relay, which changes when the router is restarted.
struct Relay {
    address: SocketAddr,
    is_rebound: Arc<AtomicBool>,
    /// Number of datagrams that the client was sent.
    answers: Arc<AtomicUsize>,
    is_over: Arc<AtomicBool>,
}

impl Relay {
    fn start(server: &str) -> Self {
        let server: SocketAddr = server.parse().unwrap();
        let bind = || {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.set_nonblocking(true).unwrap();
            socket
        };
        let down = bind();
        let address = down.local_addr().unwrap();
        let (is_rebound, is_over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (rebound, over) = (Arc::clone(&is_rebound), Arc::clone(&is_over));
        let answers = Arc::new(AtomicUsize::new(0));
        let answered = Arc::clone(&answers);
        thread::spawn(move || {
            let (mut up, mut client) = (bind(), None);
            let mut buffer = [0; 2000];
            while !over.load(Ordering::Relaxed) {
                if rebound.swap(false, Ordering::Relaxed) {
                    up = bind();
                }
                let mut is_idle = true;
                while let Ok((length, from)) = down.recv_from(&mut buffer) {
                    (client, is_idle) = (Some(from), false);
                    let _ = up.send_to(&buffer[..length], server);
                }
                while let Ok((length, _)) = up.recv_from(&mut buffer) {
                    is_idle = false;
                    if let Some(client) = client {
                        let _ = down.send_to(&buffer[..length], client);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
                if is_idle {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        });
        Self { address, is_rebound, answers, is_over }
    }

    /// Sends from another address from now on; answers to the old one are lost. Waits until the client has received
    /// more than the handshake and its welcome, with the secret of its session.
    fn rebind(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.answers.load(Ordering::Relaxed) < 20 {
            assert!(Instant::now() < deadline, "the server does not answer");
            thread::sleep(Duration::from_millis(5));
        }
        self.is_rebound.store(true, Ordering::Relaxed);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

#[test]
fn session_survives_a_change_of_the_address() {
    let (mut server, address) = Running::serve("packs/spells", &["--ops", "0"]);
    let ops = ops_of(&mut server);
    let relay = Relay::start(&address);
    // The last steps come after the change, which is noticed after 3 s of silence.
    let script = file(
        "resume",
        "stay.yaml",
        "Steps:\n  - Wait: 6\n  - Activate: { Ability: GA_Fireball, Target: Self }\n  - Expect: { Last: Ok, Within: 10 }\n",
    );
    let pack = root("packs/spells");
    let (to, seconds) = (relay.address.to_string(), PATIENCE.as_secs().to_string());
    let arguments = ["connect", &to, "--pack", &pack, "--name", "Ada", "--bot", &script, "--for", &seconds];
    let player = Running::start(arguments.into_iter().chain(["--format", "json"]));
    server.line_with("Ada joined as Mage");
    relay.rebind();
    server.line_with("Ada is back from 127.0.0.1:");
    await_metric(&ops, "ugas_sessions_resumed_total 1");
    let (status, output) = player.finish();
    assert_eq!(status, 0, "{output}");
    let outcome: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&outcome["outcome"], &outcome["id"]), (&"left".into(), &1.into()), "{outcome:#}");
    assert_eq!(outcome["statistics"]["resumed"], 1);
    assert_eq!(outcome["statistics"]["confirmed"], 1);
    server.line_with("Ada left: it said good-bye");
    await_metric(&ops, "ugas_players 0.0");
    await_metric(&ops, "ugas_joins_total 1");
}

#[test]
fn player_begins_a_new_session_after_the_server_was_killed_and_restarted() {
    let (mut server, address) = Running::serve("packs/spells", &[]);
    let pack = root("packs/spells");
    let seconds = PATIENCE.as_secs().to_string();
    let mut player =
        Running::start(["connect", &address, "--pack", &pack, "--name", "Ada", "--for", &seconds]);
    server.line_with("Ada joined as Mage");
    player.line_with("you are Mage");
    drop(server); // killed
    let mut again = Running::start(["serve", &pack, "--listen", &address, "--for", &seconds]);
    player.line_with("the connection was lost: reconnecting");
    player.line_with("a new session begins: the server does not know the session any more");
    again.line_with("Ada joined as Mage");
    player.line_with("you are Mage");
}

#[test]
fn lost_connection_is_final_without_reconnecting() {
    let (mut server, address) = Running::serve("packs/spells", &["--resume-time", "0"]);
    let pack = root("packs/spells");
    let player = Running::start(["connect", &address, "--pack", &pack, "--reconnect", "0", "--for", "100"]);
    server.line_with("player joined as Mage");
    drop(server);
    let (status, output) = player.finish();
    assert_eq!(status, 1, "{output}");
}
