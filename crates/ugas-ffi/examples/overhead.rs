//! Cost of a call through C: 10,000 attributes read at once, beside the same loop in Rust.
//!
//! `cargo run --release -p ugas-ffi --example overhead` prints both times and their ratio. The goal is a
//! ratio of at most 2; it is reported and not asserted, since a time depends on the machine. The program
//! fails if the two loops read different values.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::ControllerDef;
use ugas_core::simulation::{Config, Simulation};
use ugas_ffi::*;

const CONTROLLERS: usize = 2_500;
const NAMES: [&str; 4] = ["Armor", "Attack", "Health", "Speed"];
const ROUNDS: usize = 200;

const PACK: &str = "
$schema: https://example.org/schemas/attribute_set.json
Name: Fighter
Attributes:
  - { Name: Armor, DefaultBaseValue: 1 }
  - { Name: Attack, DefaultBaseValue: 2 }
  - { Name: Health, DefaultBaseValue: 3 }
  - { Name: Speed, DefaultBaseValue: 4 }
---
$schema: https://example.org/schemas/gameplay_controller.json
Name: Knight
OwnerActor: { ActorID: Knight, ActorType: Player }
AttributeSets: [{ Name: Fighter }]
ReplicationMode: Mixed
";

fn text(text: &str) -> ugas_str {
    ugas_str { data: text.as_ptr().cast(), length: text.len() }
}

fn main() {
    let set = NAMES.iter().zip(1..).fold(AttributeSetDef::new("Fighter"), |set, (name, value)| {
        set.with(AttributeDef::new(*name, f64::from(value)))
    });
    let catalog = Catalog::builder()
        .attribute_set(set)
        .template(ControllerDef::new("Knight").with_set("Fighter"))
        .build()
        .expect("the definitions are valid");
    let attributes = NAMES.map(|name| catalog.attribute(name).expect("just defined"));
    let mut simulation = Simulation::new(catalog, Config::default());
    let controllers: Vec<_> =
        (0..CONTROLLERS).map(|_| simulation.spawn("Knight").expect("just defined")).collect();
    let mut out = vec![0.0; CONTROLLERS * NAMES.len()];
    let in_rust = fastest(|| {
        let mut places = out.iter_mut();
        for &controller in &controllers {
            for &attribute in &attributes {
                let value = simulation.current(black_box(controller), attribute).unwrap_or(f64::NAN);
                if let Some(place) = places.next() {
                    *place = value;
                }
            }
        }
        black_box(&mut out);
    });
    let (through_c, read_through_c) = through_c();
    assert_eq!(out, read_through_c, "reading through C gives other values than reading in Rust");
    let ratio = through_c.as_secs_f64() / in_rust.as_secs_f64();
    let goal = if ratio <= 2.0 { "met" } else { "missed" };
    println!(
        "10,000 attributes: {in_rust:?} in Rust, {through_c:?} through C, {ratio:.2} times (goal of 2: {goal})"
    );
}

/// Duration of a bulk read, and the values read.
fn through_c() -> (Duration, Vec<f64>) {
    let mut context = null_mut();
    let (mut loader, mut catalog, mut simulation) = (0, 0, 0);
    let mut ids = [0; NAMES.len()];
    let mut controllers = vec![0; CONTROLLERS];
    let must = |status: ugas_status| assert_eq!(status, ugas_status::Ok);
    // SAFETY: every pointer points to a local variable of the right type.
    unsafe {
        must(ugas_context_new(UGAS_ABI_VERSION, &raw mut context));
        must(ugas_loader_new(context, &raw mut loader));
        must(ugas_loader_add_text(context, loader, text("pack.yaml"), text(PACK)));
        must(ugas_loader_load(context, loader, &raw mut catalog));
        must(ugas_simulation_new(context, catalog, null(), &raw mut simulation));
        for (name, id) in NAMES.iter().zip(&mut ids) {
            must(ugas_catalog_attribute(context, catalog, text(name), id));
        }
        let spawn = ugas_spawn {
            size: size_of::<ugas_spawn>(),
            template_name: text("Knight"),
            owner: 0,
            avatar: 0,
            has_owner: 0,
            has_avatar: 0,
        };
        for controller in &mut controllers {
            must(ugas_controller_spawn(context, simulation, &raw const spawn, controller));
        }
    }
    let mut out = vec![0.0; CONTROLLERS * NAMES.len()];
    let time = fastest(|| {
        // SAFETY: the lists have the given lengths.
        must(unsafe {
            ugas_attributes_read(
                context,
                simulation,
                black_box(controllers.as_ptr()),
                controllers.len(),
                ids.as_ptr(),
                ids.len(),
                ugas_value::Current as u32,
                out.as_mut_ptr(),
                null_mut(),
            )
        });
        black_box(&mut out);
    });
    // SAFETY: created above, and not used again.
    must(unsafe { ugas_context_free(&raw mut context) });
    (time, out)
}

/// Fastest of many rounds, to exclude disturbances by other programs.
fn fastest(mut round: impl FnMut()) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        round();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}
