//! A server and a client over a lossless link, and refused calls.

mod host_callbacks;
mod resume;

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, copied, text};

const TICK: u64 = 20_000;

/// A server and a client of one context.
struct Match {
    host: Host,
    server: ugas_server,
    client: ugas_client,
    now: u64,
    server_events: Vec<ugas_server_event>,
    client_events: Vec<ugas_client_event>,
}

fn client_config(nonce: u64) -> ugas_client_config {
    ugas_client_config {
        size: size_of::<ugas_client_config>(),
        nonce,
        credential: ugas_bytes { data: null(), length: 0 },
        retry: 0,
        timeout: 0,
        window: 0,
        no_prediction: 0,
        tag_counts: 0,
        reconnect_attempts: 0,
        resume_time: 0,
        reconnect_silence: 0,
    }
}

fn server_config() -> ugas_server_config {
    // SAFETY: numbers and pointers, for which zero is a value.
    let zero: ugas_server_config = unsafe { std::mem::zeroed() };
    ugas_server_config { size: size_of::<ugas_server_config>(), tick_length: TICK as u32, ..zero }
}

impl Match {
    fn new() -> Self {
        Self::with(server_config(), client_config(7))
    }

    fn with(config: ugas_server_config, asked: ugas_client_config) -> Self {
        let host = Host::new();
        let (mut server, mut client) = (0, 0);
        // SAFETY: a live context and local variables.
        unsafe {
            host.must(ugas_server_new(host.context, host.simulation, &raw const config, &raw mut server));
            host.must(ugas_client_new(host.context, host.catalog, &raw const asked, &raw mut client));
        }
        Self { host, server, client, now: 0, server_events: Vec::new(), client_events: Vec::new() }
    }

    fn knight(&self) -> ugas_controller {
        let host = &self.host;
        let mut out = 0;
        // SAFETY: numbers and pointers, for which zero is a value.
        let mut spawn: ugas_spawn = unsafe { std::mem::zeroed() };
        (spawn.size, spawn.template_name) = (size_of::<ugas_spawn>(), text("Knight"));
        // SAFETY: a live context and local variables.
        host.must(unsafe {
            ugas_controller_spawn(host.context, self.server, &raw const spawn, &raw mut out)
        });
        out
    }

    /// Runs ticks and delivers all datagrams at once.
    fn run(&mut self, ticks: u32) {
        let context = self.host.context;
        let mut bytes = [0_u8; UGAS_MAX_DATAGRAM];
        for _ in 0..ticks {
            self.now += TICK;
            // SAFETY: a live context, and local variables that are as large as is said.
            unsafe {
                let (mut length, mut peer, pointer) = (0, 0, bytes.as_mut_ptr());
                self.host.must(ugas_client_update(context, self.client, self.now));
                while {
                    let sent =
                        ugas_client_transmit(context, self.client, pointer, bytes.len(), &raw mut length);
                    self.host.must(sent);
                    length > 0
                } {
                    let datagram = ugas_bytes { data: pointer, length };
                    self.host.must(ugas_server_receive(context, self.server, self.now, 5, datagram));
                }
                self.host.must(ugas_server_tick(context, self.server, self.now));
                while {
                    let (peer, length) = (&raw mut peer, &raw mut length);
                    let sent = ugas_server_transmit(context, self.server, peer, pointer, bytes.len(), length);
                    self.host.must(sent);
                    *length > 0
                } {
                    assert_eq!(peer, 5);
                    let datagram = ugas_bytes { data: pointer, length };
                    self.host.must(ugas_client_receive(context, self.client, self.now, datagram));
                }
            }
            self.poll();
        }
    }

    fn poll(&mut self) {
        let context = self.host.context;
        let (mut one, mut two) = (Vec::with_capacity(64), Vec::with_capacity(64));
        let mut count = 0;
        // SAFETY: there is room for as many as is said, and so many were written.
        unsafe {
            let size = size_of::<ugas_server_event>();
            let polled =
                ugas_server_events_poll(context, self.server, one.as_mut_ptr(), size, 64, &raw mut count);
            self.host.must(polled);
            one.set_len(count);
            let size = size_of::<ugas_client_event>();
            let polled =
                ugas_client_events_poll(context, self.client, two.as_mut_ptr(), size, 64, &raw mut count);
            self.host.must(polled);
            two.set_len(count);
        }
        self.server_events.extend(one);
        self.client_events.extend(two);
    }

    fn heard(&self, kind: ugas_client_event_kind) -> Option<&ugas_client_event> {
        self.client_events.iter().find(|event| event.kind == kind as u32)
    }

    fn client_id(&self) -> ugas_client_id {
        let joined =
            self.server_events.iter().find(|event| event.kind == ugas_server_event_kind::Joined as u32);
        joined.expect("the client is in").client
    }
}

#[test]
fn client_cannot_change_the_servers_game() {
    let mut game = Match::new();
    let knight = game.knight();
    game.run(10);
    let (host, client) = (&game.host, game.client_id());
    let context = host.context;
    let (mut own, mut seen, mut owner) = (0_u64, 0, 0);
    let mut count = 0;
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_server_give(context, game.server, knight, client));
        host.must(ugas_server_owner(context, game.server, knight, &raw mut owner));
        assert_eq!(owner, client);
    }
    game.run(10);
    let (host, server) = (&game.host, game.server);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_client_own_controllers(context, game.client, &raw mut own, 1, &raw mut count));
        assert_eq!(count, 1);
        host.must(ugas_client_remote(context, game.client, own, &raw mut seen));
        assert_eq!(seen, knight);
        host.must(ugas_client_local(context, game.client, knight, &raw mut seen));
        assert_eq!(seen, own);
        // A client is read like a simulation, and changed only by its server.
        let health = host.attribute("Health");
        let mut value = 0.0;
        host.must(ugas_attribute_read(context, game.client, own, health, 0, &raw mut value));
        assert_eq!(value, 100.0);
        for refused in [
            ugas_controller_despawn(context, game.client, own),
            ugas_simulation_advance(context, game.client, 1),
            ugas_simulation_advance(context, server, 1),
            ugas_batch_begin(context, game.client),
            ugas_recording_start(context, server, null()),
            ugas_simulation_reload(context, server, host.catalog, null_mut(), null_mut()),
            ugas_events_poll(context, server, null_mut(), 8, 0, &raw mut count),
        ] {
            assert_eq!(refused, ugas_status::Networked, "{}", host.error());
        }
        // Each function refuses handles of the other kind.
        for refused in [
            ugas_server_tick(context, game.client, 1),
            ugas_client_update(context, server, 1),
            ugas_server_tick(context, host.simulation, 1),
            ugas_client_leave(context, host.catalog),
            ugas_server_kick(context, 0, client),
        ] {
            assert_eq!(refused, ugas_status::BadHandle);
        }
        assert_eq!(ugas_server_give(context, server, knight, client + 1), ugas_status::NotFound);
        assert_eq!(ugas_server_give(context, server, 77, client), ugas_status::NotFound);
        assert_eq!(ugas_client_press(context, game.client, own, text("Red"), null_mut()), ugas_status::Ok);
        host.must(ugas_server_kick(context, server, client));
        assert_eq!(ugas_server_kick(context, server, client), ugas_status::NotFound);
    }
    game.run(2);
    let end = game.heard(ugas_client_event_kind::Disconnected).expect("the client was told");
    // SAFETY: that is the part of this kind.
    let session = unsafe { end.body.session };
    assert_eq!(session.reason, ugas_bye_reason::Kicked as u32);
    let host = &game.host;
    // SAFETY: a live context and local variables.
    unsafe {
        // After its end the session accepts nothing.
        assert_eq!(
            ugas_client_press(context, game.client, own, text("Red"), null_mut()),
            ugas_status::Refused
        );
        host.must(ugas_simulation_free(context, game.client));
        assert_eq!(ugas_client_update(context, game.client, 1), ugas_status::BadHandle);
    }
}

#[test]
fn withheld_value_reads_as_not_replicated() {
    let mut game = Match::new();
    let knight = game.knight();
    game.run(20);
    let context = game.host.context;
    let health = game.host.attribute("Health");
    let (mut local, mut value, mut missing, mut count) = (0_u64, 7.0, 0, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        let host = &game.host;
        host.must(ugas_client_local(context, game.client, knight, &raw mut local));
        // Others see tags and cues of a Mixed controller.
        let read = ugas_attribute_read(context, game.client, local, health, 0, &raw mut value);
        assert_eq!((read, value), (ugas_status::NotReplicated, 7.0));
        assert!(host.error().contains("`Health` is not replicated to this client"), "{}", host.error());
        host.must(ugas_attributes_read(
            context,
            game.client,
            &raw const local,
            1,
            &raw const health,
            1,
            0,
            &raw mut value,
            &raw mut missing,
        ));
        assert!(value.is_nan() && missing == 1);
        let row = size_of::<ugas_attribute_values>();
        host.must(ugas_attributes_of(context, game.client, local, null_mut(), row, 0, &raw mut count));
        assert_eq!(count, 0);
        host.must(ugas_server_give(context, game.server, knight, game.client_id()));
    }
    game.run(20);
    let shown = game.client_events.iter().filter(|event| {
        // SAFETY: that is the part of this kind.
        event.kind == ugas_client_event_kind::AttributeShown as u32
            && unsafe { event.body.attribute.attribute } == health
    });
    assert_eq!(shown.count(), 1);
    // SAFETY: a live context and local variables.
    unsafe {
        let read = ugas_attribute_read(context, game.client, local, health, 0, &raw mut value);
        assert_eq!((read, value), (ugas_status::Ok, 100.0));
    }
}

#[test]
fn datagram_that_does_not_fit_stays_queued() {
    let game = Match::new();
    let context = game.host.context;
    let mut bytes = [0_u8; UGAS_MAX_DATAGRAM];
    let mut length = 0;
    // SAFETY: a live context, and local variables that are as large as is said.
    unsafe {
        game.host.must(ugas_client_update(context, game.client, 1));
        let pointer = bytes.as_mut_ptr();
        let small = ugas_client_transmit(context, game.client, pointer, 3, &raw mut length);
        assert_eq!(small, ugas_status::BadArgument);
        let none = ugas_client_transmit(context, game.client, null_mut(), 9, &raw mut length);
        assert_eq!(none, ugas_status::NullPointer);
        game.host.must(ugas_client_transmit(context, game.client, pointer, bytes.len(), &raw mut length));
        assert!(length > 3);
        game.host.must(ugas_client_transmit(context, game.client, pointer, bytes.len(), &raw mut length));
        assert_eq!(length, 0);
        // An invalid datagram is only counted.
        let rubbish = ugas_bytes { data: bytes.as_ptr(), length: 9 };
        game.host.must(ugas_server_receive(context, game.server, 1, 9, rubbish));
        let mut counted: ugas_server_statistics = std::mem::zeroed();
        counted.size = size_of::<ugas_server_statistics>();
        game.host.must(ugas_server_look(context, game.server, &raw mut counted));
        assert_eq!((counted.received, counted.tick_length), (1, TICK as u32));
        // The tick length is validated.
        let (mut other, mut unmade) = (0, 0);
        game.host.must(ugas_simulation_new(context, game.host.catalog, null(), &raw mut other));
        let config = ugas_server_config { tick_length: 10, ..server_config() };
        let made = ugas_server_new(context, other, &raw const config, &raw mut unmade);
        assert_eq!(made, ugas_status::BadArgument);
    }
}

unsafe extern "C" fn nobody(user: *mut c_void, _: ugas_peer, _: ugas_bytes) -> u32 {
    // SAFETY: the test gave it along.
    unsafe { *user.cast::<u32>() += 1 };
    0
}

unsafe extern "C" fn freed(user: *mut c_void) {
    // SAFETY: the test gave it along.
    unsafe { *user.cast::<u32>() += 100 };
}

#[test]
fn admit_callback_decides_who_may_connect() {
    let mut asked = 0_u32;
    let host = ugas_server_host {
        size: size_of::<ugas_server_host>(),
        admit: Some(nobody),
        classify: None,
        reaches: None,
        may_choose: None,
        rejected: None,
        user: (&raw mut asked).cast(),
        free: Some(freed),
    };
    let config = ugas_server_config { host: &raw const host, ..server_config() };
    let mut game = Match::with(config, client_config(7));
    game.run(1);
    let refused = game.heard(ugas_client_event_kind::Refused).expect("the client was told");
    // SAFETY: that is the part of this kind.
    let session = unsafe { refused.body.session };
    assert_eq!(session.reason, ugas_refused_reason::Denied as u32);
    assert_eq!(copied(session.words), "the server refused the client: denied by the host");
    drop(game);
    assert_eq!(asked, 101);
}
