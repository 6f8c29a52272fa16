//! Random use of a cue manager: instances are neither lost nor used twice, budgets hold, and every cue ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use ugas_core::catalog::Catalog;
use ugas_core::cue::{
    CueClassDef, CueClassId, CueConfig, CueContext, CueHandler, CueManager, Loading, PlayId, Playback,
};
use ugas_core::effect::PredictionKey;
use ugas_core::handle::ControllerId;
use ugas_core::id::TagId;

/// State of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Idle,
    Playing(PlayId),
}

/// A handler that knows in which state each of its instances must be.
#[derive(Default)]
struct Watchful {
    created: u32,
    instances: BTreeMap<u32, State>,
    /// Playings that go on by themselves.
    fading: Vec<PlayId>,
    requested: Vec<CueClassId>,
    moods: Vec<u8>,
    calls: usize,
}

impl Watchful {
    fn mood(&mut self) -> u8 {
        self.calls += 1;
        self.moods.get(self.calls % self.moods.len().max(1)).copied().unwrap_or(0)
    }

    fn playback(&mut self, play: PlayId) -> Playback {
        if self.mood().is_multiple_of(2) {
            return Playback::Done;
        }
        self.fading.push(play);
        Playback::Continues
    }

    fn begin(&mut self, play: PlayId, instance: u32) {
        let before = self.instances.insert(instance, State::Playing(play));
        assert!(before == Some(State::Idle) || before == Some(State::Playing(play)), "{before:?}");
    }
}

impl CueHandler for Watchful {
    type Instance = u32;

    fn load(&mut self, class: CueClassId, _: &str) -> Loading {
        match self.mood() % 3 {
            0 => Loading::Ready,
            1 => {
                self.requested.push(class);
                Loading::Requested
            }
            _ => Loading::Unavailable,
        }
    }

    fn create(&mut self, _: CueClassId) -> Option<u32> {
        if self.mood() % 5 == 4 {
            return None;
        }
        self.created += 1;
        self.instances.insert(self.created, State::Idle);
        Some(self.created)
    }

    fn while_active(&mut self, play: PlayId, instance: &mut u32, _: &CueContext) {
        self.begin(play, *instance);
    }

    fn on_remove(&mut self, play: PlayId, instance: &mut u32, _: &CueContext) -> Playback {
        assert_eq!(self.instances[instance], State::Playing(play));
        self.playback(play)
    }

    fn on_execute(&mut self, play: PlayId, instance: &mut u32, _: &CueContext) -> Playback {
        self.begin(play, *instance);
        self.playback(play)
    }

    fn recycle(&mut self, _: CueClassId, instance: &mut u32) {
        assert_ne!(self.instances.insert(*instance, State::Idle), None);
    }

    fn destroy(&mut self, _: CueClassId, instance: u32) {
        assert_eq!(self.instances.remove(&instance), Some(State::Idle));
    }
}

#[derive(Clone, Debug)]
enum Op {
    Add { target: u64, tag: usize, key: Option<u64> },
    Remove { target: u64, tag: usize },
    Execute { target: u64, tag: usize, key: Option<u64> },
    Settle(u64),
    Leave(u64),
    BeginBatch,
    EndBatch,
    Loaded,
    Failed,
    Finished,
    Trim,
}

fn op() -> impl Strategy<Value = Op> {
    let (target, tag, key) = (0..3u64, 0..4usize, prop::option::of(0..2u64));
    prop_oneof![
        4 => (target.clone(), tag.clone(), key.clone()).prop_map(|(target, tag, key)| Op::Add { target, tag, key }),
        3 => (target.clone(), tag.clone()).prop_map(|(target, tag)| Op::Remove { target, tag }),
        4 => (target.clone(), tag, key).prop_map(|(target, tag, key)| Op::Execute { target, tag, key }),
        1 => (0..2u64).prop_map(Op::Settle),
        1 => target.prop_map(Op::Leave),
        1 => Just(Op::BeginBatch),
        1 => Just(Op::EndBatch),
        2 => Just(Op::Loaded),
        1 => Just(Op::Failed),
        2 => Just(Op::Finished),
        1 => Just(Op::Trim),
    ]
}

fn controller(number: u64) -> ControllerId {
    ControllerId::from_bits(1 << 32 | number).unwrap()
}

fn context(target: u64, tag: TagId, key: Option<u64>) -> CueContext {
    CueContext { prediction: key.map(PredictionKey), ..CueContext::new(controller(target), tag) }
}

fn catalog() -> Arc<Catalog> {
    Catalog::builder().tags(["GameplayCue.A.B", "GameplayCue.C", "GameplayCue.D"]).build().unwrap()
}

const MOST: u32 = 3;
const MOST_OF_CLASS: u32 = 2;

proptest! {
    #[test]
    fn instances_are_neither_lost_nor_used_twice(
        ops in prop::collection::vec(op(), 0..60), moods in prop::collection::vec(any::<u8>(), 1..20),
    ) {
        let catalog = catalog();
        let handler = Watchful { moods, ..Watchful::default() };
        let config = CueConfig { max_active: MOST, max_waiting: 2, max_predicted: 2, ..CueConfig::default() };
        let mut cues = CueManager::new(catalog.clone(), config, handler);
        let tags = ["GameplayCue.A", "GameplayCue.A.B", "GameplayCue.C", "GameplayCue.D"]
            .map(|tag| catalog.tag(tag).unwrap());
        let classes = [
            cues.register(tags[0], CueClassDef::looping("A").max_active(MOST_OF_CLASS).pooled(1).prewarmed(1)),
            cues.register(tags[2], CueClassDef::burst("C").priority(1).pooled(0)),
            cues.register(tags[3], CueClassDef::looping("D").priority(2)),
        ];
        let check = |cues: &CueManager<Watchful>| {
            let instances = &cues.handler().instances;
            let idle = instances.values().filter(|state| **state == State::Idle).count();
            let pooled: usize = classes.iter().map(|class| cues.pooled_instances(*class)).sum();
            assert_eq!(idle, pooled, "what is idle is in the pool");
            assert_eq!(instances.len() - idle, cues.active_instances() as usize);
            assert!(cues.active_instances() <= MOST);
        };
        for op in ops {
            match op {
                Op::Add { target, tag, key } => cues.add_local(context(target, tags[tag], key)),
                Op::Remove { target, tag } => cues.remove_local(controller(target), tags[tag]),
                Op::Execute { target, tag, key } => cues.execute_local(context(target, tags[tag], key)),
                Op::Settle(key) => cues.settle(PredictionKey(key)),
                Op::Leave(target) => cues.leave(controller(target)),
                Op::BeginBatch => cues.begin_batch(),
                Op::EndBatch => cues.end_batch(),
                Op::Loaded => {
                    if let Some(class) = cues.handler_mut().requested.pop() {
                        cues.loaded(class);
                    }
                }
                Op::Failed => {
                    if let Some(class) = cues.handler_mut().requested.pop() {
                        cues.failed(class);
                    }
                }
                Op::Finished => {
                    if let Some(play) = cues.handler_mut().fading.pop() {
                        cues.finished(play);
                    }
                }
                Op::Trim => cues.trim(),
            }
            check(&cues);
        }
        // At the end of everything, nothing plays.
        for target in 0..3 {
            cues.leave(controller(target));
        }
        while let Some(play) = cues.handler_mut().fading.pop() {
            cues.finished(play);
        }
        check(&cues);
        prop_assert_eq!(cues.active_instances(), 0);
        prop_assert!(tags.iter().all(|tag| (0..3).all(|target| !cues.is_present(controller(target), *tag))));
    }
}
