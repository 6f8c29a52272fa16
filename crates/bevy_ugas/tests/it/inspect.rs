//! The inspector is a plugin.

use std::io::{Read, Write};
use std::net::TcpStream;

use bevy_ugas::inspect::{GameInspector, UgasInspectPlugin};

use crate::fixture::*;

#[test]
fn inspect_plugin_serves_the_page() {
    let mut app = app();
    app.add_plugins(UgasInspectPlugin::at("127.0.0.1:0"));
    let wolf = spawn(&mut app, "Wolf");
    run(&mut app, 0.1);
    let address = app.world().resource::<GameInspector>().0.address();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    run(&mut app, 0.1);
    assert!(game(&mut app).controller(wolf).is_some());
}
