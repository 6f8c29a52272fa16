//! A client whose link dies reconnects and goes on with the same entities.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ugas::net::protocol::reconnect::{ConnectionState, ReconnectConfig};
use bevy_ugas::net::transport::memory::{MemoryClient, MemoryPort};
use bevy_ugas::net::transport::{ClientState, ClientTransport, SendError};
use bevy_ugas::net::{
    ClientEndpoint, ClientInterrupted, ClientLeft, ClientResumed, ServerConnection, ServerConnectionChanged,
    ServerJoined, ServerLost, SessionRestarted, UgasClient, UgasClientPlugin,
};

use crate::fixture::*;
use crate::net::{app_over, play, seen, server};

/// A link that dies when the test says so, and works again over the next connection.
struct Fragile {
    inner: MemoryClient,
    /// Where the next connection goes: another server after a restart.
    next: Option<MemoryPort>,
    is_dead: Arc<AtomicBool>,
}

impl ClientTransport for Fragile {
    fn poll(&mut self, now: Instant) -> io::Result<()> {
        self.inner.poll(now)
    }

    fn next_datagram(&mut self) -> Option<&[u8]> {
        if self.is_dead.load(Ordering::Relaxed) {
            while self.inner.next_datagram().is_some() {}
            return None;
        }
        self.inner.next_datagram()
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        if self.is_dead.load(Ordering::Relaxed) { Ok(()) } else { self.inner.send(bytes) }
    }

    fn state(&self) -> ClientState {
        self.inner.state()
    }

    fn disconnect(&mut self) {
        self.inner.disconnect();
    }

    fn reconnect(&mut self, secret: Option<[u8; 32]>) -> io::Result<()> {
        assert!(secret.is_some(), "the server gave one");
        self.is_dead.store(false, Ordering::Relaxed);
        match self.next.take() {
            Some(port) => self.inner = port.connect(1, &[]),
            None => self.inner.reconnect(secret)?,
        }
        Ok(())
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        self.inner.wait(timeout)
    }
}

/// A client over a fragile link, and the switch that kills it.
fn client(port: &MemoryPort, next: Option<MemoryPort>) -> (App, Arc<AtomicBool>, Notes) {
    let is_dead = Arc::new(AtomicBool::new(false));
    let link = Fragile { inner: port.connect(1, &[]), next, is_dead: Arc::clone(&is_dead) };
    let mut app = app_over(UgasClientPlugin::new(ClientEndpoint::Custom(Box::new(link)), 1));
    let notes = Notes::default();
    app.insert_resource(notes.clone());
    app.add_observer(|change: On<'_, '_, ServerConnectionChanged>, notes: Res<'_, Notes>| {
        notes.note(match &change.0 {
            ConnectionState::Reconnecting { attempt, .. } => format!("attempt {attempt}"),
            state => format!("{state:?}"),
        });
    });
    app.add_observer(|_: On<'_, '_, ServerJoined>, notes: Res<'_, Notes>| notes.note("joined"));
    app.add_observer(|_: On<'_, '_, SessionRestarted>, notes: Res<'_, Notes>| notes.note("restarted"));
    app.add_observer(|lost: On<'_, '_, ServerLost>, notes: Res<'_, Notes>| notes.note(lost.describe()));
    (app, is_dead, notes)
}

#[test]
fn dead_link_is_reconnected_and_entities_stay() {
    let (mut server, port) = server();
    let sessions = Notes::default();
    server.insert_resource(sessions.clone());
    server.add_observer(|_: On<'_, '_, ClientInterrupted>, notes: Res<'_, Notes>| notes.note("interrupted"));
    server.add_observer(|_: On<'_, '_, ClientResumed>, notes: Res<'_, Notes>| notes.note("resumed"));
    server.add_observer(|_: On<'_, '_, ClientLeft>, notes: Res<'_, Notes>| notes.note("left"));
    let (mut ada, is_dead, notes) = client(&port, None);
    play(&mut server, &mut [&mut ada], 90);
    assert_eq!(notes.take(), ["Connected", "joined"]);
    let own = seen(&mut ada, true);
    assert_eq!(own.len(), 1);
    is_dead.store(true, Ordering::Relaxed);
    // 3 s of silence and at most 0.25 s of delay are 195 steps.
    play(&mut server, &mut [&mut ada], 300);
    assert_eq!(notes.take(), ["attempt 1", "Connected"]);
    assert_eq!(sessions.take(), ["interrupted", "resumed"]);
    assert_eq!(ada.world().resource::<ServerConnection>().0, ConnectionState::Connected);
    let status = *ada.world().resource::<UgasClient>();
    assert!(status.is_playing && status.statistics.resumed == 1);
    assert_eq!(seen(&mut ada, true), own);
    // It plays on: the cost of 20 mana is predicted, and confirmed.
    game(&mut ada).activate_on(own[0], "GA_Zap", own[0]).unwrap();
    play(&mut server, &mut [&mut ada], 30);
    assert_eq!(ada.world().resource::<UgasClient>().statistics.confirmed, 1);
}

#[test]
fn restarted_server_gives_a_new_session_with_new_entities() {
    let (mut first, port) = server();
    let (mut second, next) = server();
    let (mut ada, is_dead, notes) = client(&port, Some(next));
    play(&mut first, &mut [&mut ada], 90);
    let old = seen(&mut ada, true);
    notes.take();
    is_dead.store(true, Ordering::Relaxed);
    drop(first);
    play(&mut second, &mut [&mut ada], 400);
    assert_eq!(notes.take(), ["attempt 1", "restarted", "Connected", "joined"]);
    let new = seen(&mut ada, true);
    assert_eq!(new.len(), 1);
    assert!(new != old && ada.world().get_entity(old[0]).is_err());
}

#[test]
fn client_that_may_not_reconnect_reports_the_loss_at_once() {
    let (mut server, port) = server();
    let reconnect = ReconnectConfig { attempts: 0, ..ReconnectConfig::default() };
    let plugin = UgasClientPlugin::new(ClientEndpoint::Memory(port, 1), 1).with_reconnect(reconnect);
    let mut ada = app_over(plugin);
    let notes = Notes::default();
    ada.insert_resource(notes.clone());
    ada.add_observer(|lost: On<'_, '_, ServerLost>, notes: Res<'_, Notes>| notes.note(lost.describe()));
    play(&mut server, &mut [&mut ada], 90);
    drop(server);
    ada.update();
    ada.update();
    assert_eq!(notes.take(), ["the server closed the connection"]);
}
