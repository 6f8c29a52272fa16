//! Playback of recordings, and migration of saved games.

use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, PACK, add_slash, body, copied, knight, slash, text, zeroed_apply};

/// Three ticks of a second: a slash of 20 in the first, thunder of 10 in each of the others. The names of
/// both knights are noted.
fn recorded(host: &Host, settings: *const ugas_recording_settings) -> (Vec<u8>, [ugas_controller; 2], u64) {
    let (context, sim) = (host.context, host.simulation);
    let (mut bytes, mut hash) = (ugas_bytes { data: null(), length: 0 }, 0);
    // SAFETY: a live context and local variables; what is lent is copied.
    unsafe {
        host.must(ugas_recording_start(context, sim, settings));
        let (one, other) = (host.spawn(), host.spawn());
        host.must(ugas_recording_name(context, sim, one, text("Ann")));
        host.must(ugas_recording_name(context, sim, other, text("Bea")));
        for effect in ["GE_Slash", "GE_Thunder", "GE_Thunder"] {
            host.must(host.apply(effect, one, other));
            host.must(ugas_simulation_advance(context, sim, 1_000_000));
        }
        host.must(ugas_simulation_hash(context, sim, &raw mut hash));
        host.must(ugas_recording_finish(context, sim, &raw mut bytes));
        (std::slice::from_raw_parts(bytes.data, bytes.length).to_vec(), [one, other], hash)
    }
}

fn lent(bytes: &[u8]) -> ugas_bytes {
    ugas_bytes { data: bytes.as_ptr(), length: bytes.len() }
}

fn position(host: &Host, player: ugas_player) -> ugas_player_position {
    // SAFETY: numbers, for which zero is a value; then a live context and a local variable.
    unsafe {
        let mut position: ugas_player_position = std::mem::zeroed();
        position.size = size_of::<ugas_player_position>();
        host.must(ugas_player_look(host.context, player, &raw mut position));
        position
    }
}

fn health(host: &Host, game: ugas_simulation, whose: ugas_controller) -> f64 {
    let mut out = 0.0;
    // SAFETY: a live context and a local variable.
    host.must(unsafe {
        ugas_attribute_read(host.context, game, whose, host.attribute("Health"), 0, &raw mut out)
    });
    out
}

#[test]
fn player_seeks_to_any_moment() {
    let host = Host::new();
    let (bytes, [one, other], hash) = recorded(&host, null());
    let (context, mut player, mut moved) = (host.context, 0, 9);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_player_new(context, host.catalog, lent(&bytes), 0, &raw mut player));
        let begin = position(&host, player);
        assert_eq!((begin.tick, begin.tick_count, begin.time, begin.end), (0, 3, 0, 3_000_000));
        assert_eq!((begin.agreement, begin.is_at_end, begin.is_complete), (0, 0, 1));
        host.must(ugas_player_step(context, player, &raw mut moved));
        assert_eq!((moved, position(&host, player).agreement), (1, ugas_agreement::Same as u32));
        assert_eq!(health(&host, player, other), 80.0);
        host.must(ugas_player_seek_tick(context, player, u64::MAX));
        let end = position(&host, player);
        assert_eq!((end.tick, end.time, end.is_at_end), (3, 3_000_000, 1));
        assert_eq!(health(&host, player, other), 60.0);
        let mut played = 0;
        host.must(ugas_simulation_hash(context, player, &raw mut played));
        assert_eq!(played, hash);
        host.must(ugas_player_step(context, player, &raw mut moved));
        assert_eq!(moved, 0);
        host.must(ugas_player_back(context, player, &raw mut moved));
        assert_eq!((moved, health(&host, player, other)), (1, 70.0));
        // Half a second into the third tick the thunder of its beginning has come, and no hash is known.
        host.must(ugas_player_seek_time(context, player, 2_500_000));
        let inside = position(&host, player);
        assert_eq!((inside.tick, inside.time, inside.command), (2, 2_500_000, 1));
        assert_eq!((inside.agreement, health(&host, player, other)), (0, 60.0));
        host.must(ugas_player_seek_tick(context, player, 0));
        host.must(ugas_player_back(context, player, &raw mut moved));
        assert_eq!(moved, 0);
        // Names are those of the recording.
        let (mut found, mut name) = (0, text(""));
        host.must(ugas_player_controller(context, player, text("Bea"), &raw mut found));
        host.must(ugas_player_name(context, player, one, &raw mut name));
        assert_eq!((found, copied(name).as_str()), (other, "Ann"));
        let nobody = ugas_player_controller(context, player, text("Cid"), &raw mut found);
        assert_eq!(nobody, ugas_status::NotFound);
        assert_eq!(ugas_player_name(context, player, 77, &raw mut name), ugas_status::NotFound);
        host.must(ugas_simulation_free(context, player));
        assert_eq!(ugas_player_step(context, player, null_mut()), ugas_status::BadHandle);
        assert_eq!(ugas_player_step(context, host.simulation, null_mut()), ugas_status::BadHandle);
    }
}

#[test]
fn events_of_a_player_movement_are_polled() {
    let host = Host::new();
    let (bytes, [_, other], _) = recorded(&host, null());
    let (mut player, mut count) = (0, 0);
    // SAFETY: a live context and local variables; there is room for as many as is said.
    unsafe {
        host.must(ugas_player_new(host.context, host.catalog, lent(&bytes), 0, &raw mut player));
        host.must(ugas_player_seek_tick(host.context, player, 1));
        host.must(ugas_player_step(host.context, player, null_mut()));
        host.must(ugas_events_pending(host.context, player, &raw mut count, null_mut()));
        let waiting = count;
        let mut events: Vec<ugas_event> = Vec::with_capacity(64);
        let (out, size) = (events.as_mut_ptr(), size_of::<ugas_event>());
        host.must(ugas_events_poll(host.context, player, out, size, 64, &raw mut count));
        events.set_len(count);
        assert_eq!(waiting, count);
        let changed: Vec<_> =
            events.iter().filter(|event| event.kind == ugas_event_kind::AttributeChanged as u32).collect();
        assert_eq!(changed.len(), 1, "one thunder");
        let values = changed[0].body.attribute;
        assert_eq!((changed[0].controller, values.old_value, values.new_value), (other, 80.0, 70.0));
        let mut words = text("");
        host.must(ugas_event_text(host.context, player, changed[0].index, &raw mut words));
        assert!(copied(words).contains("Health"));
        host.must(ugas_events_poll(host.context, player, out, size, 64, &raw mut count));
        assert_eq!(count, 0);
    }
}

#[test]
fn played_recording_is_read_only_but_can_be_snapshotted() {
    let host = Host::new();
    let (bytes, [one, other], _) = recorded(&host, null());
    let (context, mut player) = (host.context, 0);
    let apply = ugas_apply { effect: host.effect("GE_Thunder"), source: one, ..zeroed_apply() };
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_player_new(context, host.catalog, lent(&bytes), 0, &raw mut player));
        host.must(ugas_player_seek_tick(context, player, 1));
        let (mut snapshot, mut server) = (0, 0);
        host.must(ugas_snapshot_take(context, player, &raw mut snapshot));
        let refused = [
            ugas_simulation_advance(context, player, 1),
            ugas_effect_apply(context, player, &raw const apply, other, null_mut(), null_mut()),
            ugas_batch_begin(context, player),
            ugas_snapshot_restore(context, player, snapshot),
            ugas_simulation_reload(context, player, host.catalog, null_mut(), null_mut()),
            ugas_simulation_migrate(context, player, lent(&bytes), null_mut(), null_mut()),
            ugas_recording_start(context, player, null()),
            ugas_server_new(context, player, null(), &raw mut server),
        ];
        assert_eq!(refused, [ugas_status::Recording; 8]);
        assert_eq!(ugas_server_tick(context, player, 0), ugas_status::BadHandle);
        assert_eq!(ugas_client_update(context, player, 0), ugas_status::BadHandle);
        // From there the simulation continues differently.
        host.must(ugas_snapshot_restore(context, host.simulation, snapshot));
        assert_eq!(host.current(other, "Health"), 80.0);
        host.must(host.apply("GE_Thunder", one, other));
        assert_eq!((host.current(other, "Health"), health(&host, player, other)), (70.0, 80.0));
    }
}

/// A pack without native code.
const PLAIN: &str = concat!(
    body!(),
    knight!(),
    "$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Bleed
DurationPolicy: Infinite
Period: { Period: 1.0, ExecuteOnApplication: false }
Modifiers: [{ Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: -1.0 } }]
"
);

fn plain(pack: &str) -> Host {
    Host::prepared(pack, |_, _| ugas_status::Ok)
}

#[test]
fn recording_contains_its_rules() {
    let host = plain(PLAIN);
    let (context, mut bytes) = (host.context, ugas_bytes { data: null(), length: 0 });
    let (mut player, mut catalog, mut id, mut value) = (0, 0, 9, 0.0);
    // SAFETY: a live context and local variables; what is lent may be given to the next call.
    unsafe {
        host.must(ugas_recording_start(context, host.simulation, null()));
        let knight = host.spawn();
        host.must(host.apply("GE_Bleed", 0, knight));
        host.must(ugas_simulation_advance(context, host.simulation, 10_000_000));
        host.must(ugas_recording_finish(context, host.simulation, &raw mut bytes));
        host.must(ugas_player_new(context, 0, bytes, 0, &raw mut player));
        host.must(ugas_catalog_of(context, player, &raw mut catalog));
        host.must(ugas_catalog_attribute(context, catalog, text("Health"), &raw mut id));
        host.must(ugas_player_seek_time(context, player, 4_200_000));
        host.must(ugas_attribute_read(context, player, knight, id, 0, &raw mut value));
        assert_eq!(value, 96.0); // four ticks of 1
        host.must(ugas_catalog_free(context, catalog));
        host.must(ugas_attribute_read(context, player, knight, id, 0, &raw mut value));
        assert_eq!(ugas_catalog_of(context, host.catalog, &raw mut catalog), ugas_status::BadHandle);
    }
}

#[test]
fn recording_of_other_rules_and_invalid_bytes_have_different_statuses() {
    let settings =
        ugas_recording_settings { size: size_of::<ugas_recording_settings>(), key_every: 0, omit_rules: 1 };
    let host = Host::new();
    let (bytes, ..) = recorded(&host, &raw const settings);
    let other = plain(PLAIN);
    let mut player = 7;
    // SAFETY: live contexts and local variables.
    unsafe {
        let new = |host: &Host, catalog, bytes: &[u8], out| {
            ugas_player_new(host.context, catalog, lent(bytes), 0, out)
        };
        assert_eq!(new(&host, 0, &bytes, &raw mut player), ugas_status::OtherRules);
        assert_eq!(new(&other, other.catalog, &bytes, &raw mut player), ugas_status::OtherRules);
        assert_eq!(new(&host, host.catalog, &bytes[..9], &raw mut player), ugas_status::BadBytes);
        assert_eq!(new(&host, host.catalog, b"", &raw mut player), ugas_status::BadBytes);
        let mut damaged = bytes.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        assert_eq!(new(&host, host.catalog, &damaged, &raw mut player), ugas_status::BadBytes);
        let absent = ugas_player_new_file(host.context, 0, text("/nowhere/at/all.rec"), 0, &raw mut player);
        assert_eq!((absent, player), (ugas_status::Io, 7));
        // A truncated recording is played up to its last complete tick.
        host.must(new(&host, host.catalog, &bytes[..bytes.len() - 3], &raw mut player));
        assert_eq!(position(&host, player).is_complete, 0);
    }
}

#[test]
fn untrusted_recording_is_played_within_a_limit() {
    let host = plain(PLAIN);
    let (context, mut player) = (host.context, 0);
    let mut bytes = ugas_bytes { data: null(), length: 0 };
    // SAFETY: numbers, for which zero is a value; then a live context and local variables.
    unsafe {
        host.must(ugas_recording_start(context, host.simulation, null()));
        let knight = host.spawn();
        host.must(host.apply("GE_Bleed", 0, knight));
        host.must(ugas_simulation_advance(context, host.simulation, 100_000_000));
        host.must(ugas_recording_finish(context, host.simulation, &raw mut bytes));
        // A hundred ticks of the effect are more than 50 moments.
        host.must(ugas_player_new(context, host.catalog, bytes, 50, &raw mut player));
        assert_eq!(ugas_player_seek_tick(context, player, 1), ugas_status::BadBytes);
        assert!(host.error().contains("limit of 50"), "{}", host.error());
        let mut verification: ugas_verification = std::mem::zeroed();
        verification.size = size_of::<ugas_verification>();
        let out = &raw mut verification;
        assert_eq!(ugas_player_verify(context, player, out), ugas_status::BadBytes);
        host.must(ugas_player_seek_time(context, player, 10_000_000));
        assert_eq!(health(&host, player, knight), 90.0);
    }
    let host = Host::new();
    let (recorded, ..) = recorded(&host, null());
    // SAFETY: numbers, for which zero is a value; then a live context and local variables.
    unsafe {
        host.must(ugas_player_new(host.context, host.catalog, lent(&recorded), 1_000, &raw mut player));
        host.must(ugas_player_step(host.context, player, null_mut()));
        let mut verification: ugas_verification = std::mem::zeroed();
        verification.size = size_of::<ugas_verification>();
        host.must(ugas_player_verify(host.context, player, &raw mut verification));
        assert_eq!((verification.ticks, verification.differs), (3, 0));
        assert_eq!(position(&host, player).tick, 0);
    }
}

#[test]
fn recording_survives_a_file() {
    let host = Host::new();
    let path = std::env::temp_dir().join(format!("ugas-ffi-{}.rec", std::process::id()));
    let named = text(path.to_str().unwrap());
    let (context, mut player) = (host.context, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_recording_start_file(context, host.simulation, named, null()));
        let knight = host.spawn();
        host.must(host.apply("GE_Thunder", 0, knight));
        host.must(ugas_simulation_advance(context, host.simulation, 1_000_000));
        host.must(ugas_recording_finish(context, host.simulation, null_mut()));
        host.must(ugas_player_new_file(context, host.catalog, named, 0, &raw mut player));
        host.must(ugas_player_seek_tick(context, player, 1));
        assert_eq!(health(&host, player, knight), 90.0);
        let mut verification: ugas_verification = std::mem::zeroed();
        verification.size = size_of::<ugas_verification>();
        host.must(ugas_recording_verify_file(context, host.catalog, named, &raw mut verification));
        assert_eq!((verification.ticks, verification.differs), (1, 0));
        host.must(ugas_simulation_free(context, player));
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn saved_game_migrates_to_an_updated_pack() {
    let host = Host::new();
    let knight = host.spawn();
    host.must(host.apply("GE_Rally", knight, knight));
    let stronger = PACK.replace("Value: 0.5", "Value: 1.0");
    let updated =
        Host::prepared(&stronger, |context, loader| add_slash(context, loader, slash, null_mut(), None));
    let mut snapshot = 0;
    let mut bytes = ugas_bytes { data: null(), length: 0 };
    let (mut is_lossless, mut report) = (9, text(""));
    // SAFETY: live contexts and local variables; what is lent is copied.
    unsafe {
        host.must(ugas_snapshot_take(host.context, host.simulation, &raw mut snapshot));
        host.must(ugas_snapshot_bytes(host.context, snapshot, &raw mut bytes));
        let bare = std::slice::from_raw_parts(bytes.data, bytes.length).to_vec();
        host.must(ugas_snapshot_bytes_with_rules(host.context, snapshot, &raw mut bytes));
        let saved = std::slice::from_raw_parts(bytes.data, bytes.length).to_vec();
        let mut read = 0;
        let same = ugas_snapshot_from_bytes(host.context, host.catalog, lent(&saved), &raw mut read);
        host.must(same);
        let (context, sim) = (updated.context, updated.simulation);
        let other = ugas_snapshot_from_bytes(context, updated.catalog, lent(&saved), &raw mut read);
        assert_eq!(other, ugas_status::OtherRules);
        let migrate =
            |bytes: &[u8]| ugas_simulation_migrate(context, sim, lent(bytes), null_mut(), null_mut());
        assert_eq!(migrate(&bare), ugas_status::OtherRules);
        assert_eq!(migrate(b"UGSN"), ugas_status::BadBytes);
        updated.must(ugas_recording_start(context, sim, null()));
        assert_eq!(migrate(&saved), ugas_status::Recording);
        updated.must(ugas_recording_finish(context, sim, null_mut()));
        let (lossless, words) = (&raw mut is_lossless, &raw mut report);
        updated.must(ugas_simulation_migrate(context, sim, lent(&saved), lossless, words));
    }
    assert_eq!((is_lossless, copied(report).as_str()), (1, "effect `GE_Rally` changed\n"));
    // A rally doubles the attack of 40 now, also the one that was saved.
    assert_eq!(updated.current(knight, "Attack"), 80.0);
}
