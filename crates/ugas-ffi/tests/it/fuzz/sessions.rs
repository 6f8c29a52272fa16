//! Random calls: servers, clients, batches, characters, reload, run-time effects and devices.

use std::ptr::{null, null_mut};

use ugas_ffi::*;

use super::{Dice, Known};
use crate::host::text;
use crate::state::KEYS;

const BREW: &str = "$schema: https://ugas.jbltx.com/v1.0.0-draft.1/schemas/gameplay_effect.json\nName: GE_Brew\n\
    DurationPolicy: Infinite\nGrantedTags: [State.Rallied]\n";

/// About a tick of a server.
const TICK: u64 = 16_667;

/// Adds a server and a client of the catalog to the known objects.
pub(super) fn prepare(context: *mut ugas_context, catalog: ugas_catalog, known: &mut Known) {
    let (mut simulation, mut server, mut client) = (0, 0, 0);
    let config = client_config(1);
    // SAFETY: a live context and local variables.
    unsafe {
        ugas_simulation_new(context, catalog, null(), &raw mut simulation);
        ugas_server_new(context, simulation, null(), &raw mut server);
        ugas_client_new(context, catalog, &raw const config, &raw mut client);
    }
    let (mut loader, mut keys, mut mapper) = (0, 0, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        ugas_loader_new(context, &raw mut loader);
        ugas_loader_add_text(context, loader, text("keys.yaml"), text(KEYS));
        ugas_loader_load(context, loader, &raw mut keys);
        ugas_mapper_new(context, loader, ugas_platform::Pc as u32, &raw mut mapper);
    }
    known.object(loader);
    known.mapper = mapper;
    known.server = server;
    known.client = client;
    known.catalog = catalog;
}

/// Counts the commands that the server answered. A client whose session ended is replaced.
pub(super) fn take_answers(context: *mut ugas_context, known: &mut Known) {
    // SAFETY: numbers, for which zero is a value; then a live context and local variables.
    unsafe {
        let mut counted: ugas_client_statistics = std::mem::zeroed();
        counted.size = size_of::<ugas_client_statistics>();
        ugas_client_look(context, known.client, &raw mut counted);
        if counted.is_playing == 0 {
            known.answered += counted.confirmed + counted.rejected;
            let config = client_config(known.now);
            ugas_simulation_free(context, known.client);
            ugas_client_new(context, known.catalog, &raw const config, &raw mut known.client);
        }
    }
}

/// Adds the counters of the last session.
pub(super) fn end_session(context: *mut ugas_context, known: &mut Known) {
    // SAFETY: a live context.
    unsafe { ugas_client_leave(context, known.client) };
    take_answers(context, known);
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

/// Transfers all datagrams between two objects, some of them with a wrong byte. Either handle may be invalid.
fn carry(context: *mut ugas_context, dice: &mut Dice, server: u64, client: u64, now: u64) -> ugas_status {
    let mut bytes = [0_u8; UGAS_MAX_DATAGRAM];
    let (mut length, mut peer) = (0, 0);
    let mut status;
    // SAFETY: a live context, and local variables that are as large as is said.
    unsafe {
        loop {
            let room = if dice.below(20) == 0 { 10 } else { bytes.len() };
            status = ugas_client_transmit(context, client, bytes.as_mut_ptr(), room, &raw mut length);
            if status != ugas_status::Ok || length == 0 {
                break;
            }
            if dice.below(300) == 0 {
                bytes[dice.below(length as u64) as usize] ^= dice.next() as u8;
            }
            let datagram = ugas_bytes { data: bytes.as_ptr(), length };
            ugas_server_receive(context, server, now, client, datagram);
        }
        loop {
            let (pointer, peer) = (bytes.as_mut_ptr(), &raw mut peer);
            status = ugas_server_transmit(context, server, peer, pointer, bytes.len(), &raw mut length);
            if status != ugas_status::Ok || length == 0 {
                break;
            }
            if dice.below(300) == 0 {
                bytes[dice.below(length as u64) as usize] ^= dice.next() as u8;
            }
            let datagram = ugas_bytes { data: bytes.as_ptr(), length };
            ugas_client_receive(context, *peer, now, datagram);
        }
    }
    status
}

/// One random call. Pointers are null or point to enough memory, as the header requires.
pub(super) fn one_call(context: *mut ugas_context, dice: &mut Dice, known: &mut Known) -> ugas_status {
    // Mostly the connected pair: a session rarely starts by chance.
    let object = match dice.below(4) {
        0 => dice.pick(&known.contexts_objects),
        1 => known.server,
        _ => known.client,
    };
    let other = dice.pick(&known.contexts_objects);
    let (one, two) = (dice.pick(&known.handles), dice.pick(&known.handles));
    let (id, number, word) = (dice.id(), dice.number(), dice.word());
    // Mostly a steady clock, sometimes one that jumps.
    known.now += TICK;
    let now = if dice.below(2_000) == 0 { dice.next() } else { known.now };
    let (mut out_64, mut out_32, mut count) = (0_u64, 0_u32, 0_usize);
    let (mut lent, mut bytes) = (text(""), ugas_bytes { data: null(), length: 0 });
    let (p64, p32, pc) = (&raw mut out_64, &raw mut out_32, &raw mut count);
    let p64 = if dice.below(20) == 0 { null_mut() } else { p64 };
    let mut room = [0_u64; 512];
    let rows = room.as_mut_ptr();
    let (capacity, row_size) = (dice.below(4) as usize, [8, 24, 64, 400][dice.below(4) as usize]);
    let tags = [id, dice.id()];
    let mapper = if dice.below(3) == 0 { object } else { known.mapper };
    let (device, control) = match dice.below(3) {
        0 => (word, dice.word()),
        _ => (text("Keyboard"), text("Space")),
    };
    let (config, client) = (client_config(dice.next()), dice.below(3) as u32);
    // SAFETY: numbers and pointers, for which zero is a value.
    let mut target: ugas_target = unsafe { std::mem::zeroed() };
    (target.kind, target.controller, target.location) = (dice.below(4) as u32, two, [number; 3]);
    let target = &raw const target;
    let lens = ugas_lens {
        size: size_of::<ugas_lens>(),
        attributes: tags.as_ptr(),
        attribute_count: dice.below(3) as usize,
        kind: dice.below(7) as u32,
        placement: id & 1,
    };
    // SAFETY: every pointer is null or leads to a local variable that is as large as is said: the rows are at most three
    // of at most 1,000 bytes.
    unsafe {
        let status = match dice.below(40) {
            0..=6 => {
                let (server, client) = (known.server, known.client);
                for _ in 0..3 {
                    known.now += TICK;
                    ugas_client_update(context, client, known.now);
                    carry(context, dice, server, client, known.now);
                    ugas_server_tick(context, server, known.now);
                    carry(context, dice, server, client, known.now);
                }
                if ugas_client_own_controllers(context, client, rows, 1, pc) == ugas_status::Ok && count > 0 {
                    let own = rows.read();
                    known.handle(own);
                    ugas_client_press(context, client, own, word, null_mut());
                    let size = size_of::<ugas_ability_info>();
                    ugas_abilities_of(context, client, own, rows.cast(), size, 1, pc);
                    known.handle(rows.read());
                    ugas_client_activate(context, client, rows.read(), target, 1, null(), null_mut());
                }
                if dice.below(16) == 0 {
                    take_answers(context, known);
                }
                // Clients are counted from 1.
                ugas_server_give(context, server, one, 1 + dice.below(3) as u32)
            }
            7 => {
                ugas_client_update(context, other, now);
                let status = ugas_server_tick(context, object, now);
                carry(context, dice, object, other, now);
                status
            }
            8 => ugas_server_new(context, object, null(), p64),
            9 => ugas_client_new(context, object, &raw const config, p64),
            10 => {
                let size = size_of::<ugas_server_event>();
                let status = ugas_server_events_poll(context, object, rows.cast(), size, capacity, pc);
                ugas_event_text(context, object, 0, &raw mut lent);
                status
            }
            11 | 12 => {
                let size = size_of::<ugas_client_event>();
                let status = ugas_client_events_poll(context, object, rows.cast(), size, capacity, pc);
                if status == ugas_status::Ok && count > 0 {
                    known.handle(rows.add(1).read());
                    known.handle(rows.add(2).read());
                }
                ugas_event_text(context, object, 0, &raw mut lent);
                status
            }
            13 | 14 => ugas_server_give(context, object, one, client),
            15 => match id % 6 {
                0 => ugas_server_show(context, object, one, client),
                1 => ugas_server_hide(context, object, one, client),
                2 => ugas_server_take_back(context, object, one),
                3 => ugas_server_owner(context, object, one, p32),
                4 => ugas_server_set_lens(context, object, one, id & 1, &raw const lens),
                _ => ugas_server_rejections(context, object, client, rows.cast(), row_size, capacity, pc),
            },
            16 if dice.below(20) == 0 => match id % 4 {
                0 => ugas_server_kick(context, object, client),
                1 => ugas_server_disconnected(context, object, other),
                2 => ugas_server_left(context, object, other),
                _ => ugas_server_shut_down(context, object),
            },
            17 => match id % 7 {
                0 => ugas_server_clients(context, object, rows.cast(), row_size, capacity, pc),
                3 => ugas_server_resume_secret(context, object, client, rows.cast(), capacity, pc),
                4 => ugas_client_resume_secret(context, object, rows.cast(), capacity, pc),
                5 => ugas_client_connection_lost(context, object, known.now),
                6 => {
                    let mut connection: ugas_connection = std::mem::zeroed();
                    connection.size = size_of::<ugas_connection>();
                    ugas_client_link(context, object, known.now, id & 7, word, &raw mut connection)
                }
                1 => ugas_client_own_controllers(context, object, rows, capacity, pc),
                _ => ugas_client_set_prediction(context, object, id & 1),
            },
            18 => {
                rows.write([size_of::<ugas_client_statistics>() as u64, 16, 0][dice.below(3) as usize]);
                match id % 2 {
                    0 => ugas_server_look(context, object, rows.cast()),
                    _ => ugas_client_look(context, object, rows.cast()),
                }
            }
            19 => match id % 2 {
                0 => ugas_client_remote(context, object, one, p64),
                _ => ugas_client_local(context, object, one, p64),
            },
            20..=22 => {
                let count = dice.below(2) as usize;
                let status = ugas_client_activate(context, object, one, target, count, null(), p64);
                known.handle(out_64);
                status
            }
            23 => ugas_client_activate_local(context, object, one, target, 1, null(), p64),
            24 => match id % 6 {
                0 => ugas_client_end(context, object, one, p64),
                1 => ugas_client_cancel(context, object, one, p64),
                2 => ugas_client_cancel_local(context, object, one),
                3 => ugas_client_run_of(context, object, one, p64),
                4 => ugas_client_end_begun(context, object, one, p64),
                _ => ugas_client_target_begun(context, object, one, target, 1, p64),
            },
            25 => match id % 6 {
                0 => ugas_client_press(context, object, one, word, p64),
                1 => ugas_client_release(context, object, one, word, p64),
                2 => ugas_client_confirm(context, object, one, p64),
                3 => ugas_client_decline(context, object, one, p64),
                4 => ugas_client_provide_targets(context, object, one, target, 1, p64),
                _ => ugas_client_complete_task(context, object, one, id & 7, p64),
            },
            26 if dice.below(30) == 0 => ugas_client_leave(context, object),
            27 => ugas_batch_begin(context, object),
            28 | 29 => ugas_batch_end(context, object, rows.cast(), row_size, capacity, pc),
            30 => ugas_batch_drop(context, object),
            31 => {
                let status = ugas_character_bytes(context, object, one, &raw mut bytes);
                if status == ugas_status::Ok {
                    let mut slot = std::slice::from_raw_parts(bytes.data, bytes.length).to_vec();
                    if dice.below(4) == 0 {
                        let at = dice.below(slot.len() as u64) as usize;
                        slot[at] ^= dice.next() as u8;
                    }
                    let slot = ugas_bytes { data: slot.as_ptr(), length: slot.len() };
                    ugas_character_restore(context, other, slot, null(), p64, null_mut());
                    known.handle(out_64);
                }
                status
            }
            32 => match id % 2 {
                0 => ugas_character_text(context, object, one, id & 3, &raw mut lent),
                _ => ugas_character_restore_text(context, object, word, word, null(), p64, &raw mut lent),
            },
            33 => ugas_simulation_reload(context, object, other, p32, &raw mut lent),
            34 => match id % 3 {
                0 => ugas_effect_define(context, object, text("brew.yaml"), text(BREW), p32),
                1 => ugas_effect_define(context, object, word, word, p32),
                _ => ugas_effect_forget(context, object, id),
            },
            35 => match id % 5 {
                4 => {
                    rows.write(size_of::<ugas_granted_set>() as u64);
                    let status = ugas_ability_set_grant(context, object, one, word, rows.cast());
                    let again = ugas_ability_set_revoke(context, object, one, rows.cast());
                    assert_ne!(again, ugas_status::Panic);
                    status
                }
                0 => ugas_attribute_set_register(context, object, one, id & 1),
                1 if dice.below(9) == 0 => ugas_attribute_set_unregister(context, object, one, id & 1),
                2 => ugas_effect_set_level(context, object, one, number),
                _ => ugas_input_set_buffer(context, object, one, dice.next() as i64, id & 7),
            },
            36 => match id % 6 {
                0 => ugas_abilities_activate(context, object, one, tags.as_ptr(), 1, p32),
                1 => {
                    let (with, without) = (dice.below(3) as usize, dice.below(2) as usize);
                    let tags = tags.as_ptr();
                    ugas_abilities_cancel(context, object, one, tags, with, tags, without, two, p32)
                }
                2 => ugas_ability_set_parameter(context, object, one, word, number),
                3 => {
                    let mut read = 0.0;
                    ugas_ability_parameter(context, object, one, word, &raw mut read)
                }
                4 => {
                    let mut read = text("");
                    ugas_catalog_ability_parameter(context, object, id, word, p32, &raw mut read)
                }
                _ => ugas_ability_revoke_on_end(context, object, one),
            },
            37 => match id % 5 {
                0 => ugas_mapper_new(context, object, id & 3, p64),
                1 => ugas_mapper_tags(context, mapper, now, other, one),
                2 => ugas_mapper_device(context, mapper, now, device, control, number, 0.0, 1.0),
                3 => ugas_mapper_remap(context, mapper, word, id, device, control, pc),
                _ => ugas_mapper_load(context, mapper, word, pc),
            },
            38 => match id % 5 {
                0 => ugas_mapper_advance(context, mapper, now),
                1 => ugas_mapper_release_all(context, mapper, now),
                2 => {
                    let status = ugas_mapper_poll(context, mapper, rows.cast(), row_size, capacity, pc);
                    known.signals += count;
                    status
                }
                3 => ugas_mapper_save(context, mapper, &raw mut lent),
                _ => ugas_mapper_enable_set(context, mapper, now, word, id & 1),
            },
            _ => ugas_mapper_free(context, object),
        };
        if status == ugas_status::Ok && dice.below(8) == 0 {
            known.object(out_64);
        }
        status
    }
}
