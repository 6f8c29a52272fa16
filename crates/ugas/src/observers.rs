//! Subscriptions (§5.6): a thin layer over the event stream.
//!
//! The core knows no callbacks: its state is plain data (I1), and it hands out one ordered stream of events
//! (I7). A host that prefers to subscribe keeps an [`Observers`] beside the simulation and feeds the stream
//! through it.

use std::collections::BTreeMap;
use std::fmt;

use ugas_core::event::{Cause, Event, EventKind};
use ugas_core::handle::ControllerId;
use ugas_core::id::{AttributeId, EffectId, TagId};
use ugas_core::reload::Renumbering;
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;

/// Filter on the events of an observer. All given criteria must hold; the default selects all events.
///
/// An event that does not name a controller, attribute, tag or effect does not meet a criterion about it: a
/// reached cascade limit, for instance, names no controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    kind: Option<fn(&EventKind) -> bool>,
    controller: Option<ControllerId>,
    attribute: Option<AttributeId>,
    tag: Option<TagId>,
    effect: Option<EffectId>,
}

impl Filter {
    /// All events.
    pub fn all() -> Self {
        Self::default()
    }

    /// Events of the kinds for which `is_wanted` holds: `|kind| matches!(kind, EventKind::TagAdded { .. })`.
    pub fn kind(is_wanted: fn(&EventKind) -> bool) -> Self {
        Self { kind: Some(is_wanted), ..Self::default() }
    }

    /// Attribute events on any controller: changes, failed evaluations, ignored divisors and inert modifiers.
    pub fn attribute(attribute: AttributeId) -> Self {
        Self { attribute: Some(attribute), ..Self::default() }
    }

    /// Tag events on any controller: the tag appears or disappears, also through a descendant (§7.2), its
    /// explicit count changes (only with [`Config::tag_counts`](ugas_core::simulation::Config::tag_counts),
    /// T6), or it is played as a cue.
    pub fn tag(tag: TagId) -> Self {
        Self { tag: Some(tag), ..Self::default() }
    }

    /// Events about an effect definition, on any controller.
    pub fn effect(effect: EffectId) -> Self {
        Self { effect: Some(effect), ..Self::default() }
    }

    /// Restricts the filter to events that happened to this controller, such as the target of an effect; see
    /// [`EventKind::subject`]. Events that it only caused do not match.
    #[must_use]
    pub fn of(mut self, controller: ControllerId) -> Self {
        self.controller = Some(controller);
        self
    }

    /// The filter with the ids after a reload; `None` if a definition no longer exists.
    fn renumbered(self, ids: &Renumbering) -> Option<Self> {
        let attribute = self.attribute.map(|attribute| ids.attribute(attribute));
        let tag = self.tag.map(|tag| ids.tag(tag));
        let effect = self.effect.map(|effect| ids.effect(effect));
        let is_gone = attribute == Some(None) || tag == Some(None) || effect == Some(None);
        let same =
            Self { attribute: attribute.flatten(), tag: tag.flatten(), effect: effect.flatten(), ..self };
        (!is_gone).then_some(same)
    }

    /// Whether an event meets all criteria.
    pub fn matches(&self, event: &Event) -> bool {
        let subject = Subject::of(&event.kind);
        self.kind.is_none_or(|is_wanted| is_wanted(&event.kind))
            && self.controller.is_none_or(|wanted| subject.controller == Some(wanted))
            && self.attribute.is_none_or(|wanted| subject.attribute == Some(wanted))
            && self.tag.is_none_or(|wanted| subject.tag == Some(wanted))
            && self.effect.is_none_or(|wanted| subject.effect == Some(wanted))
    }
}

/// A changed attribute (§5.6, `AttributeChangedEvent`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttributeChange {
    /// Game time of the change.
    pub time: Time,
    /// Controller that has the attribute: §5.6's `Target`.
    pub controller: ControllerId,
    /// The attribute.
    pub attribute: AttributeId,
    /// Base value before.
    pub old_base: f64,
    /// Base value now.
    pub new_base: f64,
    /// Current value before.
    pub old: f64,
    /// Current value now.
    pub new: f64,
    /// Effect that caused the change, with its source: §5.6's `CausalEffect` and `Source`.
    pub cause: Cause,
}

/// Id of a registered observer, to unregister it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObserverId(u64);

/// Closures that observe events (§5.6).
///
/// They run in the order of their registration, and read the simulation as it is when the event is dispatched, which may be
/// later than the event. They cannot change it: collect follow-up actions, and execute them afterwards. Observers are
/// found by controller, attribute, tag or effect: the cost of an event depends on those that may match it, not on
/// the number of observers.
///
/// ```
/// use ugas::prelude::*;
/// use ugas::{Filter, Observers};
///
/// let catalog = Catalog::builder()
///     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0).min(0.0)))
///     .effect(EffectDef::instant("GE_Hit").modify("Health", Operation::Add, -60.0))
///     .template(ControllerDef::new("Wolf").with_set("Combat"))
///     .build()?;
/// let (health, hit) = (catalog.attribute("Health")?, catalog.effect("GE_Hit")?);
/// let mut sim = Simulation::new(catalog, Config::default());
/// let wolf = sim.spawn("Wolf")?;
///
/// let mut bar = 1.0;
/// let mut observers = Observers::new();
/// let id = observers.on_attribute_changed(wolf, health, |sim, change| {
///     let full = sim.explain(change.controller, change.attribute).map_or(100.0, |explanation| explanation.base);
///     bar = change.new / 100.0_f64.max(full);
/// });
///
/// sim.apply_effect(hit, None, wolf)?;
/// observers.poll(&mut sim);
/// assert!(observers.unregister(id));
/// assert!(!observers.unregister(id)); // already unregistered
/// drop(observers);
/// assert_eq!(bar, 0.4);
/// # Ok::<(), ugas::Error>(())
/// ```
#[derive(Default)]
pub struct Observers<'a> {
    next: u64,
    registered: BTreeMap<ObserverId, Registered<'a>>,
    /// Observers by their most specific criterion, each list in the order of registration.
    index: BTreeMap<Criterion, Vec<ObserverId>>,
    /// Working memory of [`Self::dispatch`].
    candidates: Vec<ObserverId>,
}

/// Function that is called with matching events.
type Observer<'a> = Box<dyn FnMut(&Simulation, &Event) + Send + 'a>;

struct Registered<'a> {
    filter: Filter,
    observer: Observer<'a>,
}

/// Criterion of a filter by which an event finds it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Criterion {
    Controller(ControllerId),
    Attribute(AttributeId),
    Tag(TagId),
    Effect(EffectId),
    None,
}

impl Criterion {
    /// The most specific criterion of a filter.
    fn of(filter: &Filter) -> Self {
        let controller = filter.controller.map(Self::Controller);
        let attribute = controller.or(filter.attribute.map(Self::Attribute));
        let tag = attribute.or(filter.tag.map(Self::Tag));
        tag.or(filter.effect.map(Self::Effect)).unwrap_or(Self::None)
    }
}

impl<'a> Observers<'a> {
    /// No observers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers an observer of the events that `filter` selects.
    pub fn register(
        &mut self,
        filter: Filter,
        observer: impl FnMut(&Simulation, &Event) + Send + 'a,
    ) -> ObserverId {
        let id = ObserverId(self.next);
        self.next += 1;
        self.registered.insert(id, Registered { filter, observer: Box::new(observer) });
        self.index.entry(Criterion::of(&filter)).or_default().push(id);
        id
    }

    /// Registers an observer of the base and current value of one attribute of one controller (§5.6,
    /// `RegisterAttributeChangeObserver`). Other events about the attribute are not passed on.
    pub fn on_attribute_changed(
        &mut self,
        controller: ControllerId,
        attribute: AttributeId,
        mut observer: impl FnMut(&Simulation, &AttributeChange) + Send + 'a,
    ) -> ObserverId {
        self.register(Filter::attribute(attribute).of(controller), move |simulation, event| {
            if let EventKind::AttributeChanged { controller, attribute, old_base, new_base, old, new } =
                event.kind
            {
                let (time, cause) = (event.time, event.cause);
                let change =
                    AttributeChange { time, controller, attribute, old_base, new_base, old, new, cause };
                observer(simulation, &change);
            }
        })
    }

    /// Unregisters an observer (§5.6); false if it is not registered (anymore).
    pub fn unregister(&mut self, id: ObserverId) -> bool {
        let Some(registered) = self.registered.remove(&id) else { return false };
        let criterion = Criterion::of(&registered.filter);
        if let Some(ids) = self.index.get_mut(&criterion) {
            ids.retain(|known| *known != id);
            if ids.is_empty() {
                self.index.remove(&criterion);
            }
        }
        true
    }

    /// Polls all events of a simulation and dispatches each.
    pub fn poll(&mut self, simulation: &mut Simulation) {
        while let Some(event) = simulation.poll_event() {
            self.dispatch(simulation, &event);
        }
    }

    /// Passes an event of a simulation to the observers that it matches. When a controller is despawned, observers of
    /// that controller are notified and then unregistered (§4.3).
    pub fn dispatch(&mut self, simulation: &Simulation, event: &Event) {
        let subject = Subject::of(&event.kind);
        let criteria = [
            subject.controller.map(Criterion::Controller),
            subject.attribute.map(Criterion::Attribute),
            subject.tag.map(Criterion::Tag),
            subject.effect.map(Criterion::Effect),
            Some(Criterion::None),
        ];
        self.candidates.clear();
        let lists = criteria.into_iter().flatten().filter_map(|criterion| self.index.get(&criterion));
        self.candidates.extend(lists.flatten());
        self.candidates.sort_unstable();
        for id in &self.candidates {
            if let Some(registered) = self.registered.get_mut(id)
                && registered.filter.matches(event)
            {
                (registered.observer)(simulation, event);
            }
        }
        if let EventKind::ControllerDespawned { controller } = event.kind {
            for id in self.index.remove(&Criterion::Controller(controller)).into_iter().flatten() {
                self.registered.remove(&id);
            }
        }
    }

    /// Translates the filters after a [reload](ugas_core::simulation::Simulation::reload), whose report has
    /// the new ids. Observers of removed definitions are unregistered.
    pub fn renumber(&mut self, ids: &Renumbering) {
        self.index.clear();
        let index = &mut self.index;
        self.registered.retain(|id, registered| match registered.filter.renumbered(ids) {
            Some(filter) => {
                registered.filter = filter;
                index.entry(Criterion::of(&filter)).or_default().push(*id);
                true
            }
            None => false,
        });
    }

    /// Number of registered observers.
    pub fn len(&self) -> usize {
        self.registered.len()
    }

    /// Whether no observer is registered.
    pub fn is_empty(&self) -> bool {
        self.registered.is_empty()
    }
}

impl fmt::Debug for Observers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observers").field("registered", &self.registered.len()).finish_non_exhaustive()
    }
}

/// Subject of an event, for matching filters.
#[derive(Default)]
struct Subject {
    controller: Option<ControllerId>,
    attribute: Option<AttributeId>,
    tag: Option<TagId>,
    effect: Option<EffectId>,
}

impl Subject {
    /// The controller, attribute, tag or cue, and effect of an event, as far as filters select by them:
    /// abilities and gameplay events have only their controller.
    fn of(kind: &EventKind) -> Self {
        let about = Self { controller: kind.subject(), ..Self::default() };
        match *kind {
            EventKind::AttributeChanged { attribute, .. }
            | EventKind::EvaluationFailed { attribute, .. }
            | EventKind::DivisorIgnored { attribute, .. } => Self { attribute: Some(attribute), ..about },
            EventKind::TagAdded { tag, .. }
            | EventKind::TagRemoved { tag, .. }
            | EventKind::TagCountChanged { tag, .. }
            | EventKind::CueAdded { cue: tag, .. }
            | EventKind::CueRemoved { cue: tag, .. }
            | EventKind::CueExecuted { cue: tag, .. } => Self { tag: Some(tag), ..about },
            EventKind::BeforeEffectApplied { effect, .. }
            | EventKind::EffectApplied { effect, .. }
            | EventKind::EffectExecuted { effect, .. }
            | EventKind::EffectRemoved { effect, .. }
            | EventKind::EffectMerged { effect, .. }
            | EventKind::EffectQueued { effect, .. }
            | EventKind::EffectStackChanged { effect, .. }
            | EventKind::EffectDurationChanged { effect, .. }
            | EventKind::EffectInhibited { effect, .. }
            | EventKind::EffectResumed { effect, .. }
            | EventKind::EffectBlockedByImmunity { effect, .. } => Self { effect: Some(effect), ..about },
            EventKind::ModifierInert { effect, attribute, .. } => {
                Self { attribute: Some(attribute), effect: Some(effect), ..about }
            }
            EventKind::EffectRefused(ref refusal) => Self { effect: Some(refusal.effect), ..about },
            _ => about,
        }
    }
}
