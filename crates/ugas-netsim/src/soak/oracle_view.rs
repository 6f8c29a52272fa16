//! Oracle of replication: the state of a controller that a viewer should see, read once from the server's
//! simulation, without what the viewer may not see, and once from the client's. It shares no code with the
//! replication that it checks.

use ugas_core::attribute::{AttributeReplication, Quantize};
use ugas_core::controller::ReplicationMode;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AbilityId, AttributeId, EffectId, TagId};
use ugas_core::simulation::{Role, Simulation};

use super::game::ABILITIES;

/// Relation of a viewer to a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Owner,
    Other,
}

/// An effect without its handle.
#[derive(Clone, PartialEq, PartialOrd, Debug)]
pub(super) struct OracleEffect {
    effect: EffectId,
    stacks: u32,
    started: u64,
    expires: Option<u64>,
    level: f64,
    is_inhibited: bool,
    /// The server's handle; `None` if the viewer does not see it.
    source: Option<ControllerId>,
    /// Only for the owner.
    next_tick: Option<u64>,
}

/// An ability with its level, charges and input.
type OracleAbility = (AbilityId, u32, u32, Option<String>);

/// State of a controller that a viewer should see.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct OracleView {
    attributes: Vec<(AttributeId, f64, f64)>,
    /// Attributes that a client can read and must not (N1).
    leaked: Vec<AttributeId>,
    tags: Vec<(TagId, u32)>,
    cues: Vec<TagId>,
    effects: Option<Vec<OracleEffect>>,
    abilities: Option<Vec<OracleAbility>>,
    runs: Option<Vec<(AbilityId, u64, usize)>>,
    held: Option<Vec<&'static str>>,
}

/// Parts of a controller that a viewer may see.
#[derive(Clone, Copy, Debug)]
struct Scope {
    attributes: Option<Relation>,
    effects: bool,
    abilities: bool,
    phases: bool,
}

impl Scope {
    /// The table of §13.2; `None` if the controller is hidden.
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

impl OracleView {
    /// State of a controller for a viewer, from the server's simulation or the viewer's own; `None` if it is
    /// hidden. `name` gives the server's handle of a controller if the viewer sees it.
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
        let mut view = Self {
            attributes,
            leaked,
            tags: controller.tags().iter().collect(),
            cues: controller.cues().iter().map(|(cue, _)| *cue).collect(),
            ..Self::default()
        };
        view.tags.sort_unstable();
        view.cues.sort_unstable();
        if scope.effects {
            view.effects = Some(effects(simulation, id, scope, name));
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
            view.abilities = Some(abilities);
            let runs = controller.activations().iter().filter_map(|run| simulation.activation(*run));
            let mut runs: Vec<_> =
                runs.map(|run| (run.ability(), run.started().micros(), run.tasks().count())).collect();
            runs.sort_unstable();
            view.runs = Some(runs);
            let is_held = |name: &&str| simulation.held(id, &(**name).into()).is_some();
            view.held = Some(ABILITIES.iter().filter(|name| is_held(name)).copied().collect());
        }
        Some(view)
    }

    /// Description of the first difference between this view, the server's, and the client's; `None` if they
    /// are equal.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        /// Message if both values differ; `None` if they are equal.
        fn differ<T: PartialEq + core::fmt::Debug>(what: &str, truth: &T, shown: &T) -> Option<String> {
            (truth != shown).then(|| format!("{what}: the server has {truth:?}, the client shows {shown:?}"))
        }
        differ("attributes", &self.attributes, &other.attributes)
            .or_else(|| differ("attributes that it may not know", &self.leaked, &other.leaked))
            .or_else(|| differ("tags", &self.tags, &other.tags))
            .or_else(|| differ("cues", &self.cues, &other.cues))
            .or_else(|| differ("effects", &self.effects, &other.effects))
            .or_else(|| differ("abilities", &self.abilities, &other.abilities))
            .or_else(|| differ("runs", &self.runs, &other.runs))
            .or_else(|| differ("held inputs", &self.held, &other.held))
    }
}

/// Attributes that a viewer may see, as it gets them, and those that a client's simulation shows beyond that.
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

/// Effects on a controller, sorted. Their next periodic ticks are left out unless the scope includes phases.
fn effects(
    simulation: &Simulation,
    id: ControllerId,
    scope: Scope,
    name: impl Fn(ControllerId) -> Option<ControllerId>,
) -> Vec<OracleEffect> {
    let Some(controller) = simulation.controller(id) else { return Vec::new() };
    let active = controller.effects().iter().filter_map(|active| simulation.effect(*active));
    let mut effects: Vec<_> = active
        .map(|active| OracleEffect {
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
