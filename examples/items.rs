//! Items with rolled statistics (§15.3): `cargo run --example items`.
//!
//! Each item becomes an effect that is created at run time. Its multipliers go into named channels, the
//! "damage buckets": bonuses in one bucket add up, buckets multiply.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::sync::Arc;

use ugas::prelude::*;
use ugas::{CaptureDef, CaptureFrom, native};

/// One statistic of an item, as a loot table rolls it.
struct Roll {
    attribute: &'static str,
    operation: Operation,
    value: f64,
    bucket: Option<&'static str>,
}

struct Item {
    name: &'static str,
    slot: &'static str,
    rolls: Vec<Roll>,
}

/// Effect of wearing an item.
fn effect_of(item: &Item) -> EffectDef {
    let tag = format!("Item.Equipped.{}", item.slot);
    item.rolls.iter().fold(
        EffectDef::infinite(format!("GE_Item_{}", item.name)).granting(tag),
        |def, roll| {
            let modifier = ModifierDef::new(roll.attribute, roll.operation, roll.value);
            def.with(match roll.bucket {
                Some(bucket) => modifier.channel(bucket),
                None => modifier,
            })
        },
    )
}

fn equip(sim: &mut Simulation, hero: ControllerId, item: &Item) -> Result<ActiveEffectId, ugas::Error> {
    let effect = sim.define_effect(effect_of(item))?;
    let application = sim.apply_effect(effect, Some(hero), hero)?;
    application.active().ok_or_else(|| RefusalReason::UnknownEffect(effect).into())
}

fn catalog() -> Result<Arc<Catalog>, ugas::Error> {
    // Buckets are applied in the attribute itself; only the part that depends on the target is left to the
    // hit.
    let hit = native(vec![CaptureDef::source("WeaponDamage")], |context| {
        let bonus = if context.target_has("Status.Vulnerable") { 0.2 } else { 0.0 };
        let damage = context.source("WeaponDamage")? * (1.0 + bonus);
        context.output("Health", Operation::Add, -damage)?;
        Ok(damage)
    });
    let strength = MagnitudeDef::attribute(CaptureFrom::Source, "Strength", 0.01);
    // Inhibited, not removed, while no elite is near: the bonus follows the tag.
    let elite_hunter = EffectDef {
        ongoing_required_tags: vec!["Status.FightingElite".into()],
        ..EffectDef::infinite("GE_Passive_EliteHunter")
            .with(ModifierDef::new("WeaponDamage", Operation::Multiply, 0.15).channel("DamageBonuses"))
    };
    Ok(Catalog::builder()
        // Names that only run-time effects use must be declared in the catalog: ids come from its names.
        .tags(["Item.Equipped.Weapon", "Item.Equipped.Set", "Status.FightingElite", "Status.Vulnerable"])
        .channel("LegendaryPowers")
        .attribute_set(
            AttributeSetDef::new("Hero")
                .with(AttributeDef::new("Strength", 50.0))
                .with(AttributeDef::new("WeaponDamage", 100.0).min(0.0)),
        )
        .attribute_set(AttributeSetDef::new("Monster").with(AttributeDef::new("Health", 1000.0).min(0.0)))
        .effect(
            EffectDef::infinite("GE_MainStat_Strength")
                .with(ModifierDef::new("WeaponDamage", Operation::Multiply, strength).channel("MainStat")),
        )
        .effect(elite_hunter)
        .effect(EffectDef::infinite("GE_EliteNear").granting("Status.FightingElite"))
        .native("ExecCalc_Hit", hit)
        .effect(EffectDef::instant("GE_Hit").executing("ExecCalc_Hit"))
        .template(
            ControllerDef::new("Barbarian")
                .with_set("Hero")
                .with_effect("GE_MainStat_Strength", 1.0)
                .with_effect("GE_Passive_EliteHunter", 1.0),
        )
        .template(ControllerDef::new("Elite").with_set("Monster").with_tag("Status.Vulnerable"))
        .build()?)
}

fn main() -> Result<(), ugas::Error> {
    let catalog = catalog()?;
    let damage = catalog.attribute("WeaponDamage")?;
    let mut sim = Simulation::new(Arc::clone(&catalog), Config::seeded(7));
    let (hero, elite) = (sim.spawn("Barbarian")?, sim.spawn("Elite")?);
    let show = |sim: &Simulation, what: &str, expected: f64| {
        let now = sim.current(hero, damage).unwrap_or_default();
        println!("{what:<28} {now:>8.2}");
        assert!((now - expected).abs() < 1e-9, "{what}: expected {expected}");
    };
    show(&sim, "Strength 50", 150.0); // 100 × 1.5

    let sword = Item {
        name: "FireSword",
        slot: "Weapon",
        rolls: vec![Roll {
            attribute: "WeaponDamage",
            operation: Operation::Multiply,
            value: 0.2,
            bucket: Some("DamageBonuses"),
        }],
    };
    let worn = equip(&mut sim, hero, &sword)?;
    show(&sim, "with the fire sword", 180.0); // 100 × 1.5 × 1.2

    sim.apply_effect(catalog.effect("GE_EliteNear")?, Some(elite), hero)?;
    show(&sim, "an elite comes near", 202.5); // 100 × 1.5 × (1 + 0.2 + 0.15)

    let set = Item {
        name: "LegendarySet",
        slot: "Set",
        rolls: vec![Roll {
            attribute: "WeaponDamage",
            operation: Operation::Multiply,
            value: 0.5,
            bucket: Some("LegendaryPowers"),
        }],
    };
    equip(&mut sim, hero, &set)?;
    show(&sim, "with the legendary set", 303.75); // §15.3: ×3.0375

    sim.apply_effect(catalog.effect("GE_Hit")?, Some(hero), elite)?;
    let health = sim.current(elite, catalog.attribute("Health")?).unwrap_or_default();
    println!("{:<28} {health:>8.2}", "the elite's health");
    assert!((health - (1000.0 - 303.75 * 1.2)).abs() < 1e-9);

    sim.remove(worn, Stacks::All)?;
    show(&sim, "without the fire sword", 258.75); // 100 × 1.5 × 1.15 × 1.5

    // An equal item is the same effect: nothing is created twice.
    let before = sim.define_effect(effect_of(&sword))?;
    let again = equip(&mut sim, hero, &sword)?;
    assert_eq!(sim.effect(again).map(|active| active.effect()), Some(before));
    show(&sim, "with the fire sword again", 303.75);
    Ok(())
}
