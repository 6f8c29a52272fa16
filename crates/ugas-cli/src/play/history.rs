//! The turns of a game, recorded from the audit trail, for undo (§15.4).

use std::collections::BTreeMap;

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId};
use ugas_core::id::{AbilityId, AttributeId, EffectId, TagId};
use ugas_core::simulation::Simulation;

/// Base values of attributes.
pub(crate) type Values = Vec<(AttributeId, f64)>;

/// One change of a turn.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    /// An effect was about to write these attributes of a controller, which had these base values.
    Wrote(ControllerId, Values),
    /// An effect became active.
    Began(ActiveEffectId),
    /// A cell was spawned.
    Spawned(ControllerId),
    /// A cell was despawned, and had these base values. An attribute that is not listed was 0.
    Despawned(ControllerId, Values),
}

/// The changes of one turn, in order.
pub(crate) type Turn = Vec<Step>;

/// The definitions that mark turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnAbilities {
    /// Abilities with this tag or a child of it are turns.
    pub(crate) turn: TagId,
    /// Ability that begins a new game and clears the history.
    pub(crate) new_game: AbilityId,
    /// Effect that counts a turn: a move without it changed nothing.
    pub(crate) counted: EffectId,
}

/// The finished turns, latest last.
///
/// It is recorded from events alone: `BeforeEffectApplied` has the values that an effect is about to write,
/// so the board is never copied. A despawned controller has no values any more when its event is polled, so
/// `AttributeChanged` events keep track of them.
#[derive(Debug)]
pub(crate) struct History {
    abilities: TurnAbilities,
    turns: Vec<Turn>,
    /// Changed base values of existing controllers.
    values: BTreeMap<ControllerId, Values>,
    current: Option<CurrentTurn>,
}

#[derive(Debug)]
struct CurrentTurn {
    activation: ActivationId,
    steps: Turn,
    counts: bool,
}

impl History {
    pub(crate) fn new(abilities: TurnAbilities) -> Self {
        Self { abilities, turns: Vec::new(), values: BTreeMap::new(), current: None }
    }

    /// Number of turns that can be undone.
    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    /// Removes and returns the latest turn, to be undone; `None` if there is none.
    pub(crate) fn pop(&mut self) -> Option<Turn> {
        self.turns.pop()
    }

    /// Replaces the handle of a cell that was spawned again in all remaining turns.
    pub(crate) fn rename(&mut self, old: ControllerId, new: ControllerId) {
        for step in self.turns.iter_mut().flatten() {
            if let Step::Wrote(id, _) | Step::Spawned(id) | Step::Despawned(id, _) = step
                && *id == old
            {
                *id = new;
            }
        }
    }

    /// Records an event: a turn begins and ends with its ability, and collects spawns, despawns, old values
    /// and effects. A new game clears the history; a turn that counted as no move is not kept.
    pub(crate) fn record(&mut self, simulation: &Simulation, event: &Event) {
        match &event.kind {
            EventKind::AbilityActivated { ability, activation, .. } => {
                if *ability == self.abilities.new_game {
                    self.turns.clear();
                    self.current = None;
                } else if self.is_turn(simulation, *ability) {
                    let activation = *activation;
                    self.current = Some(CurrentTurn { activation, steps: Vec::new(), counts: false });
                }
            }
            EventKind::AbilityEnded { activation, .. } => {
                // A move that changed nothing cannot be undone.
                let ended = self.current.take_if(|turn| turn.activation == *activation);
                self.turns.extend(ended.filter(|turn| turn.counts).map(|turn| turn.steps));
            }
            EventKind::AbilityCancelled { activation, .. } => {
                self.current.take_if(|turn| turn.activation == *activation);
            }
            EventKind::AttributeChanged { controller, attribute, new_base, .. } => {
                let values = self.values.entry(*controller).or_default();
                match values.iter_mut().find(|(known, _)| known == attribute) {
                    Some((_, base)) => *base = *new_base,
                    None => values.push((*attribute, *new_base)),
                }
            }
            EventKind::ControllerSpawned { controller } => self.push(Step::Spawned(*controller)),
            EventKind::ControllerDespawned { controller } => {
                let values = self.values.remove(controller).unwrap_or_default();
                self.push(Step::Despawned(*controller, values));
            }
            EventKind::BeforeEffectApplied { effect, target, values } => {
                if let Some(turn) = &mut self.current {
                    turn.counts |= *effect == self.abilities.counted;
                }
                self.push(Step::Wrote(*target, values.iter().map(|&(id, base, _)| (id, base)).collect()));
            }
            EventKind::EffectApplied { active, .. } => self.push(Step::Began(*active)),
            _ => {}
        }
    }

    /// Adds a step to the current turn.
    fn push(&mut self, step: Step) {
        if let Some(turn) = &mut self.current {
            turn.steps.push(step);
        }
    }

    /// Whether an ability makes a turn, by its tags.
    fn is_turn(&self, simulation: &Simulation, ability: AbilityId) -> bool {
        let tags = simulation.catalog().tags();
        let ability = simulation.catalog().ability_by_id(ability);
        ability
            .is_some_and(|ability| ability.tags().iter().any(|tag| tags.is_within(tag, self.abilities.turn)))
    }
}
