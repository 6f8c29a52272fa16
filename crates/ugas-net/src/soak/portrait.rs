//! What a controller is like, read from a simulation piece by piece: once from the server's, with what the viewer may not
//! see left out, and once from the client's. It shares no code with what is proved by it.

use ugas_core::attribute::{AttributeReplication, Quantize};
use ugas_core::controller::ReplicationMode;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AbilityId, AttributeId, EffectId, TagId};
use ugas_core::simulation::{Role, Simulation};

use super::game::ABILITIES;

/// How a viewer stands to a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Owner,
    Other,
}

/// An effect without its handle.
#[derive(Clone, PartialEq, PartialOrd, Debug)]
pub(super) struct EffectPortrait {
    effect: EffectId,
    stacks: u32,
    started: u64,
    expires: Option<u64>,
    level: f64,
    is_inhibited: bool,
    /// By the server's handle, if the viewer sees it.
    source: Option<ControllerId>,
    /// Only for the owner, who knows when it ticks.
    next_tick: Option<u64>,
}

/// An ability with its level, charges and input.
type AbilityPortrait = (AbilityId, u32, u32, Option<String>);

/// What a viewer sees of a controller.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Portrait {
    attributes: Vec<(AttributeId, f64, f64)>,
    /// Attributes that a client reads and may not know (N1).
    leaked: Vec<AttributeId>,
    tags: Vec<(TagId, u32)>,
    cues: Vec<TagId>,
    effects: Option<Vec<EffectPortrait>>,
    abilities: Option<Vec<AbilityPortrait>>,
    runs: Option<Vec<(AbilityId, u64, usize)>>,
    held: Option<Vec<&'static str>>,
}

/// What to leave out.
#[derive(Clone, Copy, Debug)]
struct Scope {
    attributes: Option<Relation>,
    effects: bool,
    abilities: bool,
    phases: bool,
}

impl Scope {
    /// The table of §13.2, in the words of the specification; `None` if the viewer does not even know of it.
    fn of(mode: ReplicationMode, relation: Relation) -> Option<Self> {
        let nothing = Self { attributes: None, effects: false, abilities: false, phases: false };
        match (mode, relation) {
            (ReplicationMode::None, _) => None,
            (ReplicationMode::Minimal | ReplicationMode::Mixed, Relation::Other) => Some(nothing),
            (ReplicationMode::Minimal, Relation::Owner) => Some(Self { abilities: true, ..nothing }),
            (ReplicationMode::Full, Relation::Other) => {
                Some(Self { attributes: Some(Relation::Other), effects: true, ..nothing })
            }
            (ReplicationMode::Mixed | ReplicationMode::Full, Relation::Owner) => {
                Some(Self { attributes: Some(Relation::Owner), effects: true, abilities: true, phases: true })
            }
        }
    }
}

impl Portrait {
    /// A controller as a viewer sees it, in the server's simulation or in its own; `None` if it does not. `name` gives the
    /// server's handle of a controller if the viewer sees it.
    pub(super) fn of(
        simulation: &Simulation,
        id: ControllerId,
        mode: ReplicationMode,
        relation: Relation,
        name: impl Fn(ControllerId) -> Option<ControllerId>,
    ) -> Option<Self> {
        let scope = Scope::of(mode, relation)?;
        let controller = simulation.controller(id)?;
        let (attributes, leaked) = attributes(simulation, id, scope);
        let mut portrait = Self {
            attributes,
            leaked,
            tags: controller.tags().iter().collect(),
            cues: controller.cues().iter().map(|(cue, _)| *cue).collect(),
            ..Self::default()
        };
        portrait.tags.sort_unstable();
        portrait.cues.sort_unstable();
        if scope.effects {
            portrait.effects = Some(effects(simulation, id, scope, name));
        }
        if scope.abilities {
            let granted = controller.abilities().iter().filter_map(|handle| simulation.ability(*handle));
            let mut abilities: Vec<_> = granted
                .map(|granted| {
                    let input = granted.input().map(|input| input.as_str().to_owned());
                    (granted.ability(), granted.level(), granted.charges(), input)
                })
                .collect();
            abilities.sort_unstable();
            portrait.abilities = Some(abilities);
            let runs = controller.activations().iter().filter_map(|run| simulation.activation(*run));
            let mut runs: Vec<_> =
                runs.map(|run| (run.ability(), run.started().micros(), run.tasks().count())).collect();
            runs.sort_unstable();
            portrait.runs = Some(runs);
            let is_held = |name: &&str| simulation.held(id, &(**name).into()).is_some();
            portrait.held = Some(ABILITIES.iter().filter(|name| is_held(name)).copied().collect());
        }
        Some(portrait)
    }

    /// The first thing in which two portraits differ, in words.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        fn tell<T: PartialEq + core::fmt::Debug>(what: &str, truth: &T, shown: &T) -> Option<String> {
            (truth != shown).then(|| format!("{what}: the server has {truth:?}, the client shows {shown:?}"))
        }
        tell("attributes", &self.attributes, &other.attributes)
            .or_else(|| tell("attributes that it may not know", &self.leaked, &other.leaked))
            .or_else(|| tell("tags", &self.tags, &other.tags))
            .or_else(|| tell("cues", &self.cues, &other.cues))
            .or_else(|| tell("effects", &self.effects, &other.effects))
            .or_else(|| tell("abilities", &self.abilities, &other.abilities))
            .or_else(|| tell("runs", &self.runs, &other.runs))
            .or_else(|| tell("held inputs", &self.held, &other.held))
    }
}

/// The attributes that a viewer may know, as it gets them, and those that a client's simulation shows beyond that.
fn attributes(
    simulation: &Simulation,
    id: ControllerId,
    scope: Scope,
) -> (Vec<(AttributeId, f64, f64)>, Vec<AttributeId>) {
    let catalog = simulation.catalog();
    let is_client = simulation.config().role == Role::Client;
    let (mut attributes, mut leaked) = (Vec::new(), Vec::new());
    for set in simulation.attribute_sets(id) {
        for (attribute, definition) in catalog.attributes_of(*set) {
            let is_told = match (definition.replication, scope.attributes) {
                (_, None)
                | (AttributeReplication::None, _)
                | (AttributeReplication::OwnerOnly, Some(Relation::Other)) => false,
                (AttributeReplication::OwnerOnly, Some(Relation::Owner))
                | (AttributeReplication::All, Some(_)) => true,
            };
            let values = simulation.base(id, attribute).zip(simulation.current(id, attribute));
            match values {
                Some((base, current)) if is_told => {
                    let is_rounded = scope.attributes == Some(Relation::Other);
                    let quantize = definition.quantize.filter(|_| is_rounded);
                    attributes.push((attribute, rounded(quantize, base), rounded(quantize, current)));
                }
                Some(_) if is_client => leaked.push(attribute),
                _ => {}
            }
        }
    }
    attributes.sort_unstable_by_key(|(attribute, ..)| *attribute);
    (attributes, leaked)
}

/// The nearest of the steps that divide a range evenly (N2).
fn rounded(quantize: Option<Quantize>, value: f64) -> f64 {
    let Some(Quantize { min, max, bits }) = quantize else { return value };
    let steps = ((1u64 << bits) - 1) as f64;
    let step = ((value.clamp(min, max) - min) / (max - min) * steps).round();
    if step >= steps { max } else { min + (max - min) * (step / steps) }
}

fn effects(
    simulation: &Simulation,
    id: ControllerId,
    scope: Scope,
    name: impl Fn(ControllerId) -> Option<ControllerId>,
) -> Vec<EffectPortrait> {
    let Some(controller) = simulation.controller(id) else { return Vec::new() };
    let active = controller.effects().iter().filter_map(|active| simulation.effect(*active));
    let mut effects: Vec<_> = active
        .map(|active| EffectPortrait {
            effect: active.effect(),
            stacks: active.stacks(),
            started: active.started().micros(),
            expires: active.expires().map(|time| time.micros()),
            level: active.spec().level(),
            is_inhibited: active.is_inhibited(),
            source: active.source().and_then(&name),
            next_tick: active.next_tick().filter(|_| scope.phases).map(|time| time.micros()),
        })
        .collect();
    effects.sort_by(|one, other| one.partial_cmp(other).unwrap_or(core::cmp::Ordering::Equal));
    effects
}
