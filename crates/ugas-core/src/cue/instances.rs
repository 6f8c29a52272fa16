//! Cue instances: loading, pooling, playing and the budget. The manager decides what to play.

use std::collections::BTreeMap;

use super::class::{Class, CueClassDef, CueClassId, LoadState};
use super::config::{CueConfig, CueCounts};
use super::context::CueContext;
use super::handler::{CueHandler, Loading, PlayId, Playback};
use crate::handle::ControllerId;
use crate::id::TagId;
use crate::time::Time;

/// A cue on a target, as it was triggered.
pub(super) type CueKey = (ControllerId, TagId);

/// How a looping cue starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StartMode {
    /// It begins now: `on_active` and `while_active`.
    Fresh,
    /// It began earlier: `while_active` only.
    Late,
}

/// A looping cue.
struct Looping<I> {
    class: CueClassId,
    context: CueContext,
    priority: i32,
    shown: LoopingState<I>,
}

enum LoopingState<I> {
    /// Its class is being loaded.
    Loading(StartMode),
    /// The budget has no room for it.
    Hidden,
    /// Its class or instance is unavailable.
    Unavailable,
    Playing(PlayId, I),
}

/// An instance that plays to its end without a cue that holds it: a burst, or the end of a looping cue.
struct Loose<I> {
    class: CueClassId,
    instance: I,
    priority: i32,
}

/// An instance that is evicted.
enum Victim {
    Looping(CueKey),
    Loose(PlayId),
}

/// All instances and the budget.
pub(super) struct CueInstances<H: CueHandler> {
    pub(super) handler: H,
    pub(super) config: CueConfig,
    pub(super) counts: CueCounts,
    pub(super) now: Time,
    classes: Vec<Class<H::Instance>>,
    looping: BTreeMap<CueKey, Looping<H::Instance>>,
    loose: BTreeMap<PlayId, Loose<H::Instance>>,
    /// Bursts that wait for their classes to load, with their priorities.
    waiting: Vec<(CueClassId, CueContext, i32)>,
    plays: u64,
    active: u32,
}

impl<H: CueHandler> CueInstances<H> {
    pub(super) fn new(handler: H, config: CueConfig) -> Self {
        Self {
            handler,
            config,
            counts: CueCounts::default(),
            now: Time::default(),
            classes: Vec::new(),
            looping: BTreeMap::new(),
            loose: BTreeMap::new(),
            waiting: Vec::new(),
            plays: 0,
            active: 0,
        }
    }

    /// Registers a cue class. It is loaded when it is first needed.
    pub(super) fn define(&mut self, def: CueClassDef) -> CueClassId {
        let id = CueClassId(self.classes.len() as u32);
        self.classes.push(Class { def, state: LoadState::default(), pool: Vec::new(), active: 0 });
        id
    }

    pub(super) fn class(&self, class: CueClassId) -> Option<&CueClassDef> {
        self.classes.get(class.0 as usize).map(|class| &class.def)
    }

    /// Number of instances in use.
    pub(super) fn active(&self) -> u32 {
        self.active
    }

    /// Number of unused instances of a class.
    pub(super) fn pooled(&self, class: CueClassId) -> usize {
        self.classes.get(class.0 as usize).map_or(0, |class| class.pool.len())
    }

    /// Requests a class unless it was requested before, prewarms its pool if it is ready at once, and returns
    /// its state. An unknown class is unavailable.
    pub(super) fn load(&mut self, id: CueClassId) -> LoadState {
        let Some(class) = self.classes.get_mut(id.0 as usize) else { return LoadState::Unavailable };
        if class.state == LoadState::NotAsked {
            match self.handler.load(id, &class.def.name) {
                Loading::Ready => {
                    class.state = LoadState::Loaded;
                    self.prewarm(id);
                    return LoadState::Loaded;
                }
                Loading::Requested => class.state = LoadState::Loading,
                Loading::Unavailable => class.state = LoadState::Unavailable,
            }
        }
        class.state
    }

    /// A class is loaded. Looping cues that waited for it begin, too late ones as already begun; bursts are
    /// played, too late ones dropped.
    pub(super) fn loaded(&mut self, id: CueClassId) {
        let Some(class) = self.classes.get_mut(id.0 as usize) else { return };
        if class.state == LoadState::Loaded {
            return;
        }
        class.state = LoadState::Loaded;
        self.prewarm(id);
        let evicted = self.counts.evicted;
        let loading = |(key, looping): (&CueKey, &Looping<H::Instance>)| match looping.shown {
            LoopingState::Loading(start_mode) if looping.class == id => Some((*key, start_mode)),
            _ => None,
        };
        while let Some((key, start_mode)) = self.looping.iter().find_map(loading) {
            let late = self.looping.get(&key).is_some_and(|looping| self.is_late(&looping.context));
            self.show(key, if late { StartMode::Late } else { start_mode });
        }
        self.refill_after(evicted);
        // After the looping cues: the executions may be on them.
        while let Some(at) = self.waiting.iter().position(|(class, ..)| *class == id) {
            let (class, context, priority) = self.waiting.remove(at);
            if self.is_late(&context) {
                self.counts.late += 1;
            } else {
                self.execute((context.target, context.cue), class, context, priority);
            }
        }
    }

    /// A class is unavailable: bursts that waited for it are dropped, and looping cues stay invisible.
    pub(super) fn failed(&mut self, id: CueClassId) {
        let Some(class) = self.classes.get_mut(id.0 as usize) else { return };
        class.state = LoadState::Unavailable;
        let before = self.waiting.len();
        self.waiting.retain(|(class, ..)| *class != id);
        self.counts.unavailable += (before - self.waiting.len()) as u64;
        for looping in self.looping.values_mut() {
            if looping.class == id && matches!(looping.shown, LoopingState::Loading(_)) {
                looping.shown = LoopingState::Unavailable;
                self.counts.unavailable += 1;
            }
        }
    }

    /// Begins a looping cue: it plays now, or once its class is loaded or the budget has room. It may evict
    /// less important instances.
    pub(super) fn begin(
        &mut self,
        key: CueKey,
        class: CueClassId,
        context: CueContext,
        priority: i32,
        start_mode: StartMode,
    ) {
        let state = self.load(class);
        let shown = match state {
            LoadState::Loaded | LoadState::NotAsked => LoopingState::Hidden,
            LoadState::Loading => LoopingState::Loading(start_mode),
            LoadState::Unavailable => {
                self.counts.unavailable += 1;
                LoopingState::Unavailable
            }
        };
        self.looping.insert(key, Looping { class, context, priority, shown });
        if state == LoadState::Loaded {
            let evicted = self.counts.evicted;
            self.show(key, start_mode);
            self.refill_after(evicted);
        }
    }

    /// Ends a looping cue. Its instance may play on as a loose one, and hidden cues take the room that
    /// becomes free.
    pub(super) fn end(&mut self, key: CueKey) {
        let Some(Looping { class, context, priority, shown }) = self.looping.remove(&key) else { return };
        let LoopingState::Playing(play, mut instance) = shown else { return };
        match self.handler.on_remove(play, &mut instance, &context) {
            Playback::Done => self.release(class, instance),
            Playback::Continues => {
                self.loose.insert(play, Loose { class, instance, priority });
            }
        }
        self.refill();
    }

    /// Executes a cue: on the instance of the looping cue if that plays, else as a burst. A burst waits while
    /// its class is loading, and is dropped if too many wait.
    pub(super) fn execute(&mut self, key: CueKey, class: CueClassId, context: CueContext, priority: i32) {
        if let Some(looping) = self.looping.get_mut(&key)
            && let LoopingState::Playing(play, instance) = &mut looping.shown
        {
            // The return value does not matter: the instance belongs to its cue.
            let _ = self.handler.on_execute(*play, instance, &context);
            return;
        }
        match self.load(class) {
            LoadState::Loaded | LoadState::NotAsked => self.burst(class, &context, priority),
            LoadState::Loading if self.waiting.len() < self.config.max_waiting as usize => {
                self.waiting.push((class, context, priority));
            }
            LoadState::Loading => self.counts.late += 1,
            LoadState::Unavailable => self.counts.unavailable += 1,
        }
    }

    /// Takes back a loose instance that has played to its end, and shows hidden cues in its room. Ignores
    /// unknown ids.
    pub(super) fn finished(&mut self, play: PlayId) {
        if let Some(Loose { class, instance, .. }) = self.loose.remove(&play) {
            self.release(class, instance);
            self.refill();
        }
    }

    /// Destroys all unused instances.
    pub(super) fn trim(&mut self) {
        for (class, id) in self.classes.iter_mut().zip((0..).map(CueClassId)) {
            for instance in class.pool.drain(..) {
                self.handler.destroy(id, instance);
            }
        }
    }

    /// Whether a burst is too old to be played, after `CueConfig::patience`.
    fn is_late(&self, context: &CueContext) -> bool {
        self.now.since(context.time) > self.config.patience
    }

    /// Fills the pool of a loaded class to its prewarm count; stops if the handler creates no more.
    fn prewarm(&mut self, id: CueClassId) {
        let Some(class) = self.classes.get_mut(id.0 as usize) else { return };
        let wanted = class.def.prewarm.min(class.def.pool) as usize;
        while class.pool.len() < wanted {
            match self.handler.create(id) {
                Some(instance) => class.pool.push(instance),
                None => return,
            }
        }
    }

    /// Gives a looping cue an instance and starts it. Without room in the budget it becomes hidden, without
    /// an instance unavailable.
    fn show(&mut self, key: CueKey, start_mode: StartMode) {
        let Some(looping) = self.looping.get(&key) else { return };
        let taken = self.take(looping.class, looping.priority);
        let Some(looping) = self.looping.get_mut(&key) else { return };
        looping.shown = match taken {
            Ok((play, mut instance)) => {
                if start_mode == StartMode::Fresh {
                    self.handler.on_active(play, &mut instance, &looping.context);
                }
                self.handler.while_active(play, &mut instance, &looping.context);
                LoopingState::Playing(play, instance)
            }
            Err(NotTaken::Full) => LoopingState::Hidden,
            Err(NotTaken::Unavailable) => LoopingState::Unavailable,
        };
    }

    /// Plays a burst of a loaded class, or drops it if the budget has no room or the handler no instance.
    /// Afterwards, room that evictions left is filled.
    fn burst(&mut self, class: CueClassId, context: &CueContext, priority: i32) {
        let evicted = self.counts.evicted;
        if let Ok((play, mut instance)) = self.take(class, priority) {
            match self.handler.on_execute(play, &mut instance, context) {
                Playback::Done => self.release(class, instance),
                Playback::Continues => {
                    self.loose.insert(play, Loose { class, instance, priority });
                }
            }
        }
        self.refill_after(evicted);
    }

    /// Takes an instance from the pool or creates one, after making room for it. Counts the play, the refusal
    /// or the lack.
    fn take(&mut self, id: CueClassId, priority: i32) -> Result<(PlayId, H::Instance), NotTaken> {
        if !self.make_room(id, priority) {
            self.counts.refused += 1;
            return Err(NotTaken::Full);
        }
        let class = self.classes.get_mut(id.0 as usize).ok_or(NotTaken::Unavailable)?;
        let Some(instance) = class.pool.pop().or_else(|| self.handler.create(id)) else {
            self.counts.unavailable += 1;
            return Err(NotTaken::Unavailable);
        };
        class.active += 1;
        self.active += 1;
        self.plays += 1;
        self.counts.played += 1;
        Ok((PlayId(self.plays), instance))
    }

    /// Takes back an instance: the handler resets it, and it goes to the pool or, if that is full, is
    /// destroyed.
    fn release(&mut self, id: CueClassId, mut instance: H::Instance) {
        self.handler.recycle(id, &mut instance);
        self.active = self.active.saturating_sub(1);
        let Some(class) = self.classes.get_mut(id.0 as usize) else { return };
        class.active = class.active.saturating_sub(1);
        if class.pool.len() < class.def.pool as usize {
            class.pool.push(instance);
        } else {
            self.handler.destroy(id, instance);
        }
    }

    /// Whether the class has as many instances in use as it may have; a limit of 0 is none.
    fn class_is_full(&self, id: CueClassId) -> bool {
        let class = self.classes.get(id.0 as usize);
        class.is_some_and(|class| class.def.max_active > 0 && class.active >= class.def.max_active)
    }

    /// Whether as many instances are in use as all classes together may have; a limit of 0 is none.
    fn is_full(&self) -> bool {
        self.config.max_active > 0 && self.active >= self.config.max_active
    }

    /// Evicts less important instances until there is room in the class and in total. `false` if all others
    /// are as important; earlier evictions stand.
    fn make_room(&mut self, id: CueClassId, priority: i32) -> bool {
        while self.class_is_full(id) || self.is_full() {
            let of_class = self.class_is_full(id).then_some(id);
            let Some(victim) = self.least_important(of_class, priority) else { return false };
            self.evict(victim);
        }
        true
    }

    /// The least important instance below `priority`, of a class or of all; the oldest of several.
    fn least_important(&self, of_class: Option<CueClassId>, priority: i32) -> Option<Victim> {
        let wanted =
            |class: CueClassId, its: i32| of_class.is_none_or(|wanted| wanted == class) && its < priority;
        let looping = self.looping.iter().filter_map(|(key, looping)| match &looping.shown {
            LoopingState::Playing(play, _) if wanted(looping.class, looping.priority) => {
                Some((looping.priority, *play, Victim::Looping(*key)))
            }
            _ => None,
        });
        let loose = self.loose.iter().filter(|(_, loose)| wanted(loose.class, loose.priority));
        let loose = loose.map(|(play, loose)| (loose.priority, *play, Victim::Loose(*play)));
        looping.chain(loose).min_by_key(|(priority, play, _)| (*priority, *play)).map(|(.., victim)| victim)
    }

    /// Ends an instance at once to make room. A looping cue becomes hidden and may be shown again; a burst is
    /// over.
    fn evict(&mut self, victim: Victim) {
        self.counts.evicted += 1;
        match victim {
            Victim::Looping(key) => {
                let Some(looping) = self.looping.get_mut(&key) else { return };
                let class = looping.class;
                let shown = core::mem::replace(&mut looping.shown, LoopingState::Hidden);
                if let LoopingState::Playing(play, mut instance) = shown {
                    // Its room is needed now, so it cannot fade out.
                    let _ = self.handler.on_remove(play, &mut instance, &looping.context);
                    self.release(class, instance);
                }
            }
            Victim::Loose(play) => {
                if let Some(Loose { class, instance, .. }) = self.loose.remove(&play) {
                    self.release(class, instance);
                }
            }
        }
    }

    /// Shows hidden cues again if an eviction since `evicted` turned out to be unnecessary or short.
    fn refill_after(&mut self, evicted: u64) {
        if self.counts.evicted != evicted {
            self.refill();
        }
    }

    /// Shows hidden looping cues as room becomes free, the most important first.
    fn refill(&mut self) {
        while !self.is_full() {
            let hidden = self.looping.iter().filter(|(_, looping)| {
                matches!(looping.shown, LoopingState::Hidden) && !self.class_is_full(looping.class)
            });
            let next = hidden
                .max_by_key(|(_, looping)| (looping.priority, core::cmp::Reverse(looping.context.time)));
            let Some((key, _)) = next else { return };
            self.show(*key, StartMode::Late);
        }
    }
}

/// Why no instance is available.
enum NotTaken {
    Full,
    Unavailable,
}
