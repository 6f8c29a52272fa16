//! Cheating players: tamper with the datagrams that their client sends.

use ugas_core::effect::{HitResult, PredictionKey};
use ugas_core::handle::{ActivationId, ControllerId, GrantedAbilityId};
use ugas_core::random::RandomStream;
use ugas_core::simulation::Simulation;
use ugas_core::targeting::{Target, TargetData};
use ugas_core::task::TaskOutcome;
use ugas_core::time::{Span, Time};

use super::bot::pick;
use super::game::CURSE;
use ugas_net::Tick;
use ugas_net::message::{Ack, ActivationRef, CommandFrame, Frames, Hello, NetCommand, PacketId, ToServer};
use ugas_net::wire::{self, Dictionary};

/// Tricks of a cheat.
pub(super) const TRICKS: [&str; 23] = [
    "cheat: old stamp",
    "cheat: far-ahead stamp",
    "cheat: forged stamp",
    "cheat: replay",
    "cheat: foreign ability",
    "cheat: dead handle",
    "cheat: foreign run",
    "cheat: foreign input",
    "cheat: huge number",
    "cheat: oversize",
    "cheat: flood",
    "cheat: forged ack",
    "cheat: withheld ack",
    "cheat: lag switch",
    "cheat: target out of view",
    "cheat: garbage",
    "cheat: host task",
    "cheat: hit far away",
    "cheat: many targets",
    "cheat: end of a curse",
    "cheat: press on a far target",
    "cheat: reserved activation",
    "cheat: every cooldown",
];

/// Most datagrams that are kept for replays.
const KEPT: usize = 64;

/// State of a cheat.
#[derive(Debug)]
pub(super) struct Cheat {
    dice: RandomStream,
    kept: Vec<Vec<u8>>,
    held: Vec<Vec<u8>>,
    /// Time until which the lag switch is on.
    lag_until: Time,
    /// Time until which acknowledgements are withheld.
    mute_until: Time,
    next_packet: u32,
}

/// The server's state, which the cheat is assumed to know.
pub(super) struct CheatKnowledge<'a> {
    pub(super) simulation: &'a Simulation,
    /// The cheat's own controllers.
    pub(super) own: Vec<ControllerId>,
    /// Controllers that are hidden from the cheat.
    pub(super) hidden: Vec<ControllerId>,
    pub(super) dictionary: &'a Dictionary,
}

impl Cheat {
    pub(super) fn new(dice: RandomStream) -> Self {
        Self {
            dice,
            kept: Vec::new(),
            held: Vec::new(),
            lag_until: Time::ZERO,
            mute_until: Time::ZERO,
            next_packet: 1,
        }
    }

    /// Resets the state for a new session. Recorded datagrams stay, to be replayed into it.
    pub(super) fn reset(&mut self) {
        self.next_packet = 1;
        self.held.clear();
        self.lag_until = Time::ZERO;
    }

    /// Datagrams to send in place of one, and the trick that was played, if any. Only frames are tampered
    /// with. While the lag switch is on, nothing is sent; what was held back comes afterwards, all at once.
    pub(super) fn tamper(
        &mut self,
        now: Time,
        bytes: Vec<u8>,
        knowledge: &CheatKnowledge<'_>,
    ) -> (Vec<Vec<u8>>, Option<&'static str>) {
        let message = wire::decode_to_server(knowledge.dictionary, &bytes);
        let Ok(ToServer::Frames(mut frames)) = message else { return (vec![bytes], None) };
        let trick = self.dice.chance(0.25).then(|| self.dice.below(TRICKS.len() as u64) as usize);
        let mut out = Vec::new();
        if let Some(trick) = trick {
            out.extend(self.play(trick, now, &mut frames, knowledge));
        }
        if now < self.mute_until {
            frames.ack = Ack::default();
        }
        // Packet numbers stay consecutive, whatever was inserted.
        out.insert(0, self.write(frames, knowledge.dictionary).unwrap_or(bytes));
        if self.kept.len() < KEPT {
            self.kept.push(out[0].clone());
        } else {
            let at = self.dice.below(KEPT as u64) as usize;
            self.kept[at] = out[0].clone();
        }
        if now < self.lag_until {
            self.held.append(&mut out);
        } else if !self.held.is_empty() {
            let late = core::mem::take(&mut self.held);
            out.splice(0..0, late);
        }
        (out, trick.map(|trick| TRICKS[trick]))
    }

    /// Encodes frames with the next packet number. `None` if they cannot be encoded; the number is then not
    /// used up.
    fn write(&mut self, mut frames: Frames, dictionary: &Dictionary) -> Option<Vec<u8>> {
        frames.packet = PacketId(self.next_packet);
        let bytes = wire::encode_to_server(dictionary, &ToServer::Frames(frames)).ok()?;
        self.next_packet += 1;
        Some(bytes)
    }

    /// Plays a trick, by its index in [`TRICKS`]: changes the frames, starts to withhold acknowledgements or
    /// datagrams, or returns datagrams to send in addition.
    fn play(
        &mut self,
        trick: usize,
        now: Time,
        frames: &mut Frames,
        knowledge: &CheatKnowledge<'_>,
    ) -> Vec<Vec<u8>> {
        let tick = frames.now;
        let number = self.dice.next_u64();
        let own_ability = self.own_ability(knowledge);
        match trick {
            0 => self.command(frames, Tick(number as u32 % 8), own_ability.map(activate)),
            1 => self.command(
                frames,
                Tick(tick.0.saturating_add(1_000 + number as u32 % 100_000)),
                own_ability.map(activate),
            ),
            2 => {
                let shift = Tick(tick.0.saturating_add((number % 120) as u32).saturating_sub(60));
                frames.now = shift;
                self.command(frames, shift, own_ability.map(activate));
            }
            3 => return pick(&mut self.dice, &self.kept).cloned().into_iter().collect(),
            4 => {
                let foreign = self.foreign_ability(knowledge);
                self.command(frames, tick, foreign.map(activate));
            }
            5 => {
                let dead = GrantedAbilityId::from_bits(number & 0x0000_00ff_0000_03ff);
                self.command(frames, tick, dead.map(activate));
            }
            6 => {
                let run = self.foreign_run(knowledge).map(ActivationRef::Known);
                let key = ActivationRef::Begun(PredictionKey(number));
                let run = if number & 1 == 0 { run.unwrap_or(key) } else { key };
                let command = if number & 2 == 0 { NetCommand::End(run) } else { NetCommand::Cancel(run) };
                self.command(frames, tick, Some(command));
            }
            7 => {
                let foreign = self.foreign_controller(knowledge);
                self.command(
                    frames,
                    tick,
                    foreign.map(|controller| match number % 3 {
                        0 => NetCommand::Press {
                            controller,
                            input: "GA_Shield".into(),
                            targets: TargetData::default(),
                        },
                        1 => NetCommand::Confirm(controller),
                        _ => NetCommand::Decline(controller),
                    }),
                );
            }
            8 => {
                let huge = [f64::MAX, -f64::MAX, 1e300, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY];
                let position = [huge[number as usize % 6], huge[(number >> 8) as usize % 6], 0.0];
                let targets: TargetData = [Target::Location(position)].into_iter().collect();
                self.command(
                    frames,
                    tick,
                    own_ability.map(|ability| NetCommand::Activate { ability, targets, event: None }),
                );
            }
            9 => return vec![(0..1_201 + number % 60_000).map(|at| (at ^ number) as u8).collect()],
            10 => return self.flood(frames, knowledge),
            11 => {
                frames.ack = match number % 3 {
                    0 => Ack { newest: PacketId(u32::MAX - (number >> 40) as u32), earlier: u32::MAX },
                    // Acknowledges datagrams that never arrived, to its own disadvantage.
                    _ => Ack { newest: frames.ack.newest, earlier: u32::MAX },
                };
            }
            12 => self.mute_until = now + Span::seconds(2.0),
            13 => self.lag_until = now + Span::seconds(0.1 + (number % 16) as f64 / 10.0),
            14 => {
                if let Some(hidden) = pick(&mut self.dice, &knowledge.hidden) {
                    let targets = TargetData::from(*hidden);
                    self.command(
                        frames,
                        tick,
                        own_ability.map(|ability| NetCommand::Activate { ability, targets, event: None }),
                    );
                }
            }
            15 => {
                let length = number as usize % 1_300;
                return vec![(0..length).map(|_| self.dice.next_u64() as u8).collect()];
            }
            16 => {
                let run = knowledge
                    .own
                    .iter()
                    .find_map(|own| knowledge.simulation.controller(*own)?.activations().last().copied());
                let command = run.map(|run| NetCommand::Finish {
                    run: ActivationRef::Known(run),
                    branch: number as u32 % 4,
                    outcome: TaskOutcome::Completed,
                });
                self.command(frames, tick, command);
            }
            17 => {
                // A hit that names somebody near, at a place that is not.
                let place = [(number % 10_000) as f64 - 5_000.0, (number >> 20) as f64 % 100.0, 0.0];
                let controller = self.foreign_controller(knowledge).filter(|_| number & 1 == 0);
                let hit = HitResult { location: place, ..HitResult::default() };
                let targets: TargetData = [Target::Hit { controller, hit }].into_iter().collect();
                let ability = self.own_named(knowledge, "GA_Blast");
                self.command(
                    frames,
                    tick,
                    ability.map(|ability| NetCommand::Activate { ability, targets, event: None }),
                );
            }
            18 => {
                let everybody = knowledge.simulation.controllers().map(|(id, _)| id);
                let targets: TargetData = everybody
                    .filter(|id| !knowledge.hidden.contains(id))
                    .take(20)
                    .map(Target::Controller)
                    .collect();
                let name = ["GA_Blast", "GA_Volley", "GA_Bolt"][number as usize % 3];
                let ability = self.own_named(knowledge, name);
                self.command(
                    frames,
                    tick,
                    ability.map(|ability| NetCommand::Activate { ability, targets, event: None }),
                );
            }
            19 => {
                let own = knowledge.own.first().and_then(|own| knowledge.simulation.controller(*own));
                let runs = own.map(|own| own.activations().to_vec()).unwrap_or_default();
                let ability = knowledge.simulation.catalog().ability(CURSE).ok();
                let is_curse = |run: &&ActivationId| {
                    knowledge.simulation.activation(**run).map(|run| run.ability()) == ability
                };
                let run = runs.iter().find(is_curse).copied().map(ActivationRef::Known);
                let command = run.map(|run| match number % 3 {
                    0 => NetCommand::End(run),
                    1 => NetCommand::Cancel(run),
                    _ => NetCommand::Finish { run, branch: 0, outcome: TaskOutcome::Failed },
                });
                self.command(frames, tick, command);
            }
            20 => {
                let far = self.foreign_controller(knowledge);
                let press = knowledge.own.first().zip(far).map(|(own, far)| NetCommand::Press {
                    controller: *own,
                    input: "GA_Blast".into(),
                    targets: TargetData::from(far),
                });
                self.command(frames, tick, press);
            }
            21 => {
                let ability = self.own_named(knowledge, "GA_Guarded");
                self.command(frames, tick, ability.map(activate));
            }
            _ => {
                for _ in 0..4 {
                    let ability = self.own_ability(knowledge);
                    self.command(frames, tick, ability.map(activate));
                }
            }
        }
        Vec::new()
    }

    /// Adds a command to the frame of a tick, which is created if missing; does nothing without a command.
    fn command(&mut self, frames: &mut Frames, tick: Tick, command: Option<NetCommand>) {
        let Some(command) = command else { return };
        match frames.frames.iter_mut().find(|frame| frame.tick == tick) {
            Some(frame) => frame.commands.push(command),
            None => {
                frames.frames.push(CommandFrame { tick, commands: core::iter::once(command).collect() });
                frames.frames.sort_by_key(|frame| frame.tick);
            }
        }
    }

    /// A flood of datagrams: the same frames or replays 300 times, or 40 hellos with large credentials.
    fn flood(&mut self, frames: &Frames, knowledge: &CheatKnowledge<'_>) -> Vec<Vec<u8>> {
        let dictionary = knowledge.dictionary;
        match self.dice.below(3) {
            0 => (0..300).filter_map(|_| self.write(frames.clone(), dictionary)).collect(),
            1 => {
                let kept = self.kept.clone();
                kept.iter().cycle().take(300).cloned().collect()
            }
            _ => {
                let hello = |nonce| {
                    let hello = Hello {
                        protocol: 9,
                        catalog: nonce,
                        dictionary: nonce,
                        nonce,
                        credential: vec![7; 256],
                    };
                    wire::encode_to_server(dictionary, &ToServer::Hello(hello)).ok()
                };
                // With another nonce, so that the own session does not restart.
                (0..40).filter_map(|_| hello(self.dice.next_u64())).collect()
            }
        }
    }

    /// A random ability of the cheat's first controller.
    fn own_ability(&mut self, knowledge: &CheatKnowledge<'_>) -> Option<GrantedAbilityId> {
        let own = knowledge.own.first()?;
        pick(&mut self.dice, knowledge.simulation.controller(*own)?.abilities()).copied()
    }

    /// An ability of the cheat's first controller by name.
    fn own_named(&self, knowledge: &CheatKnowledge<'_>, name: &str) -> Option<GrantedAbilityId> {
        let (simulation, own) = (knowledge.simulation, knowledge.own.first()?);
        let wanted = simulation.catalog().ability(name).ok()?;
        let abilities = simulation.controller(*own)?.abilities();
        let is_wanted = |handle: &&GrantedAbilityId| {
            simulation.ability(**handle).is_some_and(|one| one.ability() == wanted)
        };
        abilities.iter().find(is_wanted).copied()
    }

    /// A random controller that the cheat does not own, also one that is hidden from it.
    fn foreign_controller(&mut self, knowledge: &CheatKnowledge<'_>) -> Option<ControllerId> {
        let all: Vec<ControllerId> = knowledge
            .simulation
            .controllers()
            .map(|(id, _)| id)
            .filter(|id| !knowledge.own.contains(id))
            .collect();
        pick(&mut self.dice, &all).copied()
    }

    /// A random ability of a random foreign controller; `None` if that has none.
    fn foreign_ability(&mut self, knowledge: &CheatKnowledge<'_>) -> Option<GrantedAbilityId> {
        let foreign = self.foreign_controller(knowledge)?;
        pick(&mut self.dice, knowledge.simulation.controller(foreign)?.abilities()).copied()
    }

    /// A random activation of a random foreign controller; `None` if that has none.
    fn foreign_run(&mut self, knowledge: &CheatKnowledge<'_>) -> Option<ActivationId> {
        let foreign = self.foreign_controller(knowledge)?;
        pick(&mut self.dice, knowledge.simulation.controller(foreign)?.activations()).copied()
    }
}

/// A command that activates an ability without targets.
fn activate(ability: GrantedAbilityId) -> NetCommand {
    NetCommand::Activate { ability, targets: TargetData::default(), event: None }
}
