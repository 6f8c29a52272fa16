//! The cue manager (§12.4): from triggers to what is shown.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::batch::Batch;
use super::class::{CueClassDef, CueClassId, CueKind};
use super::config::{CueConfig, CueCounts};
use super::context::{CueContext, CueTrigger};
use super::handler::{CueHandler, PlayId};
use super::headless::{CueSink, Headless};
use super::rules::{Rules, lineage};
use super::stage::{CueKey, Entrance, Stage};
use crate::catalog::Catalog;
use crate::effect::PredictionKey;
use crate::event::{Event, EventKind};
use crate::handle::ControllerId;
use crate::id::TagId;
use crate::simulation::Simulation;
use crate::time::Time;

/// Shows cues on a client.
///
/// Pass it the events of the simulation; it calls the [`CueHandler`]. See the [module](super) for what is where.
///
/// A looping cue is there once for each target and tag (E11), however many hold it: the authority, the host, or both.
pub struct CueManager<H: CueHandler> {
    catalog: Arc<Catalog>,
    classes: BTreeMap<TagId, CueClassId>,
    pub(super) rules: Rules,
    stage: Stage<H>,
    /// The looping cues that were let through.
    held: BTreeMap<CueKey, Holders>,
    /// Local executions whose authoritative ones are still to come, the oldest first.
    predicted: VecDeque<(PredictionKey, CueKey)>,
    batch: Batch,
}

/// Who wants a looping cue to be there.
#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    authority: bool,
    local: Option<Local>,
}

/// A cue that the host added itself.
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

/// Setting up.
impl<H: CueHandler> CueManager<H> {
    /// A manager without classes.
    pub fn new(catalog: Arc<Catalog>, config: CueConfig, handler: H) -> Self {
        Self {
            catalog,
            classes: BTreeMap::new(),
            rules: Rules::default(),
            stage: Stage::new(handler, config),
            held: BTreeMap::new(),
            predicted: VecDeque::new(),
            batch: Batch::default(),
        }
    }

    /// Registers a class for a tag and all tags below it that have none of their own. Another class of the same tag is
    /// replaced for what comes; what it shows goes on.
    pub fn register(&mut self, tag: TagId, class: CueClassDef) -> CueClassId {
        let id = self.stage.define(class);
        self.classes.insert(tag, id);
        id
    }

    /// Registers a class that is there already for a further tag. A class of another manager shows nothing.
    pub fn register_also(&mut self, tag: TagId, class: CueClassId) {
        self.classes.insert(tag, class);
    }

    /// The class for a tag: its own, or that of the nearest ancestor which has one.
    pub fn class_of(&self, tag: TagId) -> Option<CueClassId> {
        lineage(self.catalog.tags(), tag).find_map(|tag| self.classes.get(&tag).copied())
    }

    /// The host's handler.
    pub fn handler(&self) -> &H {
        &self.stage.handler
    }

    /// The host's handler.
    pub fn handler_mut(&mut self) -> &mut H {
        &mut self.stage.handler
    }

    /// What was done and not done so far.
    pub fn counts(&self) -> CueCounts {
        self.stage.counts
    }

    /// Instances in use.
    pub fn active_instances(&self) -> u32 {
        self.stage.active()
    }

    /// Unused instances of a class.
    pub fn pooled_instances(&self, class: CueClassId) -> usize {
        self.stage.pooled(class)
    }

    /// True if the cue is on the target, be it visible or not.
    pub fn is_present(&self, target: ControllerId, cue: TagId) -> bool {
        self.held.contains_key(&(target, cue))
    }
}

/// Triggers.
impl<H: CueHandler> CueManager<H> {
    /// Takes an event of the authority. Events that are not about cues are ignored, so all of them may be passed.
    pub fn handle(&mut self, event: &Event) {
        self.dispatch(event, None, Holder::Authority);
    }

    /// Takes an event and looks up in the simulation it is from what the event does not say: causer and tags.
    pub fn handle_in(&mut self, event: &Event, simulation: &Simulation) {
        self.dispatch(event, Some(simulation), Holder::Authority);
    }

    /// Takes an event of a simulation that runs ahead of the authority (§13.4). What the authority sends later under
    /// the same prediction is not shown again.
    pub fn handle_predicted(&mut self, event: &Event, simulation: &Simulation) {
        self.dispatch(event, Some(simulation), Holder::Local);
    }

    /// Adds a looping cue on this machine only (GASD §4.8.3). What was added locally is to be removed locally, unless
    /// it was predicted and the authority has taken it over.
    pub fn add_local(&mut self, context: CueContext) {
        self.add(self.stamped(context), Holder::Local, Entrance::Fresh);
    }

    /// Removes a looping cue that was added locally.
    pub fn remove_local(&mut self, target: ControllerId, cue: TagId) {
        self.remove((target, cue), Holder::Local);
    }

    /// Executes a cue on this machine only. With a prediction, the authority's own is not shown when it comes.
    pub fn execute_local(&mut self, context: CueContext) {
        self.execute(self.stamped(context), Holder::Local);
    }

    /// Says that the authority has decided about a prediction and that all its events were passed. What the host showed
    /// and the authority did not is taken back; executions cannot be, and are forgotten.
    pub fn settle(&mut self, key: PredictionKey) {
        self.predicted.retain(|(prediction, _)| *prediction != key);
        let predicted = Some(Local { prediction: Some(key) });
        while let Some(cue) = self.held.iter().find_map(|(cue, by)| (by.local == predicted).then_some(*cue)) {
            self.remove(cue, Holder::Local);
        }
    }

    /// Brings the looping cues in line with a simulation that was joined late, restored, or heard of incompletely: what
    /// is missing appears without its beginning, what is gone ends. Local cues stay.
    pub fn catch_up(&mut self, simulation: &Simulation) {
        self.stage.now = simulation.now();
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

    /// A target comes into view: its looping cues appear without their beginnings (GASD §4.8.8).
    pub fn enter(&mut self, target: ControllerId, simulation: &Simulation) {
        let cues = simulation.controller(target).map(|target| target.cues()).unwrap_or_default();
        for (cue, _) in cues {
            if !self.held.get(&(target, *cue)).is_some_and(|holders| holders.authority) {
                let context = CueContext::of_present(simulation, target, *cue);
                self.add(context, Holder::Authority, Entrance::Late);
            }
        }
    }

    /// A target goes out of view or ceases to exist: its looping cues end, local ones too.
    pub fn leave(&mut self, target: ControllerId) {
        while let Some(key) = self.held.keys().find(|key| key.0 == target).copied() {
            self.end(key);
        }
    }
}

/// Instances and time.
impl<H: CueHandler> CueManager<H> {
    /// Tells the time, for hosts that show local cues while no events come. It never goes back by this; an event or
    /// [`catch_up`](Self::catch_up) can take it back to where a restored simulation is.
    pub fn advance_to(&mut self, now: Time) {
        self.stage.now = self.stage.now.max(now);
    }

    /// Loads the class of a tag before it is needed, and prewarms its pool.
    pub fn preload(&mut self, tag: TagId) {
        if let Some(class) = self.class_of(tag) {
            self.stage.load(class);
        }
    }

    /// A class that was [requested](super::Loading::Requested) is there. Looping cues that wait for it begin, and bursts
    /// are played if they are not older than [`CueConfig::patience`].
    pub fn loaded(&mut self, class: CueClassId) {
        self.stage.loaded(class);
    }

    /// A class that was requested cannot be had.
    pub fn failed(&mut self, class: CueClassId) {
        self.stage.failed(class);
    }

    /// What [went on](super::Playback::Continues) by itself has come to its end.
    pub fn finished(&mut self, play: PlayId) {
        self.stage.finished(play);
    }

    /// Gives up all unused instances.
    pub fn trim(&mut self) {
        self.stage.trim();
    }

    /// Begins to collect executions; until the end of the batch, those of the same cue on the same target by the same
    /// source become one, with their number and the sum of their magnitudes. Cues that are added or removed are not
    /// held back. Batches may be nested.
    pub fn begin_batch(&mut self) {
        self.batch.begin();
    }

    /// Plays what was collected, when the outermost batch ends.
    pub fn end_batch(&mut self) {
        if self.batch.end() {
            for context in self.batch.take_all() {
                self.play(context);
            }
        }
    }
}

impl<H: CueHandler> CueManager<H> {
    fn dispatch(&mut self, event: &Event, simulation: Option<&Simulation>, by: Holder) {
        self.stage.now = event.time;
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
            CueTrigger::Added => self.add(context, by, Entrance::Fresh),
            CueTrigger::Present => self.add(context, by, Entrance::Late),
            CueTrigger::Removed => self.remove((context.target, context.cue), by),
            CueTrigger::Executed => self.execute(context, by),
        }
    }

    fn stamped(&self, context: CueContext) -> CueContext {
        CueContext { time: self.stage.now, ..context }
    }

    fn add(&mut self, mut context: CueContext, by: Holder, entrance: Entrance) {
        let key = (context.target, context.cue);
        let local = Local { prediction: context.prediction };
        if let Some(holders) = self.held.get_mut(&key) {
            self.stage.counts.doubled += 1;
            match by {
                Holder::Local => holders.local = Some(local),
                Holder::Authority => {
                    holders.authority = true;
                    // The authority takes over what was predicted, and will remove it too.
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
        let trigger = match entrance {
            Entrance::Fresh => CueTrigger::Added,
            Entrance::Late => CueTrigger::Present,
        };
        let Some((class, kind, priority)) = self.trigger(trigger, &mut context) else { return };
        match (kind, entrance) {
            (CueKind::Looping, _) => self.stage.begin(key, class, context, priority, entrance),
            (CueKind::Burst, Entrance::Fresh) => self.stage.execute(key, class, context, priority),
            // What happened once, before one came, is over.
            (CueKind::Burst, Entrance::Late) => {}
        }
    }

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

    /// Ends a looping cue, whoever holds it.
    fn end(&mut self, key: CueKey) {
        // What was executed before the end is played before it.
        while let Some(context) = self.batch.take(|context| (context.target, context.cue) == key) {
            self.play(context);
        }
        self.held.remove(&key);
        let context = self.stamped(CueContext::new(key.0, key.1));
        self.stage.counts.triggers += 1;
        self.stage.handler.triggered(CueTrigger::Removed, &context);
        self.stage.end(key);
    }

    fn execute(&mut self, context: CueContext, by: Holder) {
        let key = (context.target, context.cue);
        if let Some(prediction) = context.prediction {
            match by {
                Holder::Local => {
                    self.predicted.push_back((prediction, key));
                    if self.predicted.len() > self.stage.config.max_predicted as usize {
                        self.predicted.pop_front();
                    }
                }
                Holder::Authority => {
                    if let Some(at) = self.predicted.iter().position(|known| *known == (prediction, key)) {
                        self.predicted.remove(at);
                        self.stage.counts.doubled += 1;
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
            self.stage.counts.merged += 1;
        }
    }

    fn play(&mut self, mut context: CueContext) {
        let key = (context.target, context.cue);
        if let Some((class, _, priority)) = self.trigger(CueTrigger::Executed, &mut context) {
            self.stage.execute(key, class, context, priority);
        }
    }

    fn is_suppressed(&mut self, context: &CueContext) -> bool {
        let suppressed = self.rules.suppresses(self.catalog.tags(), context);
        self.stage.counts.suppressed += u64::from(suppressed);
        suppressed
    }

    /// Translates, tells the handler, and finds the class.
    fn trigger(
        &mut self,
        trigger: CueTrigger,
        context: &mut CueContext,
    ) -> Option<(CueClassId, CueKind, i32)> {
        context.shown_as = self.rules.translate(self.catalog.tags(), context);
        let class = self.class_of(context.shown_as);
        let def = class.and_then(|class| self.stage.class(class));
        let found = class.zip(def).map(|(class, def)| {
            context.normalised = def.normalise(context.magnitude);
            (class, def.kind, self.rules.priority(context, def.priority))
        });
        self.stage.counts.triggers += 1;
        self.stage.counts.unmatched += u64::from(found.is_none());
        self.stage.handler.triggered(trigger, context);
        found
    }
}
