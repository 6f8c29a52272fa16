//! The rules of soak matches: a small game with a bit of everything, its numbers drawn from the seed.

use std::sync::Arc;

use ugas_core::ability::{AbilityDef, NetExecution, NetSecurity};
use ugas_core::attribute::{AttributeDef, AttributeReplication, AttributeSetDef};
use ugas_core::catalog::Catalog;
use ugas_core::controller::{ControllerDef, ReplicationMode};
use ugas_core::effect::{AbilityGrantDef, EffectDef, StackExpiration, StackingDef};
use ugas_core::modifier::Operation;
use ugas_core::prediction::Randomness;
use ugas_core::random::RandomStream;
use ugas_core::targeting::{Confirmation, Shape, TargetingDef};
use ugas_core::task::{ActionDef, DespawnDef, EffectFilterDef, RemoveDef, SpawnDef, TaskDef, WaitDef};

/// The abilities that every hero has, which are also the names of their inputs.
pub(super) const ABILITIES: [&str; 18] = [
    "GA_Bolt",
    "GA_Weapon",
    "GA_Poison",
    "GA_Shield",
    "GA_Dispel",
    "GA_Channel",
    "GA_Aim",
    "GA_Vow",
    "GA_Stance",
    "GA_Royal",
    "GA_Lucky",
    "GA_Gift",
    "GA_Local",
    "GA_Summon",
    "GA_Thorns",
    "GA_Blast",
    "GA_Volley",
    "GA_Guarded",
];

/// Ability of the server that runs on every hero for good: no client may end it.
pub(super) const CURSE: &str = "GA_Curse";

/// Effects of abilities with a range: most targets of one activation.
pub(super) const RANGED: [(&str, u64); 2] = [("GE_Blast_Hit", 1), ("GE_Volley_Hit", 2)];

/// Range of these abilities.
pub(super) const RANGE: f64 = 10.0;

/// Effects that the server applies to anybody at any time.
pub(super) const AFFLICTIONS: [&str; 9] = [
    "GE_Silence",
    "GE_Poison",
    "GE_Shield",
    "GE_Stance",
    "GE_Bolt_Hit",
    "GE_Refill",
    "GE_Curse",
    "GE_Gift",
    "GE_Omen",
];

/// Attribute sets that come and go at run time. They share attribute names, and differ in replication (N1).
pub(super) const RELICS: [&str; 2] = ["Relic", "CursedRelic"];

/// Templates of players.
pub(super) const HEROES: [&str; 3] = ["Hero", "OpenHero", "PlainHero"];

/// The rules, and the costs and cooldowns to audit.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) catalog: Arc<Catalog>,
    /// Abilities with what they cost and how long they cool down, in seconds.
    pub(super) priced: Vec<Priced>,
}

/// An ability with a cost or cooldown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priced {
    pub(super) ability: &'static str,
    pub(super) cost: Option<(&'static str, f64)>,
    pub(super) cooldown: Option<f64>,
}

impl Game {
    /// Draws a game.
    pub(super) fn draw(seed: u64) -> Self {
        Self::draw_edition(seed, 0)
    }

    /// Draws an edition of a game, for hot reloads. Editions differ in numbers and ids, but not in costs,
    /// cooldowns and ranges, so that the audits go on.
    ///
    /// # Panics
    /// Never: the rules are sound whatever is drawn, and tests build many of them.
    pub(super) fn draw_edition(seed: u64, edition: u64) -> Self {
        let mut dice = RandomStream::derive(seed, &[0]);
        let priced = vec![
            Priced {
                ability: "GA_Bolt",
                cost: Some(("GE_Bolt_Cost", whole(&mut dice, 5, 30))),
                cooldown: Some(tenths(&mut dice, 3, 20)),
            },
            Priced { ability: "GA_Weapon", cost: None, cooldown: Some(tenths(&mut dice, 1, 4)) },
            Priced {
                ability: "GA_Poison",
                cost: Some(("GE_Poison_Cost", whole(&mut dice, 1, 15))),
                cooldown: None,
            },
            Priced {
                ability: "GA_Dispel",
                cost: Some(("GE_Dispel_Cost", whole(&mut dice, 1, 20))),
                cooldown: Some(tenths(&mut dice, 2, 15)),
            },
            Priced {
                ability: "GA_Royal",
                cost: Some(("GE_Royal_Cost", whole(&mut dice, 1, 20))),
                cooldown: Some(tenths(&mut dice, 2, 10)),
            },
        ];
        if edition > 0 {
            dice = RandomStream::derive(seed, &[0, edition]);
        }
        let catalog = catalog(&mut dice, &priced, edition);
        Self { catalog, priced }
    }
}

/// Draws a whole number, bounds included.
fn whole(dice: &mut RandomStream, from: u64, to: u64) -> f64 {
    (from + dice.below(to - from + 1)) as f64
}

/// Draws a multiple of a tenth; the bounds are in tenths, and included.
fn tenths(dice: &mut RandomStream, from: u64, to: u64) -> f64 {
    whole(dice, from, to) / 10.0
}

/// Builds the catalog. Costs and cooldowns come from `priced`, which the audit checks against.
fn catalog(dice: &mut RandomStream, priced: &[Priced], edition: u64) -> Arc<Catalog> {
    let set = AttributeSetDef::new("Combat")
        .with(AttributeDef::new("Health", 100.0).min(0.0).max(100.0))
        .with(
            AttributeDef::new("Energy", 100.0)
                .min(0.0)
                .max(100.0)
                .replication(AttributeReplication::OwnerOnly),
        )
        .with(AttributeDef::new("Armor", 0.0))
        .with(AttributeDef::new("Luck", 7.0).replication(AttributeReplication::None));
    let relic = |name: &str, power, omen| {
        AttributeSetDef::new(name)
            .with(AttributeDef::new("Power", 10.0).quantize(0.0, 100.0, 5).replication(power))
            .with(AttributeDef::new("Omen", 3.0).replication(omen))
    };
    let (all, owner, none) =
        (AttributeReplication::All, AttributeReplication::OwnerOnly, AttributeReplication::None);
    // Nobody ever has the first and the last in the order of names.
    let decoy = |name: &str| {
        ["Energy", "Luck", "Power", "Omen"].into_iter().fold(AttributeSetDef::new(name), |set, attribute| {
            set.with(AttributeDef::new(attribute, 0.0).quantize(0.0, 100.0, 5))
        })
    };
    let mut builder = Catalog::builder()
        .attribute_set(set)
        .attribute_set(relic(RELICS[0], all, owner))
        .attribute_set(relic(RELICS[1], none, all))
        .attribute_set(decoy("A_Decoy"))
        .attribute_set(decoy("Z_Decoy"));
    for effect in effects(dice) {
        builder = builder.effect(effect);
    }
    for one in priced {
        if let Some((name, cost)) = one.cost {
            builder = builder.effect(EffectDef::instant(name).modify("Energy", Operation::Add, -cost));
        }
        if let Some(seconds) = one.cooldown {
            let short = one.ability.trim_start_matches("GA_");
            let effect = EffectDef::lasting(format!("GE_{short}_Cooldown"), seconds);
            builder = builder.effect(effect.granting(format!("Cooldown.{short}")));
        }
    }
    for ability in abilities(dice) {
        let price = priced.iter().find(|one| one.ability == ability.name);
        let mut ability = ability;
        if let Some((cost, _)) = price.and_then(|one| one.cost) {
            ability = ability.cost(cost);
        }
        if price.is_some_and(|one| one.cooldown.is_some()) {
            let short = ability.name.trim_start_matches("GA_").to_owned();
            ability = ability.cooldown(format!("GE_{short}_Cooldown"));
        }
        builder = builder.ability(ability);
    }
    for template in templates() {
        builder = builder.template(template);
    }
    for number in 0..edition % 4 {
        // Before all others in the order of names, so that their ids are different in each edition.
        let effect = EffectDef::lasting(format!("GE_A_Edition_{number}"), 1.0);
        builder = builder.effect(effect.granting(format!("A.Edition{number}")));
        builder = builder.ability(AbilityDef::new(format!("GA_A_Edition_{number}")));
    }
    match builder.build() {
        Ok(catalog) => catalog,
        Err(errors) => panic!("the rules of the soak are not sound: {errors}"),
    }
}

/// Effects of the game, without costs and cooldowns.
fn effects(dice: &mut RandomStream) -> Vec<EffectDef> {
    let poison = StackingDef {
        expiration: [StackExpiration::ClearAll, StackExpiration::RemoveOneAndRefresh][dice.below(2) as usize],
        ..StackingDef::by_target(2 + dice.below(4) as u32)
    };
    vec![
        EffectDef::infinite("GE_Regeneration").every(tenths(dice, 2, 10)).modify(
            "Energy",
            Operation::Add,
            1.0,
        ),
        EffectDef::instant("GE_Refill").modify("Energy", Operation::Add, 40.0),
        EffectDef::instant("GE_Bolt_Hit")
            .modify("Health", Operation::Add, -whole(dice, 1, 30))
            .cue("GameplayCue.Hit"),
        EffectDef::instant("GE_Weapon_Hit").modify("Health", Operation::Add, -1.0),
        EffectDef::instant("GE_Blast_Hit").modify("Health", Operation::Add, -1.0),
        EffectDef::instant("GE_Volley_Hit").modify("Health", Operation::Add, -1.0),
        EffectDef::instant("GE_Heal").modify("Health", Operation::Add, whole(dice, 5, 50)),
        EffectDef::lasting("GE_Poison", tenths(dice, 5, 10))
            .every(tenths(dice, 1, 5))
            .modify("Health", Operation::Add, -1.0)
            .granting("State.Poisoned")
            .cue("GameplayCue.Poison")
            .stacking(poison),
        EffectDef::lasting("GE_Shield", tenths(dice, 5, 40))
            .modify("Armor", Operation::Add, 10.0)
            .granting("State.Shielded")
            .cue("GameplayCue.Shield"),
        EffectDef::lasting("GE_Silence", tenths(dice, 2, 15)).granting("State.Silenced"),
        EffectDef::infinite("GE_Stance")
            .modify("Armor", Operation::Add, 1.0)
            .granting("State.Stance")
            .stacking(StackingDef::by_source(3)),
        EffectDef::lasting("GE_Curse", 5_000.0)
            .modify("Armor", Operation::Add, -1.0)
            .modify("Luck", Operation::Add, 1.0)
            .granting("State.Cursed")
            .cue("GameplayCue.Curse"),
        EffectDef::instant("GE_Omen").modify("Power", Operation::Add, tenths(dice, 11, 39)).modify(
            "Omen",
            Operation::Add,
            1.0,
        ),
        EffectDef::lasting("GE_Luck", tenths(dice, 3, 20)).with_chance(0.5).granting("State.Lucky"),
        EffectDef::lasting("GE_Spread", tenths(dice, 3, 20))
            .with_chance(0.5)
            .randomness(Randomness::Predicted)
            .granting("State.Spread"),
        EffectDef::lasting("GE_Gift", tenths(dice, 5, 30))
            .granting_ability(AbilityGrantDef::new("GA_Borrowed")),
    ]
}

/// Abilities of the game, without costs and cooldowns. They cover predicted, server-only and local ones,
/// waiting, targeting, channelling, chance, grants and summons.
fn abilities(dice: &mut RandomStream) -> Vec<AbilityDef> {
    let plain = |name: &str| AbilityDef::new(name).task(TaskDef::commit());
    let dispel = RemoveDef { tags: vec!["State.Poisoned".into()], ..RemoveDef::default() };
    let unstance = RemoveDef { effect: Some("GE_Stance".into()), ..RemoveDef::default() };
    let aim = WaitDef::TargetData {
        targeting: TargetingDef::new(Shape::ActivationTarget),
        confirmation: Confirmation::Custom,
        max_delay: None,
    };
    let channel = TaskDef::Race(vec![
        vec![TaskDef::Wait(WaitDef::InputReleased(None))],
        vec![
            TaskDef::wait(tenths(dice, 2, 8)),
            TaskDef::apply_to_owner("GE_Heal"),
            TaskDef::wait(tenths(dice, 2, 8)),
            TaskDef::apply_to_owner("GE_Shield"),
        ],
    ]);
    // A17: some leave by themselves, some with the ability, some when another takes the name.
    let summon = SpawnDef {
        count: Some(whole(dice, 1, 2).into()),
        lifetime: Some(tenths(dice, 3, 30).into()),
        bound: dice.chance(0.5),
        name: Some("pack".to_owned()),
        ..SpawnDef::new(["Wolf", "Banner"][dice.below(2) as usize])
    };
    let dismiss = DespawnDef { name: Some("pack".to_owned()), ..DespawnDef::default() };
    // A9: each hit is a round.
    let thorns = TaskDef::Repeat {
        count: None,
        interval: None,
        tasks: vec![
            TaskDef::Wait(WaitDef::EffectApplied(EffectFilterDef {
                effect: Some("GE_Poison".to_owned()),
                tags: Vec::new(),
            })),
            TaskDef::apply_to_owner("GE_Heal"),
        ],
    };
    let mut curse =
        AbilityDef::new(CURSE).net_execution(NetExecution::ServerOnly).task(TaskDef::wait(100_000.0));
    curse.survives_death = true;
    let mut guarded = plain("GA_Guarded").task(TaskDef::apply_to_owner("GE_Shield"));
    guarded.net_security = NetSecurity::ServerOnly;
    vec![
        curse,
        guarded,
        plain("GA_Blast").max_range(RANGE).task(TaskDef::apply_to_target("GE_Blast_Hit")),
        plain("GA_Volley")
            .max_range(RANGE)
            .targeting(TargetingDef::new(Shape::Radius).range(RANGE).count(2))
            .task(TaskDef::apply_to_target("GE_Volley_Hit")),
        plain("GA_Bolt")
            .blocked_by("State.Silenced")
            .task(TaskDef::Act(ActionDef::ExecuteCue("GameplayCue.Cast".into())))
            .task(TaskDef::apply_to_target("GE_Bolt_Hit")),
        plain("GA_Weapon").task(TaskDef::apply_to_target("GE_Weapon_Hit")),
        plain("GA_Poison").blocked_by("State.Silenced").task(TaskDef::apply_to_target("GE_Poison")),
        plain("GA_Shield").task(TaskDef::apply_to_owner("GE_Shield")),
        plain("GA_Dispel").task(TaskDef::Act(ActionDef::RemoveFromOwner(dispel))),
        plain("GA_Channel").owning("State.Channeling").blocked_by("State.Silenced").task(channel),
        plain("GA_Aim")
            .owning("State.Aiming")
            .task(TaskDef::Wait(aim))
            .task(TaskDef::apply_to_target("GE_Bolt_Hit")),
        plain("GA_Vow")
            .task(TaskDef::Wait(WaitDef::ConfirmCancel))
            .task(TaskDef::apply_to_owner("GE_Shield")),
        plain("GA_Stance")
            .task(TaskDef::Act(ActionDef::RemoveFromOwner(unstance)))
            .task(TaskDef::apply_to_owner("GE_Stance"))
            .task(TaskDef::wait(5_000.0)),
        plain("GA_Royal").net_execution(NetExecution::ServerOnly).task(TaskDef::apply_to_owner("GE_Shield")),
        plain("GA_Lucky").task(TaskDef::apply_to_owner("GE_Luck")).task(TaskDef::apply_to_owner("GE_Spread")),
        plain("GA_Gift").task(TaskDef::apply_to_owner("GE_Gift")),
        plain("GA_Borrowed").task(TaskDef::apply_to_owner("GE_Heal")),
        plain("GA_Local").net_execution(NetExecution::LocalOnly),
        plain("GA_Summon")
            .task(TaskDef::Act(ActionDef::SpawnController(summon)))
            .task(TaskDef::wait(tenths(dice, 2, 20)))
            .task(TaskDef::Act(ActionDef::DespawnController(dismiss))),
        plain("GA_Thorns").task(TaskDef::Race(vec![vec![TaskDef::wait(tenths(dice, 5, 40))], vec![thorns]])),
    ]
}

/// Heroes and other controllers, of all replication modes.
fn templates() -> Vec<ControllerDef> {
    let hero = |name: &str, mode| {
        let mut hero = ControllerDef::new(name).with_set("Combat").with_tag("Kind.Hero");
        hero.replication = mode;
        for ability in ABILITIES {
            let input = Some(ability.to_owned());
            hero = hero.with_ability(AbilityGrantDef { input, ..AbilityGrantDef::new(ability) });
        }
        hero.with_effect("GE_Regeneration", 1.0)
    };
    let other = |name: &str, mode| {
        let mut other = ControllerDef::new(name).with_set("Combat").with_tag(format!("Kind.{name}"));
        other.replication = mode;
        other
    };
    vec![
        hero("Hero", ReplicationMode::Mixed),
        hero("OpenHero", ReplicationMode::Full),
        hero("PlainHero", ReplicationMode::Minimal),
        other("Wolf", ReplicationMode::Minimal),
        other("Banner", ReplicationMode::Full),
        other("Ghost", ReplicationMode::None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_gives_sound_rules() {
        for seed in 0..50 {
            let game = Game::draw(seed);
            assert_eq!(game.catalog.hash(), Game::draw(seed).catalog.hash());
            let other = Game::draw_edition(seed, 1 + seed);
            assert_ne!(game.catalog.hash(), other.catalog.hash());
        }
    }
}
