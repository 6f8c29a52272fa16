//! What the host's handle, the server and the desk share.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use ugas_core::id::EffectId;

use crate::console::{Edit, Pace};
use crate::mailbox::{Mailbox, lock};
use crate::names::Names;
use crate::network::Network;

/// Most changes that wait for the host.
const MOST_EDITS: usize = 256;

/// Most lines of what was done.
const MOST_LINES: usize = 200;

/// To the desk.
pub(crate) enum Message {
    /// There is a new frame.
    Frame,
    /// Nobody will ask any more.
    Stop,
    /// Somebody asks.
    Request(Box<Value>, oneshot::Sender<Value>),
}

/// Where the game is, for everybody who watches.
#[derive(Clone, Default)]
pub(crate) struct Head {
    pub(crate) first: u64,
    pub(crate) moments: u64,
    pub(crate) time: f64,
    pub(crate) events: u64,
    /// Milliseconds that the host worked on the last tick.
    pub(crate) work: Option<f64>,
    /// How often the console has changed.
    pub(crate) console: u64,
    /// How many clients the host has told of.
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

/// What was done, and how it went.
pub(crate) struct Line {
    pub(crate) time: f64,
    pub(crate) text: String,
    pub(crate) error: Option<String>,
}

pub(crate) struct Shared {
    pub(crate) mailbox: Mailbox,
    pub(crate) desk: mpsc::Sender<Message>,
    pub(crate) head: watch::Sender<Head>,
    pub(crate) names: Mutex<Names>,
    pub(crate) network: Mutex<Network>,
    pub(crate) connections: AtomicUsize,
    pub(crate) always: bool,
    /// Where changes are recorded.
    pub(crate) recording: Mutex<Option<String>>,
    /// How many states were shown.
    pub(crate) posts: AtomicU64,
    /// Effects that were defined for a change, and after how many states.
    spent: Mutex<Vec<(EffectId, u64)>>,
    has_edits: AtomicBool,
    edits: Mutex<VecDeque<Edit>>,
    pace: Mutex<Pace>,
    console: Mutex<VecDeque<Line>>,
}

impl Shared {
    pub(crate) fn new(desk: mpsc::Sender<Message>, names: Names, always: bool) -> Self {
        Self {
            mailbox: Mailbox::default(),
            desk,
            head: watch::Sender::new(Head::default()),
            names: Mutex::new(names),
            network: Mutex::default(),
            connections: AtomicUsize::new(0),
            always,
            recording: Mutex::default(),
            posts: AtomicU64::new(0),
            spent: Mutex::default(),
            has_edits: AtomicBool::new(false),
            edits: Mutex::default(),
            pace: Mutex::default(),
            console: Mutex::default(),
        }
    }

    /// Whether frames are wanted.
    pub(crate) fn is_watched(&self) -> bool {
        self.always || self.connections.load(Ordering::Relaxed) > 0
    }

    /// Leaves a change for the host; false if too many wait.
    pub(crate) fn leave(&self, edit: Edit) -> bool {
        let mut edits = lock(&self.edits);
        if edits.len() >= MOST_EDITS {
            return false;
        }
        edits.push_back(edit);
        self.has_edits.store(true, Ordering::Release);
        true
    }

    /// Takes the changes that wait.
    pub(crate) fn take_edits(&self) -> VecDeque<Edit> {
        if !self.has_edits.swap(false, Ordering::Acquire) {
            return VecDeque::new();
        }
        core::mem::take(&mut *lock(&self.edits))
    }

    /// Keeps effects that were defined for a change until what they led to was shown.
    pub(crate) fn leave_spent(&self, effects: Vec<EffectId>) {
        let posts = self.posts.load(Ordering::Relaxed);
        lock(&self.spent).extend(effects.into_iter().map(|effect| (effect, posts)));
    }

    /// Those of which it was shown.
    pub(crate) fn take_spent(&self) -> Vec<EffectId> {
        let posts = self.posts.load(Ordering::Relaxed);
        let mut spent = lock(&self.spent);
        spent.extract_if(.., |(_, since)| *since < posts).map(|(effect, _)| effect).collect()
    }

    /// Notes what was done.
    pub(crate) fn note(&self, line: Line) {
        let mut console = lock(&self.console);
        console.push_back(line);
        let excess = console.len().saturating_sub(MOST_LINES);
        console.drain(..excess);
        drop(console);
        self.head.send_modify(|head| head.console += 1);
    }

    /// The lines of the console, the latest first, and where changes are recorded.
    pub(crate) fn console(&self) -> Value {
        let lines = lock(&self.console);
        let lines = lines.iter().rev();
        let lines = lines.map(|line| json!({ "time": line.time, "text": line.text, "error": line.error }));
        json!({ "lines": lines.collect::<Vec<_>>(), "recording": *lock(&self.recording) })
    }

    pub(crate) fn pace(&self) -> Pace {
        *lock(&self.pace)
    }

    /// Changes the pace, and tells everybody.
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
