//! The back room: a thread for what takes long, on copies, so that the desk goes on with the next question.
//!
//! With a thousand controllers an export takes a fifth of a second and a comparison half of that, while a copy of the state
//! takes a thousandth: whoever asks for either makes nobody else wait.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;
use ugas_core::simulation::Simulation;

use crate::export::Origin;
use crate::names::Names;
use crate::request::{Answer, Complaint, reply_to};
use crate::{compare, export};

/// Most errands that wait. Each holds a copy of the state, and whoever asks may be gone by then and ask again.
const QUEUE: usize = 16;

/// What takes long.
pub(crate) enum Work {
    /// In what two moments differ.
    Compare { left: Box<Simulation>, right: Box<Simulation> },
    /// A moment as a file.
    Export(Box<Simulation>),
}

/// Work, and who waits for it.
pub(crate) struct Errand {
    pub(crate) work: Work,
    pub(crate) names: Names,
    /// The number of the question.
    pub(crate) id: Value,
    pub(crate) reply: oneshot::Sender<Value>,
}

pub(crate) struct BackRoom {
    errands: Option<SyncSender<Errand>>,
    thread: Option<JoinHandle<()>>,
}

impl BackRoom {
    pub(crate) fn open(origin: Origin) -> io::Result<Self> {
        let (errands, received) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("ugas-inspect-back".to_owned())
            .spawn(move || run(&origin, &received))?;
        Ok(Self { errands: Some(errands), thread: Some(thread) })
    }

    /// Leaves an errand; whoever asked is told at once if too many wait.
    pub(crate) fn leave(&self, errand: Errand) {
        let Some(errands) = &self.errands else { return };
        if let Err(TrySendError::Full(errand) | TrySendError::Disconnected(errand)) = errands.try_send(errand)
        {
            let busy = Complaint::busy("too many exports and comparisons wait already");
            let _ = errand.reply.send(reply_to(errand.id, Err(busy)));
        }
    }
}

impl Drop for BackRoom {
    /// Nobody waits for what is left, so it is passed over.
    fn drop(&mut self) {
        self.errands.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(origin: &Origin, errands: &Receiver<Errand>) {
    for Errand { work, names, id, reply } in errands {
        if !reply.is_closed() {
            let _ = reply.send(reply_to(id, answer(&work, &names, origin)));
        }
    }
}

fn answer(work: &Work, names: &Names, origin: &Origin) -> Answer {
    match work {
        Work::Compare { left, right } => Ok(compare::compare(left, right, names)),
        Work::Export(simulation) => export::export(simulation, names, origin),
    }
}
