//! State shared by the host's handle, the server and the worker.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use ugas_core::debug::ControllerNames;
use ugas_core::id::EffectId;

use crate::console::{Edit, Pace};
use crate::mailbox::{Mailbox, lock};
use crate::network::Network;

/// Maximum number of queued edits.
const MAX_EDITS: usize = 256;

/// Maximum number of console lines.
const MAX_LINES: usize = 200;

/// A message to the worker.
pub(crate) enum Message {
    /// The mailbox has a new frame.
    Frame,
    /// The inspector is being dropped.
    Stop,
    /// A request of a page, and where its answer goes.
    Request(Box<Value>, oneshot::Sender<Value>),
}

/// The end of the timeline, sent to every connected page.
#[derive(Clone, Default)]
pub(crate) struct Head {
    /// Number of the oldest kept moment.
    pub(crate) first: u64,
    /// Number of kept moments.
    pub(crate) moments: u64,
    /// Game time of the last moment, in seconds.
    pub(crate) time: f64,
    /// Number of kept events.
    pub(crate) events: u64,
    /// Milliseconds that the host needed for the last tick.
    pub(crate) work: Option<f64>,
    /// Number of changes of the console.
    pub(crate) console: u64,
    /// Number of clients that the host has reported.
    pub(crate) clients: usize,
    pub(crate) pace: Pace,
}

impl Head {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "first": self.first,
            "last": self.first + self.moments.saturating_sub(1),
            "moments": self.moments,
            "time": self.time,
            "events": self.events,
            "tickMilliseconds": self.work,
            "console": self.console,
            "clients": self.clients,
            "pace": self.pace.to_json(),
        })
    }
}

/// A line of the console: an executed edit and its result.
pub(crate) struct ConsoleLine {
    pub(crate) time: f64,
    pub(crate) text: String,
    pub(crate) error: Option<String>,
}

pub(crate) struct Shared {
    pub(crate) mailbox: Mailbox,
    pub(crate) worker: mpsc::Sender<Message>,
    pub(crate) head: watch::Sender<Head>,
    pub(crate) names: Mutex<ControllerNames>,
    pub(crate) network: Mutex<Network>,
    pub(crate) connections: AtomicUsize,
    pub(crate) always: bool,
    /// Path of the recording that edits are written to.
    pub(crate) recording: Mutex<Option<String>>,
    /// Number of posted frames.
    pub(crate) posts: AtomicU64,
    /// Effects that were defined for an edit, with the number of posted frames by then.
    retired: Mutex<Vec<(EffectId, u64)>>,
    has_edits: AtomicBool,
    edits: Mutex<VecDeque<Edit>>,
    pace: Mutex<Pace>,
    console: Mutex<VecDeque<ConsoleLine>>,
}

impl Shared {
    pub(crate) fn new(worker: mpsc::Sender<Message>, names: ControllerNames, always: bool) -> Self {
        Self {
            mailbox: Mailbox::default(),
            worker,
            head: watch::Sender::new(Head::default()),
            names: Mutex::new(names),
            network: Mutex::default(),
            connections: AtomicUsize::new(0),
            always,
            recording: Mutex::default(),
            posts: AtomicU64::new(0),
            retired: Mutex::default(),
            has_edits: AtomicBool::new(false),
            edits: Mutex::default(),
            pace: Mutex::default(),
            console: Mutex::default(),
        }
    }

    /// Whether frames are wanted: somebody is connected, or the host keeps a timeline always. Otherwise a
    /// host need not post.
    pub(crate) fn is_watched(&self) -> bool {
        self.always || self.connections.load(Ordering::Relaxed) > 0
    }

    /// Queues an edit for the host; false if the queue is full.
    pub(crate) fn queue_edit(&self, edit: Edit) -> bool {
        let mut edits = lock(&self.edits);
        if edits.len() >= MAX_EDITS {
            return false;
        }
        edits.push_back(edit);
        self.has_edits.store(true, Ordering::Release);
        true
    }

    /// Takes the queued edits, in their order. Costs one atomic access if there are none, as in most ticks.
    pub(crate) fn take_edits(&self) -> VecDeque<Edit> {
        if !self.has_edits.swap(false, Ordering::Acquire) {
            return VecDeque::new();
        }
        core::mem::take(&mut *lock(&self.edits))
    }

    /// Keeps effects that were defined for an edit until a frame with their events is posted.
    pub(crate) fn retire_effects(&self, effects: Vec<EffectId>) {
        let posts = self.posts.load(Ordering::Relaxed);
        lock(&self.retired).extend(effects.into_iter().map(|effect| (effect, posts)));
    }

    /// Takes the effects whose events were posted since.
    pub(crate) fn take_retired_effects(&self) -> Vec<EffectId> {
        let posts = self.posts.load(Ordering::Relaxed);
        let mut retired = lock(&self.retired);
        retired.extract_if(.., |(_, since)| *since < posts).map(|(effect, _)| effect).collect()
    }

    /// Appends a line to the console and announces it; the oldest is dropped beyond the limit.
    pub(crate) fn note(&self, line: ConsoleLine) {
        let mut console = lock(&self.console);
        console.push_back(line);
        let excess = console.len().saturating_sub(MAX_LINES);
        console.drain(..excess);
        drop(console);
        self.head.send_modify(|head| head.console += 1);
    }

    /// The lines of the console, latest first, and the path of the recording.
    pub(crate) fn console(&self) -> Value {
        let lines = lock(&self.console);
        let lines = lines.iter().rev();
        let lines = lines.map(|line| json!({ "time": line.time, "text": line.text, "error": line.error }));
        json!({ "lines": lines.collect::<Vec<_>>(), "recording": *lock(&self.recording) })
    }

    pub(crate) fn pace(&self) -> Pace {
        *lock(&self.pace)
    }

    /// Changes the pace, and notifies every connected page.
    pub(crate) fn set_pace<T>(&self, change: impl FnOnce(&mut Pace) -> T) -> T {
        let mut pace = lock(&self.pace);
        let result = change(&mut pace);
        let now = *pace;
        drop(pace);
        self.head.send_if_modified(|head| {
            let is_other = (head.pace.paused, head.pace.speed) != (now.paused, now.speed);
            head.pace = now;
            is_other
        });
        result
    }
}
