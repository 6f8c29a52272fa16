//! Access control, limits and invalid requests.

use serde_json::json;
use ugas_inspect::{Inspector, ServeError, Settings};

use crate::client::{Client, get, request};
use crate::game;

#[test]
fn foreign_origins_are_refused() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let address = inspector.address();
    let own = format!("http://{address}");
    let open = |origin: &str| Client::try_open(address, "/socket", &[("Origin", origin)]).map(drop);
    assert_eq!(open(&own), Ok(()));
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "", &format!("{own}.evil.example")] {
        assert_eq!(open(origin), Err(403), "{origin}");
    }
    let settings = Settings::default().admit_origin("http://localhost:8000");
    let inspector = Inspector::serve_with("127.0.0.1:0", settings).unwrap();
    let origin = [("Origin", "http://localhost:8000")];
    assert!(Client::try_open(inspector.address(), "/socket", &origin).is_ok());
}

#[test]
fn foreign_hosts_are_refused() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let address = inspector.address();
    // DNS rebinding: a foreign name that resolves to this machine.
    let rebound = [("Host", "evil.example"), ("Origin", "http://evil.example")];
    assert_eq!(Client::try_open(address, "/socket", &rebound).map(drop), Err(403));
    let (status, _) = request(address, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert_eq!(status, 403);
    let port = address.port();
    let named = [("Host", format!("localhost:{port}")), ("Origin", format!("http://localhost:{port}"))];
    let named = named.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert!(Client::try_open(address, "/socket", &named).is_ok());
}

#[test]
fn non_loopback_address_needs_a_token() {
    assert!(matches!(Inspector::serve("0.0.0.0:0"), Err(ServeError::NotLoopback(_))));
    let inspector = Inspector::serve_with("0.0.0.0:0", Settings::default().beyond_loopback()).unwrap();
    let token = inspector.url().split_once("#token=").unwrap().1.to_owned();
    assert_eq!(token.len(), 32);
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], inspector.address().port()));
    let open = |path: &str| Client::try_open(address, path, &[]).map(drop);
    assert_eq!(open("/socket"), Err(401));
    assert_eq!(open("/socket?token="), Err(401));
    assert_eq!(open(&format!("/socket?token={}x", &token[..31])), Err(401));
    assert_eq!(open(&format!("/socket?token={token}")), Ok(()));
    // The token never shows in logs.
    assert!(!format!("{inspector:?}").contains(&token));
}

#[test]
fn configured_token_is_required_on_loopback() {
    let inspector = Inspector::serve_with("127.0.0.1:0", Settings::default().token("sesame")).unwrap();
    assert!(inspector.url().ends_with("/#token=sesame"));
    assert_eq!(Client::try_open(inspector.address(), "/socket", &[]).map(drop), Err(401));
    assert!(Client::try_open(inspector.address(), "/socket?token=sesame", &[]).is_ok());
}

#[test]
fn tokens_are_percent_encoded_and_empty_token_counts_as_none() {
    // Percent-encoded, as the page sends it.
    let settings = Settings::default().token("a b&c#ü%41");
    let inspector = Inspector::serve_with("127.0.0.1:0", settings).unwrap();
    let encoded = "a%20b%26c%23%C3%BC%2541";
    assert!(inspector.url().ends_with(&format!("/#token={encoded}")), "{}", inspector.url());
    let open =
        |token: &str| Client::try_open(inspector.address(), &format!("/socket?token={token}"), &[]).map(drop);
    assert_eq!(open(encoded), Ok(()));
    assert_eq!(open("a%20b%26c%23%C3%BCA"), Err(401));
    assert_eq!(open("%"), Err(401));
    assert_eq!(open("a%2"), Err(401));
    // An empty token would admit everybody.
    let settings = Settings::default().beyond_loopback().token("");
    let inspector = Inspector::serve_with("0.0.0.0:0", settings).unwrap();
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], inspector.address().port()));
    assert_eq!(Client::try_open(address, "/socket", &[]).map(drop), Err(401));
    assert_eq!(Client::try_open(address, "/socket?token=", &[]).map(drop), Err(401));
}

#[test]
fn too_long_message_closes_the_connection() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let mut client = Client::open(inspector.address());
    let _ = client.try_send(&format!("{{\"request\":\"hello\",\"x\":\"{}\"}}", "x".repeat(1 << 20)));
    while let Some(message) = client.receive() {
        assert!(message["answer"].is_null(), "it was read: {message}");
    }
    // Others are not disturbed.
    Client::open(inspector.address()).answer(json!({ "request": "hello" }));
}

#[test]
fn invalid_requests_are_answered_with_errors() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let mut client = Client::open(inspector.address());
    client.answer(json!({ "request": "hello" }));
    assert_eq!(client.error(json!({ "request": "world" })), "not-there");
    inspector.observe(&game().0);
    while client.answer(json!({ "request": "hello" }))["head"]["moments"] == 0 {}
    let long = "x".repeat(300);
    for wrong in [
        json!({}),
        json!({ "request": 7 }),
        json!({ "request": "dance" }),
        json!({ "request": long }),
        json!({ "request": "explain" }),
        json!({ "request": "explain", "controller": "4294967296", "attribute": "Luck" }),
        json!({ "request": "controller", "controller": "x" }),
        json!({ "request": "controller", "controller": "0" }),
        json!({ "request": "events", "controllers": [1] }),
        json!({ "request": "events", "controllers": "all" }),
        json!({ "request": "world", "at": 1.5 }),
        json!({ "request": "chain" }),
        json!({ "request": "checks", "ability": "1" }),
    ] {
        assert_eq!(client.error(wrong.clone()), "bad-request", "{wrong}");
    }
    for gone in [
        json!({ "request": "controller", "controller": "98784247808" }),
        json!({ "request": "checks", "ability": "98784247808" }),
        json!({ "request": "chain", "sequence": 999_999 }),
        json!({ "request": "world", "at": u64::MAX }),
    ] {
        assert_eq!(client.error(gone.clone()), "not-there", "{gone}");
    }
    for text in ["", "[]", "7", "nonsense", "{\"request\":"] {
        client.send(text);
        while client.receive().expect("the connection stays")["error"]["code"] != "bad-request" {}
    }
}

#[test]
fn no_path_leads_to_other_files() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    for path in [
        "/../Cargo.toml",
        "/../../../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/./app.js",
        "/app.js/",
        "/app.js%00",
        "/index.html",
        "/socket/..",
        "/style.css/../app.js",
    ] {
        let (status, text) = get(inspector.address(), path);
        assert!(status == 404 || status == 400, "{path}: {status}");
        assert!(!text.contains("root:") && !text.contains("[package]"), "{path}");
    }
    assert_eq!(get(inspector.address(), "/app.js").0, 200);
    let address = inspector.address();
    let post =
        format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    assert_eq!(request(address, &post).0, 405);
}

#[test]
fn number_of_connections_is_limited() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let clients: Vec<Client> = (0..16).map(|_| Client::open(inspector.address())).collect();
    assert_eq!(Client::try_open(inspector.address(), "/socket", &[]).map(drop), Err(503));
    drop(clients);
}

#[test]
fn client_that_never_reads_does_not_slow_the_game() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let (mut simulation, _) = game();
    // It sends requests and never reads an answer.
    let mut deaf = Client::open(inspector.address());
    deaf.answer(json!({ "request": "hello" }));
    for _ in 0..2_000 {
        deaf.send("{\"request\":\"world\"}");
    }
    let began = std::time::Instant::now();
    for _ in 0..2_000 {
        simulation.advance(ugas_core::time::Span::from_micros(16_667));
        inspector.observe(&simulation);
        simulation.events().for_each(drop);
    }
    let each = began.elapsed().as_micros() / 2_000;
    // A frame lasts 16 000 µs; this machine may be busy.
    assert!(each < 8_000, "{each} µs");
    // Other clients are served.
    Client::open(inspector.address()).answer(json!({ "request": "hello" }));
}

#[test]
fn silent_connections_are_closed() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    let watching = Client::open(inspector.address());
    // More than the limit, each with half a request.
    let silent = (0..100).map(|_| {
        let mut stream = std::net::TcpStream::connect(inspector.address()).unwrap();
        std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: 127").unwrap();
        stream
    });
    let silent: Vec<_> = silent.collect();
    let mut first = &silent[0];
    first.set_read_timeout(Some(std::time::Duration::from_secs(40))).unwrap();
    let mut answer = Vec::new();
    // Closed by the inspector, with or without a response.
    let ended = std::io::Read::read_to_end(&mut first, &mut answer);
    let is_waiting = ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    assert!(!is_waiting, "it was left to wait");
    // The watcher stays connected, and a new client is accepted.
    let mut watching = watching;
    watching.answer(json!({ "request": "hello" }));
    Client::open(inspector.address()).answer(json!({ "request": "hello" }));
}

#[test]
fn vanished_client_is_disconnected_after_a_timeout() {
    let inspector = Inspector::serve("127.0.0.1:0").unwrap();
    // The client does not answer pings, like a suspended machine.
    let mut gone = Client::open(inspector.address());
    gone.answer(json!({ "request": "hello" }));
    let began = std::time::Instant::now();
    while gone.receive().is_some() {}
    // 15 s, and up to 5 s until that is noticed; this machine may be busy.
    let after = began.elapsed().as_secs();
    assert!((10..50).contains(&after), "after {after} s");
    while inspector.is_watched() {
        std::thread::sleep(std::time::Duration::from_millis(10));
        assert!(began.elapsed().as_secs() < 50, "its place is taken");
    }
}
