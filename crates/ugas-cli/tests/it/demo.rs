//! `ugas demo` without a screen.

use std::net::TcpListener;

use super::{keys, ugas};

fn demo(arguments: &[&str]) -> super::Answer {
    let answer = ugas([&["demo"], arguments].concat());
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    // One line at the start, on standard error, and one about the missing terminal; none with JSON.
    let lines: Vec<&str> = answer.stderr.lines().collect();
    match arguments.contains(&"json") {
        true => assert!(lines.is_empty(), "{lines:?}"),
        false => assert!(
            lines[0].starts_with("starting: a server and two clients")
                && lines[1..].iter().all(|line| line.starts_with("no terminal: a summary only")),
            "{lines:?}"
        ),
    }
    answer
}

fn hash(text: &str) -> &str {
    let line = text.lines().find(|line| line.starts_with("state hash ")).unwrap_or_else(|| panic!("{text}"));
    line.split_whitespace().nth(2).unwrap()
}

#[test]
fn same_seed_and_time_give_the_same_hash() {
    let first = demo(&["--headless", "--for", "3"]);
    let hash_of = |arguments: &[&str]| hash(&demo(arguments).stdout).to_owned();
    assert_eq!(hash(&first.stdout).len(), 16);
    for name in ["Ember", "Rook", "Iris", "Bram", "client 1", "client 2"] {
        assert!(first.stdout.contains(name), "{}", first.stdout);
    }
    // Without a terminal there is no screen anyway.
    assert_eq!(hash(&first.stdout), hash_of(&["--for", "3"]));
    assert_ne!(hash(&first.stdout), hash_of(&["--for", "3", "--seed", "8"]));
    assert_ne!(hash(&first.stdout), hash_of(&["--for", "3", "--link", "lan"]));
}

#[test]
fn json_summary_is_one_document() {
    let document = demo(&["--headless", "--for", "3", "--format", "json"]).json();
    assert_eq!(
        keys(&document),
        ["clients", "events", "hash", "heroes", "link", "minions", "score", "seconds", "seed", "ticks"]
    );
    assert_eq!(document["hash"].as_str(), Some(hash(&demo(&["--for", "3"]).stdout)));
    let clients = document["clients"].as_array().unwrap();
    assert_eq!(clients.len(), 2);
    for client in clients {
        assert_eq!(client["playing"], true);
        assert!(client["confirmed"].as_u64().unwrap() > 0, "{client}");
        // The bad link has 100 ms there and 100 ms back.
        assert!(client["round_trip_ms"].as_f64().unwrap() >= 200.0, "{client}");
    }
    assert_eq!(document["heroes"].as_array().unwrap().len(), 4);
}

#[test]
fn used_port_falls_back_to_a_free_one() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let answer = demo(&["--headless", "--real-time", "--for", "0.3", "--port", &port]);
    let address =
        answer.stdout.lines().next().and_then(|line| line.strip_prefix("inspector at http://127.0.0.1:"));
    let free = address.unwrap_or_else(|| panic!("{}", answer.stdout)).trim_end_matches('/');
    assert_ne!(free, port);
    // Real time and the inspector do not change the match.
    let fast = demo(&["--headless", "--for", "0.3", "--no-inspect"]);
    assert_eq!(hash(&answer.stdout), hash(&fast.stdout));
}

#[test]
fn match_of_zero_seconds_ends_at_once() {
    demo(&["--headless", "--for", "0"]);
}

#[test]
fn usage_errors_are_explained() {
    let check = |arguments: &[&str], expected: &str| {
        let answer = ugas(arguments);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""));
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    };
    check(&["demo", "--for", "-1"], "must be from 0 to 86400");
    check(&["demo", "--for", "soon"], "is not a number");
    check(&["demo", "--link", "good"], "terrible");
}
