//! Random functions with random handles and values: nothing may panic, and the library must be usable
//! afterwards.

mod calls;
mod loading;
mod sessions;

use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use ugas_ffi::*;

use crate::host::{Host, text, zeroed_apply, zeroed_cue};

/// A small seeded random number generator.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    /// Mostly a known value, sometimes an unknown one.
    fn pick(&mut self, known: &[u64]) -> u64 {
        match self.below(8) {
            0 => self.next(),
            1 => self.below(4),
            2 => 1 << 32 | self.below(4),
            _ if known.is_empty() => 0,
            _ => known[self.below(known.len() as u64) as usize],
        }
    }

    fn id(&mut self) -> u32 {
        if self.below(8) == 0 { self.next() as u32 } else { self.below(10) as u32 }
    }

    fn number(&mut self) -> f64 {
        match self.below(6) {
            0 => f64::from_bits(self.next()),
            1 => f64::NAN,
            _ => self.below(200) as f64 - 100.0,
        }
    }

    fn word(&mut self) -> ugas_str {
        static WRONG: [u8; 1] = [0xFF];
        const WORDS: [&str; 11] = [
            "",
            "Knight",
            "Health",
            "GA_Slash",
            "Attack",
            "Red",
            "Nobody",
            "Keyboard",
            "Space",
            "IA_Strike",
            "OnFoot",
        ];
        match self.below(8) {
            // A wrong length violates the contract of the caller and cannot be tested; a wrong byte can.
            0 => ugas_str { data: WRONG.as_ptr().cast(), length: 1 },
            1 => ugas_str { data: null(), length: self.below(3) as usize },
            _ => text(WORDS[self.below(WORDS.len() as u64) as usize]),
        }
    }
}

/// Handles and bytes from earlier calls.
#[derive(Default)]
struct Known {
    contexts_objects: Vec<u64>,
    handles: Vec<u64>,
    /// The host's clock.
    now: u64,
    /// A connected server and client.
    server: u64,
    client: u64,
    catalog: u64,
    /// A mapper of a key.
    mapper: u64,
    /// A player.
    player: u64,
    /// Bytes of a snapshot and of a recording.
    saved: Vec<u8>,
    recorded: Vec<u8>,
    /// Commands that a server answered.
    answered: u64,
    /// Completed playbacks of a recording.
    played: u64,
    /// Signals of a mapper.
    signals: usize,
}

impl Known {
    fn object(&mut self, number: u64) {
        keep(&mut self.contexts_objects, number);
    }

    fn handle(&mut self, bits: u64) {
        keep(&mut self.handles, bits);
    }
}

fn keep(list: &mut Vec<u64>, number: u64) {
    if number != 0 {
        if list.len() > 40 {
            list.remove(0);
        }
        list.push(number);
    }
}

/// One random call. Pointers are null or point to enough memory, as the header requires.
fn one_call(context: *mut ugas_context, dice: &mut Dice, known: &mut Known) -> ugas_status {
    let simulation = match dice.below(8) {
        0 => known.server,
        1 => known.client,
        _ => dice.pick(&known.contexts_objects),
    };
    let other = dice.pick(&known.contexts_objects);
    let (one, two) = (dice.pick(&known.handles), dice.pick(&known.handles));
    let (id, number, word) = (dice.id(), dice.number(), dice.word());
    let (mut out_64, mut out_32, mut out_f64, mut count) = (0_u64, 0_u32, 0.0_f64, 0_usize);
    let mut lent = text("");
    let mut bytes = ugas_bytes { data: null(), length: 0 };
    let (p64, p32) = (&raw mut out_64, &raw mut out_32);
    let p64 = if dice.below(20) == 0 { null_mut() } else { p64 };
    let handles = [one, two, 0, dice.next()];
    let ids = [id, dice.id()];
    let capacity = dice.below(4) as usize;
    let mut room = [0_u64; 512];
    let row_size = [8, 16, 64, 200, size_of::<ugas_event>()][dice.below(5) as usize];
    let pc = &raw mut count;
    let placement = ugas_placement { position: [number, 0.0, 1.0], facing: [0.0, 1.0, dice.number()] };
    let placements = [placement; 4];
    let target = ugas_target {
        kind: dice.below(4) as u32,
        part: 0,
        controller: one,
        location: [number; 3],
        normal: [0.0; 3],
        distance: 1.0,
        actor: 3,
        has_actor: 1,
        reserved: 0,
    };
    let numbers = [ugas_named_number { name: word, value: dice.number() }; 2];
    let event = ugas_gameplay_event {
        // With or without the list fields, like hosts of the first header.
        size: [40, size_of::<ugas_gameplay_event>()][dice.below(2) as usize],
        magnitude: number,
        instigator: one,
        target: two,
        tag: id,
        reserved: 0,
        context_tags: ids.as_ptr(),
        context_tag_count: dice.below(3) as usize,
        targets: &raw const target,
        target_count: dice.below(2) as usize,
        payload: numbers.as_ptr(),
        payload_count: dice.below(3) as usize,
    };
    let cue = ugas_cue {
        magnitude: number,
        source: one,
        ability: dice.pick(&known.handles) & dice.pick(&[0, u64::MAX]),
        hit: if dice.below(2) == 0 { null() } else { &raw const target },
        context_tags: ids.as_ptr(),
        context_tag_count: dice.below(3) as usize,
        payload_kind: word,
        cue: id,
        ..zeroed_cue()
    };
    let spawn = ugas_spawn {
        size: [0, 24, size_of::<ugas_spawn>(), size_of::<ugas_spawn>()][dice.below(4) as usize],
        template_name: if dice.below(3) > 0 { text("Knight") } else { word },
        owner: 1,
        avatar: 2,
        has_owner: 1,
        has_avatar: dice.below(2) as u32,
    };
    let magnitudes = [ugas_magnitude { value: dice.number(), tag: dice.id(), reserved: 0 }; 2];
    let apply = ugas_apply {
        effect: id,
        level: number,
        has_level: dice.below(2) as u32,
        source: one,
        ability: dice.pick(&known.handles) & dice.pick(&[0, u64::MAX]),
        magnitudes: magnitudes.as_ptr(),
        magnitude_count: dice.below(3) as usize,
        granted_tags: ids.as_ptr(),
        granted_tag_count: dice.below(3) as usize,
        hit: if dice.below(2) == 0 { null() } else { &raw const target },
        duration: dice.next() as i64,
        has_duration: dice.below(2) as u32,
        period: dice.below(3_000_000) as i64 - 10,
        has_period: u32::from(dice.below(8) == 0),
        context_tags: ids.as_ptr(),
        context_tag_count: dice.below(3) as usize,
        ..zeroed_apply()
    };
    let grant = ugas_grant {
        size: size_of::<ugas_grant>(),
        input: word,
        tags: ids.as_ptr(),
        tag_count: dice.below(3) as usize,
        source_object: 1,
        has_source_object: 1,
        activate: dice.below(2) as u32,
        ability: dice.below(3) as u32,
        level: dice.below(3) as u32,
    };
    let rows = room.as_mut_ptr();
    // SAFETY: every pointer is null or leads to a local variable that is as large as is said: the rows are at most three
    // of at most 1,000 bytes.
    let status = unsafe {
        match dice.below(58) {
            0 => ugas_simulation_new(context, simulation, null(), p64),
            1 if dice.below(30) == 0 => ugas_simulation_free(context, simulation),
            2 if dice.below(100) == 0 => ugas_catalog_free(context, simulation),
            3 => ugas_simulation_advance(context, simulation, dice.below(3_000_000) as i64),
            4 => ugas_simulation_now(context, simulation, p64),
            5 => ugas_simulation_hash(context, simulation, &raw mut out_64),
            6..=8 => {
                let status = ugas_controller_spawn(context, simulation, &raw const spawn, p64);
                known.handle(out_64);
                status
            }
            9 if dice.below(4) == 0 => ugas_controller_despawn(context, simulation, one),
            10 => ugas_controller_set_avatar(context, simulation, one, 5, id & 1),
            11 => ugas_controller_set_owner(context, simulation, one, 5, id & 1),
            12 => ugas_controller_of_avatar(context, simulation, 5, p64),
            13 => ugas_controllers(context, simulation, rows, capacity, pc),
            14 => ugas_attribute_read(context, simulation, one, id, id & 3, &raw mut out_f64),
            15 => ugas_attributes_read(
                context,
                simulation,
                handles.as_ptr(),
                4,
                ids.as_ptr(),
                2,
                id & 1,
                rows.cast(),
                pc,
            ),
            16 => ugas_attributes_of(context, simulation, one, rows.cast(), row_size, capacity, pc),
            17 => ugas_tag_has(context, simulation, one, id, p32),
            18 => ugas_tag_counts(context, simulation, one, id, p32, null_mut()),
            19 => ugas_tags_of(context, simulation, one, rows.cast(), row_size, capacity, pc),
            20..=24 => {
                let status = ugas_effect_apply(context, simulation, &raw const apply, two, p32, p64);
                known.handle(out_64);
                status
            }
            25 => ugas_effect_remove(context, simulation, one, id & 3),
            26 => ugas_effects_remove(context, simulation, one, null(), 0, p32),
            27 => ugas_effects_of(context, simulation, one, null(), rows.cast(), row_size, capacity, pc),
            28 => ugas_effect_set_duration(context, simulation, one, dice.next() as i64),
            29 => ugas_effect_set_magnitude(context, simulation, one, id, number),
            30..=32 => {
                let status = ugas_ability_grant(context, simulation, one, &raw const grant, p64);
                known.handle(out_64);
                status
            }
            33 => ugas_ability_revoke(context, simulation, one),
            34 => ugas_ability_set_level(context, simulation, one, id),
            35 => ugas_ability_bind_input(context, simulation, one, word),
            36 => ugas_abilities_of(context, simulation, one, rows.cast(), row_size, capacity, pc),
            37 => ugas_ability_look(context, simulation, one, rows.cast(), row_size),
            38..=40 => {
                let given = if dice.below(2) == 0 { null() } else { &raw const event };
                let count = dice.below(2) as usize;
                let status =
                    ugas_ability_activate(context, simulation, two, &raw const target, count, given, p64);
                known.handle(out_64);
                status
            }
            41 => ugas_ability_can_activate(context, simulation, one, &raw const target, 1),
            42 => match id % 3 {
                0 => ugas_activation_commit(context, simulation, one),
                1 => ugas_activation_cancel(context, simulation, one),
                _ => ugas_activation_end(context, simulation, one),
            },
            43 => ugas_ability_cancel(context, simulation, one, null_mut()),
            44 => match id % 4 {
                0 => ugas_cue_execute(context, simulation, one, &raw const cue),
                1 => ugas_cue_add(context, simulation, one, &raw const cue, p64),
                2 => ugas_cue_remove(context, simulation, one, id, p32),
                _ => ugas_gameplay_event_send(context, simulation, one, &raw const event),
            },
            45 => {
                let size = size_of::<ugas_task_info>();
                let status = ugas_tasks_of(context, simulation, one, rows.cast(), size, capacity, pc);
                known.handle(room[0]);
                status
            }
            46 => match id % 4 {
                0 => ugas_task_kind(context, simulation, one, &raw mut lent),
                1 => ugas_task_parameters(context, simulation, one, &raw mut lent),
                2 => ugas_task_complete(context, simulation, one, id & 7),
                _ => ugas_task_provide_targets(context, simulation, one, &raw const target, 1),
            },
            47 => ugas_task_preview_targets(context, simulation, one, rows.cast(), row_size, capacity, pc),
            48 => match id % 2 {
                0 => ugas_input_press(context, simulation, one, word, p32, p64),
                _ => ugas_input_press_at(context, simulation, one, word, &raw const target, 1, p32, p64),
            },
            49 => match id % 3 {
                0 => ugas_input_release(context, simulation, one, word),
                1 => ugas_input_confirm(context, simulation, one),
                _ => ugas_input_decline(context, simulation, one),
            },
            50 => ugas_placements_set(context, simulation, handles.as_ptr(), placements.as_ptr(), 4, pc),
            51 => match id % 2 {
                0 => ugas_placement_clear(context, simulation, one),
                _ => ugas_team_set(context, simulation, one, word),
            },
            52 => {
                let size = size_of::<ugas_event>();
                let status = ugas_events_poll(context, simulation, rows.cast(), size, capacity, pc);
                let (at, out) = (dice.below(4) as u32, &raw mut lent);
                assert_ne!(ugas_event_text(context, simulation, at, out), ugas_status::Panic);
                assert_ne!(ugas_event_reasons(context, simulation, at, pc), ugas_status::Panic);
                status
            }
            53 => match id % 3 {
                0 => ugas_explain_text(context, simulation, one, id, &raw mut lent),
                1 => ugas_explain_json(context, simulation, one, id, &raw mut lent),
                _ => ugas_controller_text(context, simulation, one, &raw mut lent),
            },
            54 => {
                let status = ugas_snapshot_take(context, simulation, p64);
                known.object(out_64);
                status
            }
            55 => match id % 4 {
                0 => ugas_snapshot_restore(context, simulation, other),
                1 => ugas_snapshot_retake(context, simulation, other),
                2 => ugas_snapshot_bytes(context, other, &raw mut bytes),
                _ => ugas_snapshot_free(context, other),
            },
            56 => match id % 2 {
                0 => ugas_recording_start(context, simulation, null()),
                _ => ugas_recording_finish(context, simulation, &raw mut bytes),
            },
            57 => match id % 4 {
                0 => ugas_catalog_tag_description(context, simulation, id, &raw mut lent),
                1 => ugas_catalog_tag_comment(context, simulation, id, &raw mut lent),
                2 => {
                    let mut allows = 0_u8;
                    ugas_catalog_tag_allows_multiple(context, simulation, id, &raw mut allows)
                }
                _ => ugas_catalog_name(context, simulation, id & 7, id, &raw mut lent),
            },
            _ => ugas_cues_of(context, simulation, one, rows.cast(), row_size, capacity, pc),
        }
    };
    if status == ugas_status::Ok && dice.below(50) == 0 {
        known.object(out_64);
    }
    status
}

/// Runs a seed. Returns the number of successful calls, and the final state.
fn run(seed: u64, calls: u32) -> (u32, Known) {
    let host = Host::new();
    let mut dice = Dice(seed);
    let mut known = Known::default();
    for _ in 0..6 {
        known.object(host.simulation);
    }
    known.object(host.catalog);
    sessions::prepare(host.context, host.catalog, &mut known);
    let mut succeeded = 0;
    for call in 0..calls {
        let status = match dice.below(4) {
            0 => sessions::one_call(host.context, &mut dice, &mut known),
            1 => loading::one_call(host.context, &mut dice, &mut known),
            _ => one_call(host.context, &mut dice, &mut known),
        };
        assert!(
            !matches!(status, ugas_status::Panic | ugas_status::Busy | ugas_status::BadContext),
            "seed {seed}, call {call}: {status:?}: {}",
            host.error()
        );
        succeeded += u32::from(status == ugas_status::Ok);
    }
    sessions::end_session(host.context, &mut known);
    (succeeded, known)
}

#[test]
fn random_calls_never_panic() {
    let start = Instant::now();
    let (mut seed, mut succeeded, mut answered, mut played, mut signals) = (0, 0, 0, 0, 0);
    // `UGAS_FUZZ_RUNS` sets the number of seeds; the default takes about as long as other tests.
    let most = std::env::var("UGAS_FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok());
    while match most {
        Some(most) => seed < most,
        None => seed < 8 || (start.elapsed() < Duration::from_secs(1) && seed < 1_000),
    } {
        let (calls, known) = run(seed, 1_500);
        succeeded += calls;
        answered += known.answered;
        played += known.played;
        signals += known.signals;
        seed += 1;
    }
    assert!(answered > 0, "no command of a client reached its server: the bodies try too little");
    assert!(played > 0, "no recording was played: the bodies try too little");
    assert!(signals > 0, "no key was pressed: the bodies try too little");
    assert!(succeeded > 1_000, "only {succeeded} calls succeeded: the bodies try too little");
}

#[test]
fn fuzz_test_covers_every_function() {
    let bodies = [
        include_str!("fuzz.rs"),
        include_str!("fuzz/sessions.rs"),
        include_str!("fuzz/loading.rs"),
        include_str!("fuzz/calls.rs"),
    ]
    .concat();
    let header = include_str!("../../include/ugas.h").lines().filter(|line| !line.starts_with("//"));
    let declared = header.filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        before.rsplit(' ').next().filter(|name| name.starts_with("ugas_"))
    });
    let declared: Vec<&str> = declared.collect();
    assert!(declared.len() > 150, "only {} functions were found", declared.len());
    for name in declared {
        assert!(bodies.contains(&format!("{name}(")), "no body calls {name}");
    }
}
