//! A match whose ticks are recorded or not.

use std::io::{self, Write};

use ugas::prelude::*;
use ugas::replay::{Player, Recorder, Recording, Settings, verify};
use ugas::{ActivationRequest, Command, EffectContext, Outcome};

use crate::world::{World, combat};

/// Ticks between key frames of a recording: the default.
pub(crate) const KEY_EVERY: usize = 128;

const HEROES: usize = 10;
const UNITS: usize = 210;

/// Ten heroes who use their ability, two hundred minions who strike, at 30 ticks a second.
pub(crate) struct Match<W: Write> {
    world: World,
    skills: Vec<GrantedAbilityId>,
    hit: EffectId,
    recorder: Option<Recorder<W>>,
    tick: usize,
}

impl Match<io::Sink> {
    /// A match that is not recorded.
    pub(crate) fn plain() -> Self {
        Self::start(None)
    }

    /// A match whose recording is discarded after it was encoded.
    pub(crate) fn recorded() -> Self {
        Self::start(Some(io::sink()))
    }
}

impl<W: Write> Match<W> {
    fn start(writer: Option<W>) -> Self {
        let mut world = World::new(combat(), UNITS);
        let skill = world.sim.catalog().ability("GA_Skill").expect("the benchmark defines it");
        let [ring, poison] = ["GE_Ring", "GE_Poison"].map(|name| world.effect(name));
        let skills = (0..HEROES)
            .map(|at| world.sim.grant(world.units[at], skill, 1).expect("there is room"))
            .collect();
        for at in 0..UNITS {
            world.apply(ring, world.units[at]);
            if at < HEROES {
                world.apply(poison, world.units[at]);
            }
        }
        world.drain();
        let settings = Settings { key_every: KEY_EVERY as u32, ..Settings::default() };
        let recorder = writer.map(|writer| {
            Recorder::new(writer, &world.sim, settings).expect("the writer accepts everything")
        });
        let hit = world.effect("GE_Hit");
        Self { world, skills, hit, recorder, tick: 0 }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.world.sim.state_hash()
    }

    /// One tick: commands, time, events.
    pub(crate) fn tick(&mut self) {
        self.tick += 1;
        let now = self.tick;
        // Each hero tries once in eight ticks, and every minion strikes once a second.
        for hero in (0..HEROES).filter(|hero| (now + hero).is_multiple_of(8)) {
            let request = Box::new(ActivationRequest::default());
            // While it is on cooldown it is refused, which is recorded too.
            let _ = self.execute(Command::Activate { ability: self.skills[hero], request });
        }
        for minion in (HEROES..UNITS).filter(|minion| (now + minion).is_multiple_of(30)) {
            let context = EffectContext::of(self.world.units[minion]);
            let target = self.world.units[minion % HEROES];
            let magnitudes = Vec::new();
            let command = Command::ApplyEffect { effect: self.hit, level: 1.0, context, magnitudes, target };
            self.execute(command).expect("nothing forbids it");
        }
        let span = Span::from_micros(33_333);
        match &mut self.recorder {
            Some(recorder) => recorder.advance(&mut self.world.sim, span),
            None => self.world.sim.advance(span),
        }
        self.world.drain();
    }

    fn execute(&mut self, command: Command) -> Result<Outcome, ugas::CommandError> {
        match &mut self.recorder {
            Some(recorder) => recorder.execute(&mut self.world.sim, command),
            None => self.world.sim.execute(command),
        }
    }
}

/// Records a match of some ticks and checks it: it can be read, replaying it reaches the same hashes, and a
/// match that is not recorded reaches the same state. Returns the number of bytes of a tick.
pub(crate) fn recorded_match(ticks: usize) -> usize {
    let mut recorded = Match::start(Some(Vec::new()));
    let mut plain = Match::plain();
    for _ in 0..ticks {
        recorded.tick();
        plain.tick();
    }
    assert_eq!(recorded.hash(), plain.hash(), "recording changes nothing");
    let Match { world, recorder, .. } = recorded;
    let recorder = recorder.expect("it is recorded");
    let bytes = recorder.finish(&world.sim).expect("a vector accepts everything");
    let size = bytes.len();
    let recording = Recording::open(io::Cursor::new(bytes)).expect("the recording is complete");
    assert_eq!(recording.ticks(), ticks as u64);
    let mut player = Player::new(recording).expect("the rules are embedded");
    assert_eq!(player.recording().hash_after(ticks as u64), Some(plain.hash()));
    let verification = verify(&mut player).expect("the recording can be played");
    assert!(verification.difference.is_none(), "the recording leads to another state");
    size / ticks
}
