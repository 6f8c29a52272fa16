//! Callbacks of the host: calculations and spatial queries.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ugas_ffi::*;

use crate::host::{Host, PACK, add_slash, body, knight, slash, text, zeroed_apply};

const PACK_WITH_READINGS: &str = concat!(
    body!(),
    knight!(),
    "$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Curse
DurationPolicy: Infinite
GrantedTags: [State.Cursed]
---
$schema: https://example.org/schemas/gameplay_effect.json
Name: GE_Smite
DurationPolicy: Instant
AssetTags: [Data.Power]
Executions: [{ CalculatorClass: ExecCalc_Smite }]
"
);

/// `-(Power * Level + 10 if the target is cursed)`; fails without a power, or with invalid random numbers.
unsafe extern "C" fn smite(
    _user: *mut c_void,
    input: *const ugas_calculation_input,
    output: *mut ugas_calculation_output,
) -> u32 {
    // SAFETY: the library calls it with both, and one tag, one number and two random numbers were declared.
    unsafe {
        let input = &*input;
        let (power, cursed) = (*input.magnitudes, *input.tags);
        let (first, second) = (*input.randoms, *input.randoms.add(1));
        let dice = 0.0..1.0;
        if power.is_nan() || !dice.contains(&first) || !dice.contains(&second) || first == second {
            return 1;
        }
        (*output).changes[0].magnitude = -(power * input.level + 10.0 * f64::from(cursed));
        (*output).change_count = 1;
    }
    0
}

#[test]
fn calculation_gets_its_declared_inputs() {
    let host = Host::prepared(PACK_WITH_READINGS, |context, loader| {
        let tags = [ugas_reading { name: text("State.Cursed"), party: ugas_party::Target as u32, frozen: 0 }];
        let (magnitudes, outputs) = ([text("Data.Power")], [text("Health")]);
        let calculation = ugas_calculation {
            size: size_of::<ugas_calculation>(),
            name: text("ExecCalc_Smite"),
            attributes: null(),
            attribute_count: 0,
            tags: tags.as_ptr(),
            tag_count: 1,
            magnitudes: magnitudes.as_ptr(),
            magnitude_count: 1,
            outputs: outputs.as_ptr(),
            output_count: 1,
            random_count: 2,
            calculate: Some(smite),
            user: null_mut(),
            free: None,
        };
        // SAFETY: a live context and local variables.
        unsafe { ugas_loader_add_calculation(context, loader, &raw const calculation) }
    });
    let knight = host.spawn();
    assert_eq!(host.apply("GE_Smite", 0, knight), ugas_status::Refused); // no power
    let mut tag = 0;
    // SAFETY: a live context and a local variable.
    host.must(unsafe { ugas_catalog_tag(host.context, host.catalog, text("Data.Power"), &raw mut tag) });
    let power = ugas_magnitude { value: 3.0, tag, reserved: 0 };
    let smite = |host: &Host| {
        let apply = ugas_apply {
            effect: host.effect("GE_Smite"),
            level: 2.0,
            has_level: 1,
            magnitudes: &raw const power,
            magnitude_count: 1,
            ..zeroed_apply()
        };
        // SAFETY: a live context and local variables.
        host.must(unsafe {
            let (context, simulation) = (host.context, host.simulation);
            ugas_effect_apply(context, simulation, &raw const apply, knight, null_mut(), null_mut())
        });
    };
    smite(&host);
    assert_eq!(host.current(knight, "Health"), 94.0); // 3 * 2 less
    host.must(host.apply("GE_Curse", 0, knight));
    smite(&host);
    assert_eq!(host.current(knight, "Health"), 78.0); // 3 * 2 + 10 less
}

/// Answers with the list in `user`.
unsafe extern "C" fn answer(
    user: *mut c_void,
    _now: u64,
    area: *const ugas_area,
    found: *mut ugas_controller,
    capacity: usize,
    count: *mut usize,
) -> u32 {
    // SAFETY: `user` leads to a list of the test, the rest is as the library calls it.
    unsafe {
        let list = &*user.cast::<Vec<u64>>();
        assert_eq!(((*area).shape, (*area).range), (ugas_shape::Radius as u32, 10.0));
        for (at, &controller) in list.iter().take(capacity).enumerate() {
            found.add(at).write(controller);
        }
        *count = list.len();
    }
    1
}

unsafe extern "C" fn hidden(_user: *mut c_void, _now: u64, _from: *const f64, to: *const f64) -> u32 {
    // SAFETY: the library gives three numbers.
    u32::from(unsafe { *to } != 30.0)
}

unsafe extern "C" fn sees_nothing(_: *mut c_void, now: u64, _: *const f64, _: *const f64) -> u32 {
    assert_eq!(now, 0, "the simulation has not advanced");
    0
}

#[test]
fn host_answers_area_and_line_of_sight_queries() {
    let mut answers: Vec<u64> = Vec::new();
    let user: *mut c_void = (&raw mut answers).cast();
    let host = Host::prepared(PACK, |context, loader| {
        let space = ugas_space {
            size: size_of::<ugas_space>(),
            line_of_sight: Some(hidden),
            candidates: Some(answer),
            user,
            free: None,
        };
        // SAFETY: a live context and a local variable.
        assert_eq!(unsafe { ugas_loader_set_space(context, loader, &raw const space) }, ugas_status::Ok);
        add_slash(context, loader, slash, null_mut(), None)
    });
    // The caster at 0, and a hundred others in a row; all but the caster are of another team.
    let knights: Vec<u64> = (0..101).map(|_| host.spawn()).collect();
    let places: Vec<ugas_placement> =
        (0..101).map(|at| ugas_placement { position: [f64::from(at), 0.0, 0.0], facing: [0.0; 3] }).collect();
    let (mut ability, mut granted, mut count) = (0, 0, 0);
    let mut tasks: [ugas_task_info; 1];
    let mut found: [ugas_target; 16];
    // SAFETY: a live context and local variables; structures of numbers may be zero.
    unsafe {
        let (context, simulation) = (host.context, host.simulation);
        tasks = std::mem::zeroed();
        found = std::mem::zeroed();
        let missing = &raw mut count;
        host.must(ugas_placements_set(
            context,
            simulation,
            knights.as_ptr(),
            places.as_ptr(),
            knights.len(),
            missing,
        ));
        assert_eq!(count, 0);
        for (at, &knight) in knights.iter().enumerate() {
            let team = if at == 0 { "Red" } else { "Blue" };
            host.must(ugas_team_set(context, simulation, knight, text(team)));
        }
        // More than the initial capacity, and outside the range: the answer of the host counts.
        user.cast::<Vec<u64>>().write(knights[28..].to_vec());
        host.must(ugas_catalog_ability(context, host.catalog, text("GA_Thunder"), &raw mut ability));
        let mut grant: ugas_grant = std::mem::zeroed();
        grant.size = size_of::<ugas_grant>();
        grant.ability = ability;
        host.must(ugas_ability_grant(context, simulation, knights[0], &raw const grant, &raw mut granted));
        host.must(ugas_ability_activate(context, simulation, granted, null(), 0, null(), null_mut()));
        let size = size_of::<ugas_task_info>();
        let waiting = tasks.as_mut_ptr();
        host.must(ugas_tasks_of(context, simulation, knights[0], waiting, size, 1, &raw mut count));
        assert_eq!(count, 1);
        let size = size_of::<ugas_target>();
        let (task, out) = (tasks[0].task, found.as_mut_ptr());
        host.must(ugas_task_preview_targets(context, simulation, task, out, size, 16, &raw mut count));
    }
    // The eight nearest, without the one at 30, which is not visible.
    let expected: Vec<u64> = [28, 29, 31, 32, 33, 34, 35, 36].map(|at: usize| knights[at]).to_vec();
    let preview: Vec<u64> = found[..count].iter().map(|target| target.controller).collect();
    assert_eq!(preview, expected);
    // A world of the simulation itself replaces that of the catalog: nothing is visible there.
    let blind = ugas_space {
        size: size_of::<ugas_space>(),
        line_of_sight: Some(sees_nothing),
        candidates: None,
        user: null_mut(),
        free: None,
    };
    let mut preview_with = |space: *const ugas_space| {
        // SAFETY: a live context and local variables.
        unsafe {
            let (context, simulation, size) = (host.context, host.simulation, size_of::<ugas_target>());
            host.must(ugas_simulation_set_space(context, simulation, space));
            let (task, out) = (tasks[0].task, found.as_mut_ptr());
            host.must(ugas_task_preview_targets(context, simulation, task, out, size, 16, &raw mut count));
        }
        count
    };
    assert_eq!((preview_with(&raw const blind), preview_with(null())), (0, expected.len()));
    drop(host);
    drop(answers);
}
