//! Names of a pack as types, checked by the compiler: `cargo run --example typed_names`.
//!
//! `typed_names/spells.rs` was made by `ugas generate --rust packs/spells --out examples/typed_names/spells.rs`.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

#[path = "typed_names/spells.rs"]
mod spells;

use std::error::Error;

use spells::names::templates;
use spells::{Ids, cues, effects};
use ugas::data::Loader;
use ugas::prelude::*;
use ugas::{EffectName, TagName};

/// Applies an effect that is named by a type.
fn apply<E: EffectName>(sim: &mut Simulation, target: ControllerId) -> Result<(), Box<dyn Error>> {
    let effect = sim.catalog().effect(E::NAME)?;
    sim.apply_effect(effect, None, target)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let pack = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/spells");
    let catalog = Loader::new().path(pack).load()?.catalog;
    // All names are looked up once; `ids.attributes.helth` would not compile.
    let ids = Ids::resolve(&catalog)?;
    let mut sim = Simulation::new(catalog, Config::seeded(7));
    let ogre = sim.spawn(templates::OGRE)?;

    apply::<effects::GEFireballDamage>(&mut sim, ogre)?;
    apply::<effects::GEStun>(&mut sim, ogre)?;
    // 100 less 20 + 10 * level 1.
    assert_eq!(sim.current(ogre, ids.attributes.health), Some(70.0));
    assert!(sim.has_tag(ogre, ids.tags.state_stunned));
    let shown = sim
        .events()
        .any(|event| matches!(event.kind, EventKind::CueExecuted { cue, .. } if cue == ids.cues.impact_fire));
    assert!(shown, "the damage shows its cue");
    println!("{} was shown; the ogre has 70 health and is stunned", cues::ImpactFire::NAME);
    Ok(())
}
