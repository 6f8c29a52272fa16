//! Spawned and despawned units, leaders with followers, and abilities that are ready, as structs of arrays.

use super::events::{Kind, Log};

/// Units in slots with a generation, and their values.
pub(crate) struct Roster {
    defaults: Vec<f64>,
    base: Vec<f64>,
    current: Vec<f64>,
    generations: Vec<u32>,
    free: Vec<u32>,
    pub(crate) log: Log,
}

impl Roster {
    pub(crate) fn new(defaults: &[f64]) -> Self {
        let log = Log::new();
        let (base, current, generations, free) = Default::default();
        Self { defaults: defaults.to_vec(), base, current, generations, free, log }
    }

    #[inline(never)]
    pub(crate) fn spawn(&mut self) -> (u32, u32) {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.generations.push(1);
                self.base.extend_from_slice(&self.defaults);
                self.current.extend_from_slice(&self.defaults);
                self.generations.len() as u32 - 1
            }
        };
        let at = slot as usize * self.defaults.len();
        self.base[at..at + self.defaults.len()].copy_from_slice(&self.defaults);
        self.current[at..at + self.defaults.len()].copy_from_slice(&self.defaults);
        self.log.begin();
        self.log.push(Kind::Spawned { unit: slot });
        (slot, self.generations[slot as usize])
    }

    #[inline(never)]
    pub(crate) fn despawn(&mut self, (slot, generation): (u32, u32)) {
        if self.generations[slot as usize] == generation {
            self.generations[slot as usize] += 1;
            self.free.push(slot);
            self.log.begin();
            self.log.push(Kind::Despawned { unit: slot });
        }
    }
}

/// Leaders and followers who get a share of the value of their leader.
pub(crate) struct Followers {
    lead: Vec<f64>,
    power: Vec<f64>,
    base: f64,
    share: f64,
    /// Followers of each leader.
    of: Vec<Vec<u32>>,
    /// Number of the follower with index 0 in events.
    first: u32,
    pub(crate) log: Log,
}

/// Numbers in the events of [`Followers`].
pub(crate) const LEAD: u32 = 0;
pub(crate) const POWER: u32 = 1;
pub(crate) const RISE: u32 = 0;

impl Followers {
    pub(crate) fn new(leaders: usize, followers: usize, lead: f64, base: f64, share: f64) -> Self {
        let count = leaders * followers;
        let of = |leader: usize| (0..count).filter(|at| at % leaders == leader).map(|at| at as u32).collect();
        Self {
            lead: vec![lead; leaders],
            power: vec![base + lead * share; count],
            base,
            share,
            of: (0..leaders).map(of).collect(),
            first: leaders as u32,
            log: Log::new(),
        }
    }

    /// Adds one to the value of a leader; its followers follow.
    #[inline(never)]
    pub(crate) fn change(&mut self, leader: u32) {
        let at = leader as usize;
        self.log.begin();
        (self.log.cause.effect, self.log.cause.source) = (RISE, leader);
        self.log.push(Kind::Executed { effect: RISE, active: 0, target: leader });
        let old = self.lead[at];
        let new = old + 1.0;
        self.lead[at] = new;
        let changed =
            Kind::Changed { unit: leader, attribute: LEAD, old_base: old, new_base: old + 1.0, old, new };
        self.log.push(changed);
        let value = self.base + new * self.share;
        for &follower in &self.of[at] {
            let power = &mut self.power[follower as usize];
            let (unit, attribute, old) = (self.first + follower, POWER, *power);
            *power = value;
            let (old_base, new_base) = (self.base, self.base);
            self.log.push(Kind::Changed { unit, attribute, old_base, new_base, old, new: value });
        }
    }

    /// Values of the leaders, then of the followers.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.lead.iter().chain(&self.power).copied().collect()
    }
}

/// Tags, mana and cooldowns of units, and what their abilities need.
pub(crate) struct Casters {
    tags: Vec<u64>,
    mana: Vec<f64>,
    /// End of each cooldown of each unit, in microseconds.
    cooldowns: Vec<u64>,
    /// Required tags, blocking tags and cost of each ability.
    abilities: Vec<(u64, u64, f64)>,
    pub(crate) log: Log,
}

/// Numbers of the tags, which are the positions of their bits.
pub(crate) const ARMED: u32 = 0;
pub(crate) const STUNNED: u32 = 1;
/// Tag of the cooldown of the first ability; the others follow.
pub(crate) const COOLDOWN: u32 = 2;
pub(crate) const MANA: u32 = 0;

impl Casters {
    /// Every unit has the tag that all abilities require.
    pub(crate) fn new(units: usize, abilities: usize, mana: f64, cost: f64) -> Self {
        Self {
            tags: vec![1 << ARMED; units],
            mana: vec![mana; units],
            cooldowns: vec![0; units * abilities],
            abilities: vec![(1 << ARMED, 1 << STUNNED, cost); abilities],
            log: Log::new(),
        }
    }

    /// Takes everything from a unit that it needs to use its first ability.
    pub(crate) fn disable(&mut self, unit: usize, cooldown_end: u64) {
        self.tags[unit] = 1 << STUNNED | 1 << COOLDOWN;
        self.mana[unit] = 0.0;
        self.cooldowns[unit * self.abilities.len()] = cooldown_end;
    }

    #[inline(never)]
    pub(crate) fn can_activate(&self, unit: usize, ability: usize) -> bool {
        let (required, blocking, cost) = self.abilities[ability];
        let tags = self.tags[unit];
        let blocking = blocking | 1 << (COOLDOWN + ability as u32);
        tags & required == required && tags & blocking == 0 && self.mana[unit] - cost >= 0.0
    }

    /// Number of abilities of all units that can be activated.
    pub(crate) fn ask(&self) -> usize {
        let pairs = (0..self.tags.len()).flat_map(|unit| (0..self.abilities.len()).map(move |at| (unit, at)));
        pairs.filter(|&(unit, at)| self.can_activate(unit, at)).count()
    }

    /// Tries to activate an ability; raises all reasons if that is not possible.
    #[inline(never)]
    pub(crate) fn attempt(&mut self, unit: u32, ability: u32) -> bool {
        self.log.begin();
        (self.log.cause.source, self.log.cause.ability) = (unit, ability);
        let at = unit as usize;
        if self.can_activate(at, ability as usize) {
            return true;
        }
        let (required, blocking, cost) = self.abilities[ability as usize];
        let tags = self.tags[at];
        let first = |bits: u64| (bits != 0).then(|| bits.trailing_zeros());
        let cooldown = COOLDOWN + ability;
        let end = self.cooldowns[at * self.abilities.len() + ability as usize];
        let left = self.mana[at] - cost;
        self.log.push(Kind::Refused {
            unit,
            ability,
            missing: first(required & !tags),
            blocked: first(blocking & tags),
            cooldown: (tags >> cooldown & 1 == 1).then(|| (cooldown, end - self.log.now)),
            cost: (left < 0.0).then_some((MANA, left)),
        });
        false
    }
}
