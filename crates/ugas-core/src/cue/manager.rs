//! The cue manager (§12.4): from triggers to handler calls.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::batch::Batch;
use super::class::{CueClassDef, CueClassId, CueKind};
use super::config::{CueConfig, CueCounts};
use super::context::{CueContext, CueTrigger};
use super::handler::{CueHandler, PlayId};
use super::headless::{CueSink, Headless};
use super::instances::{CueInstances, CueKey, StartMode};
use super::rules::{Rules, lineage};
use crate::catalog::Catalog;
use crate::effect::PredictionKey;
use crate::event::{Event, EventKind};
use crate::handle::ControllerId;
use crate::id::TagId;
use crate::simulation::Simulation;
use crate::time::Time;

/// Shows cues on a client.
///
/// Pass it the events of the simulation; it calls the [`CueHandler`]. See the [module](super) for an
/// overview.
///
/// A looping cue exists once per target and tag (E11), whether the authority, the host or both hold it.
pub struct CueManager<H: CueHandler> {
    catalog: Arc<Catalog>,
    classes: BTreeMap<TagId, CueClassId>,
    pub(super) rules: Rules,
    instances: CueInstances<H>,
    /// The looping cues that were not suppressed.
    held: BTreeMap<CueKey, Holders>,
    /// Local executions whose authoritative ones have not arrived, the oldest first.
    predicted: VecDeque<(PredictionKey, CueKey)>,
    batch: Batch,
}

/// The holders of a looping cue.
#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    authority: bool,
    local: Option<Local>,
}

/// A looping cue that the host added itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Local {
    prediction: Option<PredictionKey>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Authority,
    Local,
}

impl<S: CueSink> CueManager<Headless<S>> {
    /// A manager that shows nothing and passes all triggers on (§12.5).
    pub fn headless(catalog: Arc<Catalog>, sink: S) -> Self {
        Self::new(catalog, CueConfig::default(), Headless(sink))
    }
}

/// Setup.
impl<H: CueHandler> CueManager<H> {
    /// A manager without classes.
    pub fn new(catalog: Arc<Catalog>, config: CueConfig, handler: H) -> Self {
        Self {
            catalog,
            classes: BTreeMap::new(),
            rules: Rules::default(),
            instances: CueInstances::new(handler, config),
            held: BTreeMap::new(),
            predicted: VecDeque::new(),
            batch: Batch::default(),
        }
    }

    /// Registers a class for a tag and all tags below it that have none of their own. It replaces an earlier
    /// class of the tag for later triggers; cues that are shown continue.
    pub fn register(&mut self, tag: TagId, class: CueClassDef) -> CueClassId {
        let id = self.instances.define(class);
        self.classes.insert(tag, id);
        id
    }

    /// Registers a class of this manager for another tag, too; it replaces an earlier class of the tag, as in
    /// [`register`](Self::register).
    ///
    /// An id is only a position in the order of registration: the id of another manager's class stands for
    /// this manager's class at the same position, and shows nothing if there is none.
    pub fn register_also(&mut self, tag: TagId, class: CueClassId) {
        self.classes.insert(tag, class);
    }

    /// The class for a tag: its own, or that of the nearest ancestor that has one.
    pub fn class_of(&self, tag: TagId) -> Option<CueClassId> {
        lineage(self.catalog.tags(), tag).find_map(|tag| self.classes.get(&tag).copied())
    }

    /// The host's handler.
    pub fn handler(&self) -> &H {
        &self.instances.handler
    }

    /// The host's handler, mutably.
    pub fn handler_mut(&mut self) -> &mut H {
        &mut self.instances.handler
    }

    /// The counters since the manager was created.
    pub fn counts(&self) -> CueCounts {
        self.instances.counts
    }

    /// Number of instances in use.
    pub fn active_instances(&self) -> u32 {
        self.instances.active()
    }

    /// Number of unused instances of a class.
    pub fn pooled_instances(&self, class: CueClassId) -> usize {
        self.instances.pooled(class)
    }

    /// Whether the cue is on the target, visible or not.
    pub fn is_present(&self, target: ControllerId, cue: TagId) -> bool {
        self.held.contains_key(&(target, cue))
    }
}

/// Triggers.
impl<H: CueHandler> CueManager<H> {
    /// Handles an event of the authority. Other events than those of cues are ignored, so all may be passed.
    pub fn handle(&mut self, event: &Event) {
        self.dispatch(event, None, Holder::Authority);
    }

    /// Handles an event, and looks up causer and tags in the simulation that it comes from.
    pub fn handle_in(&mut self, event: &Event, simulation: &Simulation) {
        self.dispatch(event, Some(simulation), Holder::Authority);
    }

    /// Handles an event of a simulation that predicts (§13.4). The authority's cue of the same prediction is
    /// not shown again.
    pub fn handle_predicted(&mut self, event: &Event, simulation: &Simulation) {
        self.dispatch(event, Some(simulation), Holder::Local);
    }

    /// Adds a looping cue on this machine only (GASD §4.8.3). It must be removed locally, unless it was
    /// predicted and the authority has taken it over.
    pub fn add_local(&mut self, context: CueContext) {
        self.add(self.stamped(context), Holder::Local, StartMode::Fresh);
    }

    /// Removes a looping cue that was added locally.
    pub fn remove_local(&mut self, target: ControllerId, cue: TagId) {
        self.remove((target, cue), Holder::Local);
    }

    /// Executes a cue on this machine only. With a prediction key, the authority's own is not shown again.
    pub fn execute_local(&mut self, context: CueContext) {
        self.execute(self.stamped(context), Holder::Local);
    }

    /// Settles a prediction: the authority has decided, and all its events were passed. Looping cues that the
    /// authority did not confirm are removed; executions cannot be undone and are forgotten.
    pub fn settle(&mut self, key: PredictionKey) {
        self.predicted.retain(|(prediction, _)| *prediction != key);
        let predicted = Some(Local { prediction: Some(key) });
        while let Some(cue) = self.held.iter().find_map(|(cue, by)| (by.local == predicted).then_some(*cue)) {
            self.remove(cue, Holder::Local);
        }
    }

    /// Synchronises the looping cues with a simulation that was joined late, restored, or observed
    /// incompletely: missing cues appear as already begun, others end. Local cues stay.
    pub fn catch_up(&mut self, simulation: &Simulation) {
        self.instances.now = simulation.now();
        let targets = simulation.controllers().map(|(target, _)| target);
        for target in targets {
            self.enter(target, simulation);
        }
        let gone = |(key, holders): (&CueKey, &Holders)| {
            let cues = simulation.controller(key.0).map(|target| target.cues()).unwrap_or_default();
            (holders.authority && !cues.iter().any(|(cue, _)| *cue == key.1)).then_some(*key)
        };
        while let Some(key) = self.held.iter().find_map(gone) {
            self.remove(key, Holder::Authority);
        }
    }

    /// A target comes into view: its looping cues appear as already begun (GASD §4.8.8).
    pub fn enter(&mut self, target: ControllerId, simulation: &Simulation) {
        let cues = simulation.controller(target).map(|target| target.cues()).unwrap_or_default();
        for (cue, _) in cues {
            if !self.held.get(&(target, *cue)).is_some_and(|holders| holders.authority) {
                let context = CueContext::of_present(simulation, target, *cue);
                self.add(context, Holder::Authority, StartMode::Late);
            }
        }
    }

    /// A target goes out of view or is despawned: its looping cues end, local ones included.
    pub fn leave(&mut self, target: ControllerId) {
        while let Some(key) = self.held.keys().find(|key| key.0 == target).copied() {
            self.end(key);
        }
    }
}

/// Instances and time.
impl<H: CueHandler> CueManager<H> {
    /// Sets the time, for hosts that show local cues while no events arrive. It does not go back; an event or
    /// [`catch_up`](Self::catch_up) may set it back to the time of a restored simulation.
    pub fn advance_to(&mut self, now: Time) {
        self.instances.now = self.instances.now.max(now);
    }

    /// Loads the class of a tag before it is needed, and prewarms its pool.
    pub fn preload(&mut self, tag: TagId) {
        if let Some(class) = self.class_of(tag) {
            self.instances.load(class);
        }
    }

    /// A [requested](super::Loading::Requested) class is loaded. Looping cues that wait for it begin, and
    /// bursts are played unless they are older than [`CueConfig::patience`].
    pub fn loaded(&mut self, class: CueClassId) {
        self.instances.loaded(class);
    }

    /// A requested class is unavailable.
    pub fn failed(&mut self, class: CueClassId) {
        self.instances.failed(class);
    }

    /// An instance that [continued](super::Playback::Continues) has finished.
    pub fn finished(&mut self, play: PlayId) {
        self.instances.finished(play);
    }

    /// Destroys all unused instances.
    pub fn trim(&mut self) {
        self.instances.trim();
    }

    /// Begins a batch of executions: until its end, those of the same cue on the same target by the same
    /// source merge into one, with their number and the sum of their magnitudes. Added and removed cues are
    /// not delayed. Batches may be nested.
    pub fn begin_batch(&mut self) {
        self.batch.begin();
    }

    /// Ends a batch; the outermost plays the collected executions.
    pub fn end_batch(&mut self) {
        if self.batch.end() {
            for context in self.batch.take_all() {
                self.play(context);
            }
        }
    }
}

impl<H: CueHandler> CueManager<H> {
    /// Handles an event as the authority's or as a local one. Sets the time to that of the event, also
    /// backwards. A despawn by the authority ends all cues of the target.
    fn dispatch(&mut self, event: &Event, simulation: Option<&Simulation>, by: Holder) {
        self.instances.now = event.time;
        if let EventKind::ControllerDespawned { controller } = event.kind
            && by == Holder::Authority
        {
            self.leave(controller);
            self.rules.suppressed_targets.remove(&controller);
        }
        let Some((trigger, mut context)) = CueContext::of_event(event) else { return };
        if let Some(simulation) = simulation {
            context.look_up(simulation);
        }
        match trigger {
            CueTrigger::Added => self.add(context, by, StartMode::Fresh),
            CueTrigger::Present => self.add(context, by, StartMode::Late),
            CueTrigger::Removed => self.remove((context.target, context.cue), by),
            CueTrigger::Executed => self.execute(context, by),
        }
    }

    /// A context with the current time, for cues without an event.
    fn stamped(&self, context: CueContext) -> CueContext {
        CueContext { time: self.instances.now, ..context }
    }

    /// Adds a holder of a looping cue, and begins the cue if it is the first. The authority takes over the
    /// hold of the same prediction. A suppressed cue gets no holder.
    fn add(&mut self, mut context: CueContext, by: Holder, start_mode: StartMode) {
        let key = (context.target, context.cue);
        let local = Local { prediction: context.prediction };
        if let Some(holders) = self.held.get_mut(&key) {
            self.instances.counts.doubled += 1;
            match by {
                Holder::Local => holders.local = Some(local),
                Holder::Authority => {
                    holders.authority = true;
                    // The authority takes over what was predicted, and also removes it.
                    holders.local = holders.local.filter(|held| held.prediction.is_none() || *held != local);
                }
            }
            return;
        }
        if self.is_suppressed(&context) {
            return;
        }
        let holders = match by {
            Holder::Authority => Holders { authority: true, local: None },
            Holder::Local => Holders { authority: false, local: Some(local) },
        };
        self.held.insert(key, holders);
        let trigger = match start_mode {
            StartMode::Fresh => CueTrigger::Added,
            StartMode::Late => CueTrigger::Present,
        };
        let Some((class, kind, priority)) = self.trigger(trigger, &mut context) else { return };
        match (kind, start_mode) {
            (CueKind::Looping, _) => self.instances.begin(key, class, context, priority, start_mode),
            (CueKind::Burst, StartMode::Fresh) => self.instances.execute(key, class, context, priority),
            // A burst from before this observer joined is over.
            (CueKind::Burst, StartMode::Late) => {}
        }
    }

    /// Removes one holder of a looping cue, and ends the cue if it was the last.
    fn remove(&mut self, key: CueKey, by: Holder) {
        let Some(holders) = self.held.get_mut(&key) else { return };
        match by {
            Holder::Authority => holders.authority = false,
            Holder::Local => holders.local = None,
        }
        if !holders.authority && holders.local.is_none() {
            self.end(key);
        }
    }

    /// Ends a looping cue, whoever holds it: plays its batched executions, notifies the handler, and stops
    /// the instance.
    fn end(&mut self, key: CueKey) {
        // Executions before the end are played before it.
        while let Some(context) = self.batch.take(|context| (context.target, context.cue) == key) {
            self.play(context);
        }
        self.held.remove(&key);
        let context = self.stamped(CueContext::new(key.0, key.1));
        self.instances.counts.triggers += 1;
        self.instances.handler.triggered(CueTrigger::Removed, &context);
        self.instances.end(key);
    }

    /// Executes a cue: at once, or at the end of an open batch. The authority's execution is dropped if the
    /// same one was predicted here.
    fn execute(&mut self, context: CueContext, by: Holder) {
        let key = (context.target, context.cue);
        if let Some(prediction) = context.prediction {
            match by {
                Holder::Local => {
                    self.predicted.push_back((prediction, key));
                    if self.predicted.len() > self.instances.config.max_predicted as usize {
                        self.predicted.pop_front();
                    }
                }
                Holder::Authority => {
                    if let Some(at) = self.predicted.iter().position(|known| *known == (prediction, key)) {
                        self.predicted.remove(at);
                        self.instances.counts.doubled += 1;
                        return;
                    }
                }
            }
        }
        if self.is_suppressed(&context) {
            return;
        }
        if !self.batch.is_open() {
            self.play(context);
        } else if self.batch.collect(context) {
            self.instances.counts.merged += 1;
        }
    }

    /// Notifies the handler of an execution, and plays it if its tag has a class.
    fn play(&mut self, mut context: CueContext) {
        let key = (context.target, context.cue);
        if let Some((class, _, priority)) = self.trigger(CueTrigger::Executed, &mut context) {
            self.instances.execute(key, class, context, priority);
        }
    }

    /// Whether the host's rules suppress the cue; counts it if so.
    fn is_suppressed(&mut self, context: &CueContext) -> bool {
        let suppressed = self.rules.suppresses(self.catalog.tags(), context);
        self.instances.counts.suppressed += u64::from(suppressed);
        suppressed
    }

    /// Translates the cue, finds its class, and notifies the handler. Returns class, kind and priority;
    /// `None` if the tag has no class.
    fn trigger(
        &mut self,
        trigger: CueTrigger,
        context: &mut CueContext,
    ) -> Option<(CueClassId, CueKind, i32)> {
        context.shown_as = self.rules.translate(self.catalog.tags(), context);
        let class = self.class_of(context.shown_as);
        let def = class.and_then(|class| self.instances.class(class));
        let found = class.zip(def).map(|(class, def)| {
            context.normalised = def.normalise(context.magnitude);
            (class, def.kind, self.rules.priority(context, def.priority))
        });
        self.instances.counts.triggers += 1;
        self.instances.counts.unmatched += u64::from(found.is_none());
        self.instances.handler.triggered(trigger, context);
        found
    }
}
