//! Random functions inside callbacks.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use super::Dice;
use crate::host::{Host, text, zeroed_apply, zeroed_event};

const PACK: &str = include_str!("../../../examples/hooks.yaml");

/// Shared by all callbacks of one game.
struct Player {
    dice: Dice,
    knights: Vec<u64>,
    succeeded: u32,
}

impl Player {
    /// A few random functions of a call, and of a call that has ended.
    fn act(&mut self, call: ugas_call) {
        for _ in 0..self.dice.below(6) {
            let call = if self.dice.below(10) == 0 { call.wrapping_sub(1) } else { call };
            let status = self.one_function(call);
            assert!(!matches!(status, ugas_status::Panic | ugas_status::Busy), "{status:?}");
            self.succeeded += u32::from(status == ugas_status::Ok);
        }
    }

    fn one_function(&mut self, call: ugas_call) -> ugas_status {
        let dice = &mut self.dice;
        let knight = dice.pick(&self.knights);
        let (id, number, word) = (dice.id(), dice.number(), dice.word());
        let (mut out_64, mut out_32, mut out_f64, mut count) = (0_u64, 0_u32, 0.0_f64, 0_usize);
        let (p32, pf) = (&raw mut out_32, &raw mut out_f64);
        let pf = if dice.below(10) == 0 { null_mut() } else { pf };
        let magnitude = ugas_magnitude { value: number, tag: id, reserved: 0 };
        let apply = ugas_apply {
            effect: dice.id(),
            magnitudes: &raw const magnitude,
            magnitude_count: dice.below(2) as usize,
            source: if dice.below(3) == 0 { knight } else { 0 },
            level: number,
            has_level: dice.below(2) as u32,
            ..zeroed_apply()
        };
        let event = ugas_gameplay_event { tag: id, magnitude: number, ..zeroed_event() };
        let mut rows = [0_u64; 64];
        let numbers = [number; 4];
        // SAFETY: every pointer is null or leads to enough local memory.
        unsafe {
            match dice.below(17) {
                0 => ugas_call_now(call, &raw mut out_64),
                1 => ugas_call_find(call, dice.below(5) as u32, word, p32),
                2 => ugas_call_attribute(call, knight, id, dice.below(3) as u32, pf),
                3 => ugas_call_has_tag(call, knight, id, p32),
                4 => {
                    let out = rows.as_mut_ptr().cast();
                    ugas_call_effects(call, knight, null(), out, 88, 4, &raw mut count)
                }
                5 => ugas_call_magnitude(call, id, pf),
                6 => ugas_call_refuse(call, word),
                7 => ugas_call_set_base(call, id, number),
                8 => ugas_call_apply(call, &raw const apply, knight, dice.below(3) as u32),
                9 => ugas_call_parameter(call, word, pf),
                10 => ugas_call_memory(call, rows.as_mut_ptr().cast(), 4, &raw mut count),
                11 => ugas_call_store(call, numbers.as_ptr(), dice.below(5) as usize),
                12 => ugas_call_subscribe(call, knight, dice.below(16) as u32, id),
                13 => ugas_call_wake_in(call, dice.next() as i64 >> dice.below(64)),
                14 => ugas_call_remove(call, dice.pick(&self.knights), id),
                15 => ugas_call_send_event(call, knight, &raw const event),
                _ => ugas_call_output(call, word, number),
            }
        }
    }
}

/// # Safety
/// `user` is the player of the game, which no other call uses.
unsafe fn player<'a>(user: *mut c_void) -> &'a mut Player {
    // SAFETY: as promised.
    unsafe { &mut *user.cast::<Player>() }
}

unsafe extern "C" fn before(user: *mut c_void, call: ugas_call, _: *const ugas_before_apply_input) -> u32 {
    // SAFETY: as the library calls it.
    let player = unsafe { player(user) };
    player.act(call);
    u32::from(player.dice.below(8) == 0)
}

unsafe extern "C" fn change(user: *mut c_void, input: *const ugas_pre_change_input) -> f64 {
    // SAFETY: as the library calls it.
    let (player, new_value) = unsafe { (player(user), (*input).new_value) };
    if player.dice.below(4) == 0 { player.dice.number() } else { new_value }
}

unsafe extern "C" fn executed(user: *mut c_void, call: ugas_call, _: *const ugas_post_execute_input) {
    // SAFETY: as the library calls it.
    unsafe { player(user) }.act(call);
}

unsafe extern "C" fn run_task(user: *mut c_void, call: ugas_call, _: *const ugas_task_input) -> u32 {
    // SAFETY: as the library calls it.
    let player = unsafe { player(user) };
    player.act(call);
    [0, 0, 0, 0, 1, 2, 9][player.dice.below(7) as usize]
}

/// One game with random callbacks; returns the number of functions that succeeded in them.
fn run(seed: u64) -> u32 {
    let mut state = Player { dice: Dice(seed), knights: Vec::new(), succeeded: 0 };
    let user: *mut c_void = (&raw mut state).cast();
    let host = Host::prepared(PACK, |context, loader| {
        let hooks = ugas_hooks {
            size: size_of::<ugas_hooks>(),
            attribute: text("Health"),
            before_apply: Some(before),
            pre_change: Some(change),
            post_execute: Some(executed),
            user,
            free: None,
        };
        let task = ugas_custom_task {
            size: size_of::<ugas_custom_task>(),
            name: text("Watch"),
            activate: Some(run_task),
            wake: Some(run_task),
            timer: Some(run_task),
            user,
            free: None,
            never_waits: 0,
            reserved: 0,
        };
        // SAFETY: a live context and local variables.
        unsafe {
            assert_eq!(ugas_loader_add_task(context, loader, &raw const task), ugas_status::Ok);
            ugas_loader_add_hooks(context, loader, &raw const hooks)
        }
    });
    let knights = [host.spawn(), host.spawn()];
    // SAFETY: no callback runs now.
    unsafe { player(user) }.knights.extend(knights);
    let mut dice = Dice(!seed);
    let (mut ability, mut tag) = (0, 0);
    // SAFETY: a live context and local variables.
    unsafe {
        host.must(ugas_catalog_ability(host.context, host.catalog, text("GA_Watch"), &raw mut ability));
        host.must(ugas_catalog_tag(host.context, host.catalog, text("Data.Amount"), &raw mut tag));
    }
    for _ in 0..60 {
        let (source, target) = (knights[dice.below(2) as usize], knights[dice.below(2) as usize]);
        // SAFETY: a live context and local variables; zero is a value of both structures.
        let status = unsafe {
            match dice.below(3) {
                0 => ugas_simulation_advance(host.context, host.simulation, 700_000),
                1 => {
                    let magnitude = ugas_magnitude { value: -1.0, tag, reserved: 0 };
                    let apply = ugas_apply {
                        effect: host.effect("GE_Hit"),
                        source,
                        magnitudes: &raw const magnitude,
                        magnitude_count: 1,
                        ..zeroed_apply()
                    };
                    let (context, simulation) = (host.context, host.simulation);
                    ugas_effect_apply(context, simulation, &raw const apply, target, null_mut(), null_mut())
                }
                _ => {
                    let mut granted = 0;
                    let mut grant: ugas_grant = std::mem::zeroed();
                    (grant.size, grant.ability, grant.level) = (size_of::<ugas_grant>(), ability, 1);
                    let (context, simulation) = (host.context, host.simulation);
                    let grant = &raw const grant;
                    host.must(ugas_ability_grant(context, simulation, source, grant, &raw mut granted));
                    let mut on: ugas_target = std::mem::zeroed();
                    (on.kind, on.controller) = (ugas_target_kind::Controller as u32, target);
                    ugas_ability_activate(context, simulation, granted, &raw const on, 1, null(), null_mut())
                }
            }
        };
        assert_ne!(status, ugas_status::Panic, "{}", host.error());
    }
    drop(host);
    state.succeeded
}

#[test]
fn random_functions_in_callbacks_never_panic() {
    let succeeded: u32 = (0..40).map(run).sum();
    assert!(succeeded > 1_000, "only {succeeded} functions succeeded: the callbacks try too little");
}
