//! `ugas inspect`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::page::Client;
use crate::{empty_folder, fixtures, ugas, ugas_in};

/// A running inspector, killed when dropped.
pub(crate) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the inspector, and reads its address.
pub(crate) fn start(arguments: &[&str]) -> (Running, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ugas"));
    command.arg("inspect").args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("inspector at http://").unwrap_or_else(|| panic!("{line}"));
    (running, address.trim_end_matches('/').to_owned())
}

fn page(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

#[test]
fn scenario_and_recording_are_served() {
    let duel = fixtures().join("duel.yaml");
    let (_running, address) = start(&[duel.to_str().unwrap(), "--port", "0"]);
    assert!(page(&address).contains("<title>UGAS inspector</title>"));
    let folder = empty_folder("inspect-recording");
    let recording = folder.join("duel.ugasrec");
    let recorded = ugas_in(&folder, ["run", duel.to_str().unwrap(), "--record", "duel.ugasrec"]);
    assert_eq!(recorded.status, 0, "{}", recorded.stderr);
    let (_running, address) = start(&[recording.to_str().unwrap(), "--port", "0", "--allow-edit"]);
    assert!(page(&address).starts_with("HTTP/1.1 200"));
}

#[test]
fn used_port_falls_back_to_a_free_one() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let duel = fixtures().join("duel.yaml");
    let (_running, address) = start(&[duel.to_str().unwrap(), "--port", &port.to_string()]);
    assert!(!address.ends_with(&format!(":{port}")), "{address}");
    assert!(page(&address).starts_with("HTTP/1.1 200"));
}

#[test]
fn public_address_requires_the_printed_token() {
    let duel = fixtures().join("duel.yaml");
    let (_running, address) = start(&[duel.to_str().unwrap(), "--listen", "0.0.0.0:0"]);
    let (address, token) = address.split_once("/#token=").unwrap_or_else(|| panic!("{address}"));
    assert_eq!(token.len(), 32);
    let local = address.replace("0.0.0.0", "127.0.0.1");
    let knock = |token: &str| {
        let mut stream = TcpStream::connect(&local).unwrap();
        write!(
            stream,
            "GET /socket{token} HTTP/1.1\r\nHost: {local}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        .unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line
    };
    assert!(knock("").starts_with("HTTP/1.1 401"), "{}", knock(""));
    assert!(knock("?token=guessed").starts_with("HTTP/1.1 401"));
    assert!(knock(&format!("?token={token}")).starts_with("HTTP/1.1 101"));
}

#[test]
fn invalid_inputs_are_reported() {
    let missing = ugas(["inspect", "nowhere.yaml"]);
    assert_eq!(missing.status, 2);
    assert!(missing.stderr.contains("nowhere.yaml"), "{}", missing.stderr);
    let duel = fixtures().join("duel.yaml");
    let screen = ugas(["inspect", duel.to_str().unwrap(), "--tui"]);
    assert_eq!(screen.status, 2);
    assert!(screen.stderr.contains("--tui needs a terminal"), "{}", screen.stderr);
    let folder = empty_folder("inspect-nothing");
    std::fs::write(folder.join("empty.yaml"), "").unwrap();
    let empty = ugas_in(&folder, ["inspect", "empty.yaml"]);
    assert_eq!(empty.status, 2);
    assert!(empty.stderr.contains("there is no scenario"), "{}", empty.stderr);
}

#[test]
fn input_is_not_overwritten() {
    let duel = fixtures().join("duel.yaml");
    let folder = empty_folder("inspect-itself");
    let recorded = ugas_in(&folder, ["run", duel.to_str().unwrap(), "--record", "duel.ugasrec"]);
    assert_eq!(recorded.status, 0, "{}", recorded.stderr);
    let before = std::fs::read(folder.join("duel.ugasrec")).unwrap();
    std::fs::hard_link(folder.join("duel.ugasrec"), folder.join("same.ugasrec")).unwrap();
    for place in ["duel.ugasrec", "./duel.ugasrec", "same.ugasrec"] {
        let answer =
            ugas_in(&folder, ["inspect", "duel.ugasrec", "--allow-edit", "--record", place, "--port", "0"]);
        assert_eq!(answer.status, 2, "{}", answer.stdout);
        assert!(answer.stderr.contains("would be overwritten"), "{}", answer.stderr);
        assert_eq!(std::fs::read(folder.join("duel.ugasrec")).unwrap(), before);
    }
}

#[test]
fn errors_name_the_expected_input() {
    let folder = empty_folder("inspect-wrong");
    let check = |path: &str, words: &str| {
        let answer = ugas_in(&folder, ["inspect", path, "--port", "0"]);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{path}");
        assert!(answer.stderr.contains(words), "{path}: {}", answer.stderr);
        assert!(answer.stderr.contains("a scenario file or a recording"), "{path}: {}", answer.stderr);
    };
    check(".", "is a folder");
    check(&crate::root("packs/spells"), "scenarios/fireball.yaml");
    check(&crate::root("packs/spells/effects.yaml"), "no scenario");
    std::fs::write(folder.join("picture.png"), [0x89, b'P', b'N', b'G', 0, 1, 2, 0xFF]).unwrap();
    check("picture.png", "picture.png");
    std::fs::write(folder.join("notes.txt"), "buy milk").unwrap();
    check("notes.txt", "notes.txt");
}

/// All moments are kept, so they are further apart in a long scenario.
#[test]
fn scenario_of_years_is_shown() {
    let folder = empty_folder("inspect-years");
    let file = folder.join("years.yaml");
    std::fs::write(&file, "Name: years\nSteps: [ Advance: 1e9 ]\n").unwrap();
    let (_running, address) = start(&[file.to_str().unwrap(), "--port", "0"]);
    let mut client = Client::open(address.parse().unwrap());
    let times = client.answer(json!({ "request": "moments" }))["times"].clone();
    let times = times.as_array().unwrap();
    assert_eq!(times.last(), Some(&json!(1e9)));
    // The beginning and 20,000 moments.
    assert_eq!(times.len(), 20_001);
}
