//! Undo through the audit trail (§15.4): `cargo run --example undo`.
//!
//! Two tiles of a 2048-like game merge, and the turn is taken back. Nothing keeps a copy of the board: with
//! `Config::audit`, every application first emits `BeforeEffectApplied` with the values that it is about to
//! change. Undo walks the record backwards: changed values are restored by an instant `Override` effect, and
//! effects that became active are removed. So undo uses the same pipeline as any other change.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;

use ugas::prelude::*;

/// One change of a turn.
enum Step {
    /// An effect was about to change these attributes, which had these base values.
    Before { target: ControllerId, values: Vec<(AttributeId, f64)> },
    /// An effect became active.
    Applied(ActiveEffectId),
}

/// Changes of the finished turns, the latest last.
#[derive(Default)]
struct History {
    turns: Vec<Vec<Step>>,
}

impl History {
    /// Records the events since the last turn as one turn.
    fn commit(&mut self, sim: &mut Simulation) {
        let step = |event: Event| match event.kind {
            EventKind::BeforeEffectApplied { target, values, .. } => {
                let values = values.iter().map(|&(attribute, base, _)| (attribute, base)).collect();
                Some(Step::Before { target, values })
            }
            EventKind::EffectApplied { active, .. } => Some(Step::Applied(active)),
            _ => None,
        };
        self.turns.push(sim.events().filter_map(step).collect());
    }

    /// Undoes the latest turn; false if there is none.
    fn undo(&mut self, sim: &mut Simulation) -> Result<bool, ugas::Error> {
        let Some(turn) = self.turns.pop() else { return Ok(false) };
        for step in turn.into_iter().rev() {
            match step {
                Step::Before { target, values } => restore(sim, target, &values)?,
                Step::Applied(active) => sim.remove(active, Stacks::All)?,
            }
        }
        // The restoring effects are in the stream like any others; they are not a turn of their own.
        let restored = sim.events().filter(|event| matches!(event.kind, EventKind::EffectExecuted { .. }));
        println!("undone by {} restoring effects", restored.count());
        Ok(true)
    }
}

/// Writes base values by an instant effect with one override an attribute, created for just these attributes.
/// An equal definition is used again, so there are only as many as there are combinations.
fn restore(
    sim: &mut Simulation,
    target: ControllerId,
    values: &[(AttributeId, f64)],
) -> Result<(), ugas::Error> {
    if values.is_empty() {
        return Ok(());
    }
    let catalog = Arc::clone(sim.catalog());
    let mut def = EffectDef::instant("GE_RestoreValues");
    for &(attribute, _) in values {
        let name = catalog.attribute_name(attribute);
        let magnitude = MagnitudeDef::set_by_caller(restore_tag(name));
        def = def.modify(name, Operation::Override, magnitude);
    }
    let effect = sim.define_effect(def)?;
    let mut spec = sim.spec(effect, 1.0, EffectContext::default())?;
    for &(attribute, base) in values {
        spec.set_magnitude(catalog.tag(&restore_tag(catalog.attribute_name(attribute)))?, base);
    }
    sim.apply(&spec, target)?;
    Ok(())
}

/// SetByCaller tag of a value to restore.
fn restore_tag(attribute: &str) -> String {
    format!("Restore.{attribute}")
}

fn catalog() -> Result<Arc<Catalog>, ugas::Error> {
    let cell = ["CellValue", "GridX", "GridY"];
    let attributes = cell.map(|name| AttributeDef::new(name, 0.0));
    let set = attributes.into_iter().fold(AttributeSetDef::new("PuzzleCell"), AttributeSetDef::with);
    Ok(Catalog::builder()
        .tags(["Move.X", "Move.Y", "Status.PendingDestroy"])
        .tags(cell.map(restore_tag))
        .attribute_set(set)
        .effect(
            EffectDef::instant("GE_CellMove")
                .modify("GridX", Operation::Override, MagnitudeDef::set_by_caller("Move.X"))
                .modify("GridY", Operation::Override, MagnitudeDef::set_by_caller("Move.Y")),
        )
        .effect(EffectDef::instant("GE_CellMerge").modify("CellValue", Operation::Multiply, 1.0))
        .effect(EffectDef::infinite("GE_PendingDestroy").granting("Status.PendingDestroy"))
        .template(ControllerDef::new("Tile").with_set("PuzzleCell").with_base("CellValue", 2.0))
        .build()?)
}

/// Moves a tile to a cell of the grid.
fn slide(sim: &mut Simulation, tile: ControllerId, x: f64, y: f64) -> Result<(), ugas::Error> {
    let catalog = Arc::clone(sim.catalog());
    let spec = sim.spec(catalog.effect("GE_CellMove")?, 1.0, EffectContext::of(tile))?;
    let spec = spec.with_magnitude(catalog.tag("Move.X")?, x).with_magnitude(catalog.tag("Move.Y")?, y);
    sim.apply(&spec, tile)?;
    Ok(())
}

/// Visible state of a tile: value, cell, and whether it is about to be removed.
type Seen = (f64, f64, f64, bool);

fn look(sim: &Simulation, tile: ControllerId) -> Result<Seen, ugas::Error> {
    let catalog = sim.catalog();
    let value = |name| -> Result<f64, ugas::Error> {
        Ok(sim.current(tile, catalog.attribute(name)?).unwrap_or_default())
    };
    let pending = sim.has_tag(tile, catalog.tag("Status.PendingDestroy")?);
    Ok((value("CellValue")?, value("GridX")?, value("GridY")?, pending))
}

fn main() -> Result<(), ugas::Error> {
    let catalog = catalog()?;
    let mut sim = Simulation::new(Arc::clone(&catalog), Config { audit: true, ..Config::seeded(7) });
    let mut history = History::default();

    // Two tiles of 2, at the left and in the middle of the top row.
    let (left, middle) = (sim.spawn("Tile")?, sim.spawn("Tile")?);
    slide(&mut sim, middle, 1.0, 0.0)?;
    sim.events().for_each(drop);
    let start = (look(&sim, left)?, look(&sim, middle)?);
    println!("start    {start:?}");

    // The first turn, down: both slide to the bottom row.
    slide(&mut sim, left, 0.0, 3.0)?;
    slide(&mut sim, middle, 1.0, 3.0)?;
    history.commit(&mut sim);
    let down = (look(&sim, left)?, look(&sim, middle)?);
    println!("down     {down:?}");
    assert_eq!(down, ((2.0, 0.0, 3.0, false), (2.0, 1.0, 3.0, false)));

    // The second turn, to the right: the middle one slides into the corner, and the left one merges into it.
    slide(&mut sim, middle, 3.0, 3.0)?;
    slide(&mut sim, left, 3.0, 3.0)?;
    sim.apply_effect(catalog.effect("GE_CellMerge")?, Some(left), middle)?;
    sim.apply_effect(catalog.effect("GE_PendingDestroy")?, Some(middle), left)?;
    history.commit(&mut sim);
    let merged = (look(&sim, left)?, look(&sim, middle)?);
    println!("right    {merged:?}");
    assert_eq!(merged, ((2.0, 3.0, 3.0, true), (4.0, 3.0, 3.0, false)));

    assert!(history.undo(&mut sim)?);
    let undone = (look(&sim, left)?, look(&sim, middle)?);
    println!("undo     {undone:?}");
    assert_eq!(undone, down, "the second turn was not undone");

    assert!(history.undo(&mut sim)?);
    let undone = (look(&sim, left)?, look(&sim, middle)?);
    println!("undo     {undone:?}");
    assert_eq!(undone, start, "the first turn was not undone");

    assert!(!history.undo(&mut sim)?, "there is nothing left to undo");
    Ok(())
}
