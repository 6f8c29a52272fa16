//! B, C, D, G: units that fight each other with spells.

use super::game::{AbilityRule, EffectRule, FRAMES, Game, Lasting, Rules, effect};
use super::{Host, measure};
use crate::line::Line;
use crate::measure::Effort;

/// Effects of all fights, by position.
const STRIKE: usize = 0;
const HEAL: usize = 1;
const REGENERATION: usize = 2;
const ROT: usize = 3;
const HASTE: usize = 4;

/// Abilities of all fights, by position.
const BOLT: usize = 0;
const FROST: usize = 1;

fn rules() -> Rules {
    let effects: Vec<EffectRule> = vec![
        effect("GE_Strike", Lasting::Instant).add("Health", -2.0),
        effect("GE_Heal", Lasting::Instant).add("Health", 3.0),
        effect("GE_Regeneration", Lasting::Endless).every(0.5).add("Mana", 2.0),
        effect("GE_Rot", Lasting::For(31.25)).every(1.0).add("Health", -1.0).tag("State.Debuff.Rot"),
        effect("GE_Haste", Lasting::For(0.25)).multiply("Speed", 0.5).tag("State.Buff.Haste"),
        effect("GE_BoltHit", Lasting::Instant).add("Health", -40.0),
        effect("GE_Burn", Lasting::For(3.0)).every(0.5).add("Health", -4.0).tag("State.Debuff.Burn"),
        effect("GE_Chill", Lasting::For(2.0)).multiply("Speed", -0.25).tag("State.Debuff.Chill"),
        effect("GE_BoltCost", Lasting::Instant).add("Mana", -10.0),
        effect("GE_BoltCooldown", Lasting::For(1.0)).tag("Cooldown.Bolt"),
        effect("GE_FrostCost", Lasting::Instant).add("Mana", -5.0),
        effect("GE_FrostCooldown", Lasting::For(2.0)).tag("Cooldown.Frost"),
    ];
    Rules {
        attributes: vec![
            ("Health", 1e12, 0.0),
            ("Mana", 100.0, 0.0),
            ("Speed", 8.0, 0.0),
            ("Armor", 5.0, 0.0),
        ],
        effects,
        abilities: vec![
            AbilityRule {
                name: "GA_Bolt",
                cost: "GE_BoltCost",
                cooldown: "GE_BoltCooldown",
                effects: vec!["GE_BoltHit", "GE_Burn"],
            },
            AbilityRule {
                name: "GA_Frost",
                cost: "GE_FrostCost",
                cooldown: "GE_FrostCooldown",
                effects: vec!["GE_Chill"],
            },
        ],
    }
}

/// Casters that cast at others, and a mob that strikes.
#[derive(Clone)]
pub(crate) struct Battle {
    pub(crate) casters: usize,
    pub(crate) mob: usize,
}

impl Host for Battle {
    fn rules(&self) -> Rules {
        rules()
    }

    fn units(&self) -> usize {
        self.casters + self.mob
    }

    fn begin<G: Game>(&mut self, game: &mut G) {
        (0..self.casters).for_each(|unit| game.apply(REGENERATION, unit, unit));
    }

    fn commands<G: Game>(&mut self, game: &mut G, frame: u32) {
        let at = frame as usize;
        for caster in 0..self.casters {
            // Another target every quarter of a second.
            let target = (caster + 1 + (caster * 7 + at / 8) % (self.units() - 1)) % self.units();
            // The system checks mana and cooldown.
            match (at + caster) % 4 {
                0 => drop(game.activate(BOLT, caster, target)),
                2 => drop(game.activate(FROST, caster, target)),
                _ => {}
            }
        }
        for mob in (0..self.mob).filter(|mob| (at + mob).is_multiple_of(FRAMES as usize)) {
            game.apply(STRIKE, self.casters + mob, mob % self.casters);
        }
    }

    fn warm_up(&self) -> u32 {
        8 * FRAMES
    }
}

pub(crate) fn moba(effort: Effort) -> Vec<Line> {
    let host = Battle { casters: 10, mob: 200 };
    measure(effort, "b-moba", "10 heroes who cast, 200 minions who strike; one frame", &host)
}

pub(crate) fn players(effort: Effort) -> Vec<Line> {
    measure(effort, "c-players", "100 players who cast; one frame", &Battle { casters: 100, mob: 0 })
}

/// Forty players keep 2,000 effects on one boss.
#[derive(Clone)]
pub(crate) struct Raid;

pub(crate) const RAIDERS: usize = 40;

impl Host for Raid {
    fn rules(&self) -> Rules {
        rules()
    }

    fn units(&self) -> usize {
        RAIDERS + 1
    }

    fn commands<G: Game>(&mut self, game: &mut G, frame: u32) {
        let at = frame as usize;
        // They last a thousand frames.
        for raider in [at % RAIDERS, (at + 20) % RAIDERS] {
            game.apply(ROT, raider, RAIDERS);
        }
        game.apply(STRIKE, RAIDERS, at % RAIDERS);
        game.apply(HEAL, at % RAIDERS, (at + 1) % RAIDERS);
    }

    fn warm_up(&self) -> u32 {
        1_100
    }
}

pub(crate) fn raid(effort: Effort) -> Vec<Line> {
    measure(effort, "d-raid", "40 players and a boss with 2,000 periodic effects; one frame", &Raid)
}

/// Stress test: more commands than any game has.
#[derive(Clone)]
struct Flood {
    units: usize,
}

impl Host for Flood {
    fn rules(&self) -> Rules {
        rules()
    }

    fn units(&self) -> usize {
        self.units
    }

    fn commands<G: Game>(&mut self, game: &mut G, frame: u32) {
        for at in 0..10 * self.units {
            game.apply(STRIKE, at % self.units, (at * 7) % self.units);
        }
        for at in 0..2 * self.units {
            game.apply(HASTE, at % self.units, (at + frame as usize) % self.units);
        }
    }

    fn warm_up(&self) -> u32 {
        20
    }

    fn cycle(&self) -> u32 {
        1
    }
}

pub(crate) fn flood(effort: Effort) -> Vec<Line> {
    let host = Flood { units: effort.population(1_000) };
    let what = format!(
        "{0} hits and {1} short effects on {2} units; one frame",
        10 * host.units,
        2 * host.units,
        host.units
    );
    measure(effort, "g-flood", &what, &host)
}
