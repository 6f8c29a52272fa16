//! The turns of a game, from the audit trail, and how they are taken back (§15.4).

use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ActivationId, ActiveEffectId};
use ugas_core::id::{AbilityId, AttributeId, TagId};
use ugas_core::simulation::Simulation;

/// One thing that a turn did.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Step {
    /// An effect was about to write these attributes, which had these base values.
    Wrote(Vec<(AttributeId, f64)>),
    /// An effect became active.
    Began(ActiveEffectId),
}

/// What one turn did, in order.
pub(crate) type Turn = Vec<Step>;

/// The abilities that turns are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnAbilities {
    /// An ability with this tag or one below it is a turn.
    pub(crate) turn: TagId,
    /// This one begins a new game, with nothing to take back.
    pub(crate) new_game: AbilityId,
}

/// The finished turns, the latest last.
///
/// It knows the game only by its events: `BeforeEffectApplied` has the values that an effect is about to write, so no
/// board is ever copied.
#[derive(Debug)]
pub(crate) struct History {
    abilities: TurnAbilities,
    turns: Vec<Turn>,
    current: Option<CurrentTurn>,
}

#[derive(Debug)]
struct CurrentTurn {
    activation: ActivationId,
    steps: Turn,
    changed: bool,
}

impl History {
    pub(crate) fn new(abilities: TurnAbilities) -> Self {
        Self { abilities, turns: Vec::new(), current: None }
    }

    /// How many turns can be taken back.
    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    /// Takes the latest turn out of the record.
    pub(crate) fn pop(&mut self) -> Option<Turn> {
        self.turns.pop()
    }

    /// Follows the game.
    pub(crate) fn record(&mut self, simulation: &Simulation, event: &Event) {
        match &event.kind {
            EventKind::AbilityActivated { ability, activation, .. } => {
                if *ability == self.abilities.new_game {
                    self.turns.clear();
                    self.current = None;
                } else if self.is_turn(simulation, *ability) {
                    let activation = *activation;
                    self.current = Some(CurrentTurn { activation, steps: Vec::new(), changed: false });
                }
            }
            EventKind::AbilityEnded { activation, .. } => {
                // A move that changed nothing is not worth taking back.
                let ended = self.current.take_if(|turn| turn.activation == *activation);
                self.turns.extend(ended.filter(|turn| turn.changed).map(|turn| turn.steps));
            }
            EventKind::AbilityCancelled { activation, .. } => {
                self.current.take_if(|turn| turn.activation == *activation);
            }
            kind => {
                if let Some(turn) = &mut self.current {
                    turn.record(kind);
                }
            }
        }
    }

    fn is_turn(&self, simulation: &Simulation, ability: AbilityId) -> bool {
        let tags = simulation.catalog().tags();
        let ability = simulation.catalog().ability_by_id(ability);
        ability
            .is_some_and(|ability| ability.tags().iter().any(|tag| tags.is_within(tag, self.abilities.turn)))
    }
}

impl CurrentTurn {
    fn record(&mut self, kind: &EventKind) {
        match kind {
            EventKind::BeforeEffectApplied { values, .. } => {
                self.steps.push(Step::Wrote(values.iter().map(|&(id, base, _)| (id, base)).collect()));
            }
            EventKind::EffectApplied { active, .. } => {
                self.steps.push(Step::Began(*active));
                self.changed = true;
            }
            EventKind::AttributeChanged { .. } => self.changed = true,
            _ => {}
        }
    }
}
