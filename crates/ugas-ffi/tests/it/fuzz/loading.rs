//! Random calls: loaders, catalogs, queries, wrong sizes, untrusted bytes and players.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use super::{Dice, Known};
use crate::host::{PACK, add_slash, slash, text};

/// Limit of a player movement: at least the length of the recordings.
const LIMIT: u64 = 2_000;

/// Bytes that the library returned, passed back unchanged, truncated, or with a wrong byte.
fn altered(dice: &mut Dice, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let at = dice.below(bytes.len() as u64) as usize;
    match dice.below(6) {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= dice.next() as u8,
        2 => bytes.extend_from_within(at..),
        _ => {}
    }
    bytes
}

fn lent(bytes: &[u8]) -> ugas_bytes {
    ugas_bytes { data: bytes.as_ptr(), length: bytes.len() }
}

/// # Safety
/// The library has just returned it.
unsafe fn kept(bytes: ugas_bytes) -> Vec<u8> {
    if bytes.length == 0 {
        return Vec::new();
    }
    // SAFETY: as promised.
    unsafe { std::slice::from_raw_parts(bytes.data, bytes.length).to_vec() }
}

unsafe extern "C" fn sees_sometimes(_user: *mut c_void, _now: u64, from: *const f64, _to: *const f64) -> u32 {
    // SAFETY: the library gives three numbers.
    u32::from(unsafe { *from } > 0.0)
}

/// Spatial query that always reports more results than fit.
unsafe extern "C" fn claims_too_much(
    _user: *mut c_void,
    _now: u64,
    _area: *const ugas_area,
    found: *mut ugas_controller,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    // SAFETY: the library has room for as many as it says.
    unsafe {
        if capacity > 0 {
            found.write(u64::MAX);
        }
        *count = usize::MAX;
    }
    1
}

/// Loads a possibly damaged pack with all kinds of callbacks.
unsafe fn load(
    context: *mut ugas_context,
    dice: &mut Dice,
    known: &mut Known,
    word: ugas_str,
) -> ugas_status {
    let (mut loader, mut catalog, mut count) = (0, 0, 0);
    let pack = altered(dice, PACK.as_bytes());
    let pack = ugas_str { data: pack.as_ptr().cast(), length: pack.len() };
    let readings = [ugas_reading { name: word, party: dice.below(3) as u32, frozen: 1 }; 2];
    let names = [word, text("Health")];
    let calculation = ugas_calculation {
        size: size_of::<ugas_calculation>(),
        name: word,
        attributes: readings.as_ptr(),
        attribute_count: dice.below(3) as usize,
        tags: readings.as_ptr(),
        tag_count: dice.below(3) as usize,
        magnitudes: names.as_ptr(),
        magnitude_count: dice.below(3) as usize,
        outputs: names.as_ptr(),
        output_count: dice.below(3) as usize,
        random_count: [0, 3, 256, 257, usize::MAX][dice.below(5) as usize],
        calculate: if dice.below(5) == 0 { None } else { Some(slash) },
        user: null_mut(),
        free: None,
    };
    let space = ugas_space {
        size: size_of::<ugas_space>(),
        line_of_sight: if dice.below(2) == 0 { None } else { Some(sees_sometimes) },
        candidates: if dice.below(2) == 0 { None } else { Some(claims_too_much) },
        user: null_mut(),
        free: None,
    };
    let mut rows = [0_u64; 64];
    // SAFETY: as `one_call`.
    unsafe {
        ugas_loader_new(context, &raw mut loader);
        known.object(loader);
        if dice.below(4) == 0 {
            ugas_loader_add_path(context, loader, text("/nowhere/at/all"));
        }
        ugas_loader_add_text(context, loader, text("pack.yaml"), pack);
        add_slash(context, loader, slash, null_mut(), None);
        if dice.below(3) == 0 {
            ugas_loader_add_calculation(context, loader, &raw const calculation);
        }
        if dice.below(2) == 0 {
            ugas_loader_set_space(context, loader, &raw const space);
        }
        let world = if dice.below(2) == 0 { null() } else { &raw const space };
        ugas_simulation_set_space(context, dice.pick(&known.contexts_objects), world);
        let status = ugas_loader_load(context, loader, &raw mut catalog);
        known.object(catalog);
        let out = rows.as_mut_ptr().cast();
        let told = ugas_loader_diagnostics(context, loader, out, 80, 4, &raw mut count);
        assert_eq!(told, ugas_status::Ok);
        if dice.below(2) == 0 { ugas_loader_free(context, loader) } else { status }
    }
}

/// One random call. Pointers are null or point to enough memory, as the header requires.
pub(super) fn one_call(context: *mut ugas_context, dice: &mut Dice, known: &mut Known) -> ugas_status {
    let object = match dice.below(4) {
        0 => known.player,
        _ => dice.pick(&known.contexts_objects),
    };
    let other = dice.pick(&known.contexts_objects);
    let (one, id, word) = (dice.pick(&known.handles), dice.id(), dice.word());
    let (mut out_64, mut out_32, mut count) = (0_u64, 0_u32, 0_usize);
    let (mut words, mut bytes) = (text(""), ugas_bytes { data: null(), length: 0 });
    let (p64, p32, pc) = (&raw mut out_64, &raw mut out_32, &raw mut count);
    let p64 = if dice.below(20) == 0 { null_mut() } else { p64 };
    // A structure with a random size.
    let mut numbers = [0_u64; 513];
    if dice.below(2) == 0 {
        numbers[1..12].fill_with(|| dice.next());
    }
    numbers[0] = [0, 7, 8, 16, 48, 56, 64, 512, 4096, 4097, u64::MAX][dice.below(11) as usize];
    let place = numbers.as_mut_ptr();
    let tags = [id, dice.id(), UGAS_NO_ID];
    let tag_query = ugas_tag_query {
        size: size_of::<ugas_tag_query>(),
        all: tags.as_ptr(),
        all_count: dice.below(3) as usize,
        any: tags.as_ptr(),
        any_count: dice.below(4) as usize,
        none: if dice.below(2) == 0 { null() } else { tags.as_ptr() },
        none_count: dice.below(2) as usize,
    };
    let query = ugas_effect_query {
        size: size_of::<ugas_effect_query>(),
        source: one & dice.pick(&[0, u64::MAX]),
        tags: if dice.below(2) == 0 { null() } else { &raw const tag_query },
        source_tags: if dice.below(2) == 0 { null() } else { &raw const tag_query },
        effect: id,
        has_effect: dice.below(2) as u32,
        attribute: dice.id(),
        has_attribute: dice.below(2) as u32,
        source_object: dice.below(3),
        has_source_object: dice.below(2) as u32,
        reserved: 0,
    };
    let endless = [0, 1, 5_000, usize::MAX][dice.below(4) as usize];
    // SAFETY: every pointer is null or leads to a local variable that is as large as is said, and structures of numbers have
    // as many bytes as the library may take them for.
    let status = unsafe {
        match dice.below(32) {
            0 if dice.below(8) == 0 => load(context, dice, known, word),
            1 => match id % 5 {
                0 => ugas_catalog_tag(context, object, word, p32),
                1 => ugas_catalog_attribute(context, object, word, p32),
                2 => ugas_catalog_attribute_set(context, object, word, p32),
                3 => ugas_catalog_effect(context, object, word, p32),
                _ => ugas_catalog_ability(context, object, word, p32),
            },
            2 => ugas_catalog_hash(context, object, p64),
            3 => ugas_catalog_of(context, object, p64),
            4 => {
                let (mut elsewhere, mut shared) = (null_mut(), 0);
                assert_eq!(ugas_context_new(ugas_abi_version(), &raw mut elsewhere), ugas_status::Ok);
                assert_eq!(ugas_features(), UGAS_FEATURE_NET | UGAS_FEATURE_REPLAY);
                let status = ugas_catalog_share(context, object, elsewhere, &raw mut shared);
                // A handle of one context is invalid in another.
                assert_ne!(ugas_catalog_free(context, shared) == ugas_status::Ok, shared != 0);
                assert_eq!(ugas_context_free(&raw mut elsewhere), ugas_status::Ok);
                assert_eq!((elsewhere.is_null(), ugas_abi_1()), (true, UGAS_ABI_VERSION));
                status
            }
            5 => ugas_tags_match(context, object, one, &raw const tag_query, p32),
            6 => ugas_effects_of(context, object, one, &raw const query, null_mut(), 88, 0, pc),
            7 => ugas_effects_remove(context, object, one, &raw const query, id & 3, p32),
            8 => ugas_events_pending(context, object, pc, p64),
            9 => {
                ugas_status_words(id);
                ugas_micros_from_seconds(dice.number());
                ugas_last_error(context, &raw mut words);
                // Returned text is passed to the next call.
                ugas_catalog_tag(context, known.catalog, words, p32);
                ugas_last_reasons(context, place.cast(), size_of::<ugas_reason>(), 4, pc)
            }
            10 => {
                let status = ugas_snapshot_take(context, object, &raw mut out_64);
                if status == ugas_status::Ok {
                    let (snapshot, out) = (out_64, &raw mut bytes);
                    match dice.below(2) {
                        0 => ugas_snapshot_bytes(context, snapshot, out),
                        _ => ugas_snapshot_bytes_with_rules(context, snapshot, out),
                    };
                    known.saved = kept(bytes);
                    ugas_snapshot_hash(context, snapshot, p64);
                    ugas_snapshot_free(context, snapshot);
                }
                status
            }
            11 => {
                let saved = altered(dice, &known.saved);
                ugas_snapshot_from_bytes(context, known.catalog, lent(&saved), p64)
            }
            12 => {
                let saved = altered(dice, &known.saved);
                ugas_simulation_migrate(context, object, lent(&saved), p32, &raw mut words)
            }
            13 | 14 => {
                let status = ugas_recording_finish(context, object, &raw mut bytes);
                if status == ugas_status::Ok {
                    known.recorded = kept(bytes);
                }
                ugas_recording_start(context, object, null());
                status
            }
            15 => ugas_recording_start(context, object, place.cast()),
            16 => ugas_recording_name(context, object, one, word),
            17 => ugas_recording_start_file(context, object, text("/nowhere/at/all"), null()),
            18 => {
                let recorded = altered(dice, &known.recorded);
                let catalog = if dice.below(3) == 0 { other } else { known.catalog };
                ugas_recording_verify(context, catalog, lent(&recorded), place.cast())
            }
            19 => ugas_recording_verify_file(context, object, word, place.cast()),
            20 | 21 => {
                let recorded = altered(dice, &known.recorded);
                let catalog = if dice.below(3) == 0 { other } else { known.catalog };
                let status = ugas_player_new(context, catalog, lent(&recorded), LIMIT, &raw mut out_64);
                if status == ugas_status::Ok {
                    ugas_simulation_free(context, known.player);
                    known.player = out_64;
                }
                status
            }
            22 => ugas_player_new_file(context, object, word, LIMIT, p64),
            23 => ugas_player_look(context, object, place.cast()),
            24 => {
                let status = match id % 4 {
                    0 => ugas_player_seek_tick(context, object, dice.below(30)),
                    1 => ugas_player_seek_time(context, object, dice.below(9_000_000)),
                    2 => ugas_player_seek_tick(context, object, u64::MAX),
                    _ => ugas_player_seek_time(context, object, u64::MAX),
                };
                known.played += u64::from(status == ugas_status::Ok);
                status
            }
            25 => match id % 2 {
                0 => ugas_player_step(context, object, p32),
                _ => ugas_player_back(context, object, null_mut()),
            },
            26 => match id % 2 {
                0 => ugas_player_controller(context, object, word, p64),
                _ => ugas_player_name(context, object, one, &raw mut words),
            },
            27 if dice.below(4) == 0 => ugas_player_verify(context, object, place.cast()),
            28 => ugas_simulation_new(context, known.catalog, place.cast(), p64),
            29 => ugas_controllers(context, object, null_mut(), endless, pc),
            30 => ugas_attributes_of(context, object, one, null_mut(), endless, endless, pc),
            _ => ugas_attributes_read(context, object, null(), 0, tags.as_ptr(), 3, id, null_mut(), pc),
        }
    };
    if status == ugas_status::Ok && dice.below(8) == 0 {
        known.object(out_64);
    }
    status
}
