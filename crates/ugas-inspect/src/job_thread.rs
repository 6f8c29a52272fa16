//! The job thread: runs long requests on copies of the state, so that the worker goes on with the next
//! request.
//!
//! With a thousand controllers an export takes 200 ms, a comparison 100 ms, and a copy of the state 1 ms.
//! Without this thread, one export would delay every other client.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;
use ugas_core::debug::ControllerNames;
use ugas_core::simulation::Simulation;

use crate::export::ExportSource;
use crate::request::{Answer, RequestError, reply_to};
use crate::{compare, export};

/// Maximum number of queued jobs. Each holds a copy of the state, and a client may reconnect and ask again.
const QUEUE: usize = 16;

/// A long request and the states it needs.
pub(crate) enum Work {
    /// The differences between two moments.
    Compare { left: Box<Simulation>, right: Box<Simulation> },
    /// A moment as a scenario file.
    Export(Box<Simulation>),
}

/// Work, and where its answer goes.
pub(crate) struct Job {
    pub(crate) work: Work,
    pub(crate) names: ControllerNames,
    /// The `id` of the request, repeated in the answer.
    pub(crate) id: Value,
    pub(crate) reply: oneshot::Sender<Value>,
}

pub(crate) struct JobThread {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl JobThread {
    /// Starts the thread for long work, so that the worker answers other requests meanwhile. It ends when
    /// this is dropped.
    pub(crate) fn spawn(source: ExportSource) -> io::Result<Self> {
        let (jobs, received) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("ugas-inspect-jobs".to_owned())
            .spawn(move || run(&source, &received))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Queues a job. If the queue is full, the client receives a `busy` error at once.
    pub(crate) fn submit(&self, job: Job) {
        let Some(jobs) = &self.jobs else { return };
        if let Err(TrySendError::Full(job) | TrySendError::Disconnected(job)) = jobs.try_send(job) {
            let busy = RequestError::busy("too many exports and comparisons are queued; try again later");
            let _ = job.reply.send(reply_to(job.id, Err(busy)));
        }
    }
}

impl Drop for JobThread {
    /// Ends the thread. Jobs that are still queued are skipped, because their receivers are gone.
    fn drop(&mut self) {
        self.jobs.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Does jobs until the sender is gone; those whose connection has closed are skipped.
fn run(source: &ExportSource, jobs: &Receiver<Job>) {
    for Job { work, names, id, reply } in jobs {
        if !reply.is_closed() {
            let _ = reply.send(reply_to(id, answer(&work, &names, source)));
        }
    }
}

fn answer(work: &Work, names: &ControllerNames, source: &ExportSource) -> Answer {
    match work {
        Work::Compare { left, right } => Ok(compare::compare(left, right, names)),
        Work::Export(simulation) => export::export(simulation, names, source),
    }
}
