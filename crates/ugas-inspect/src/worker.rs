//! The worker thread: holds the timeline and answers requests about it, so that neither the game nor a
//! browser waits for the other. Long requests go to the [job thread](crate::job_thread).

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use ugas_core::debug::ControllerNames;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AbilityId, TemplateId};
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;

use crate::console::Edit;
use crate::event_log::EventLog;
use crate::job_thread::{Job, JobThread, Work};
use crate::mailbox::lock;
use crate::request::{Answer, Fields, RequestError, id_text, reply_to};
use crate::shared::{Head, Message, Shared};
use crate::timeline::{LiveTimeline, Timeline};
use crate::{causes, controller, explain, world};

/// Maximum number of names of one kind that the console offers.
const MAX_NAMES: usize = 5_000;

/// The timeline that is shown: of a running game, or of a finished recording.
pub(crate) enum Subject {
    Live(Box<LiveTimeline>),
    Recorded(Box<dyn Timeline>),
}

impl Subject {
    fn timeline(&mut self) -> &mut dyn Timeline {
        match self {
            Self::Live(timeline) => &mut **timeline,
            Self::Recorded(timeline) => &mut **timeline,
        }
    }
}

pub(crate) struct Worker {
    pub(crate) subject: Subject,
    pub(crate) event_log: EventLog,
    pub(crate) job_thread: JobThread,
    pub(crate) title: String,
    pub(crate) edit: bool,
    /// Whether the page may change the pace, if it may edit.
    pub(crate) paced: bool,
}

impl Worker {
    /// Answers requests until [`Message::Stop`] or until all senders are gone.
    pub(crate) fn run(mut self, shared: &Shared, mut messages: mpsc::Receiver<Message>) {
        self.announce(shared);
        while let Some(message) = messages.blocking_recv() {
            self.receive_frame(shared);
            match message {
                Message::Frame => {}
                Message::Stop => return,
                Message::Request(request, reply) => {
                    let names = lock(&shared.names).clone();
                    let id = request.get("id").filter(|id| id.is_u64()).cloned().unwrap_or_default();
                    match self.long_request(Fields(&request)) {
                        Some(Ok(work)) => self.job_thread.submit(Job { work, names, id, reply }),
                        // The client may have disconnected.
                        Some(Err(error)) => drop(reply.send(reply_to(id, Err(error)))),
                        None => {
                            let answer = self.answer(shared, &names, Fields(&request));
                            drop(reply.send(reply_to(id, answer)));
                        }
                    }
                }
            }
        }
    }

    /// Takes the newest frame: adds its state to the timeline and its events to the log, and announces it.
    /// Events of a time that the game went back from are dropped. Nothing happens for a recording.
    fn receive_frame(&mut self, shared: &Shared) {
        let Subject::Live(timeline) = &mut self.subject else { return };
        let Some(frame) = shared.mailbox.take() else { return };
        timeline.push(&frame.snapshot, &frame.config, frame.work);
        let moment = timeline.first() + timeline.len().saturating_sub(1);
        if let (Some(simulation), Some(first)) = (timeline.here(), frame.events.first()) {
            self.event_log.forget_from(first.sequence);
            for event in &frame.events {
                self.event_log.push(simulation, moment, event);
            }
        }
        self.event_log.lost += frame.lost_events;
        self.event_log.forget_before(timeline.first());
        shared.mailbox.give_back(frame.snapshot);
        self.announce(shared);
    }

    /// Updates the head, which connections send to their pages whenever it changes.
    fn announce(&mut self, shared: &Shared) {
        let events = self.event_log.len() as u64;
        let timeline = self.subject.timeline();
        let (first, moments) = (timeline.first(), timeline.len());
        let last = first + moments.saturating_sub(1);
        let time = timeline.time(last).unwrap_or(Time::ZERO).as_seconds();
        let work = timeline.work(last).map(milliseconds);
        shared.head.send_modify(|head| {
            let Head { console, clients, pace, .. } = *head;
            *head = Head { first, moments, time, events, work, console, clients, pace };
        });
    }

    /// Copies of the states that a long request needs; `None` if the worker answers the request itself.
    fn long_request(&mut self, fields: Fields<'_>) -> Option<Result<Work, RequestError>> {
        match fields.text("request") {
            Ok(Some("compare")) => Some(self.moment(fields, "with").and_then(|with| {
                let at = self.moment(fields, "at")?;
                let left = Box::new(self.go_to(with)?.clone());
                let right = Box::new(self.go_to(at)?.clone());
                Ok(Work::Compare { left, right })
            })),
            Ok(Some("export")) => Some(self.moment(fields, "at").and_then(|at| {
                let simulation = self.go_to(at)?.clone();
                Ok(Work::Export(Box::new(simulation)))
            })),
            _ => None,
        }
    }

    /// Answers a request. Requests about a state have the moment in `at`, by default the newest. `edit` and
    /// `pace` are refused unless the host allows them.
    fn answer(&mut self, shared: &Shared, names: &ControllerNames, fields: Fields<'_>) -> Answer {
        let kind = fields.required_text("request")?;
        match kind {
            "hello" => return Ok(self.hello(shared)),
            "moments" => return self.moments(fields),
            "console" => return Ok(shared.console()),
            "pace" | "edit" if !self.edit => {
                return Err(RequestError::forbidden(
                    "this inspector is read-only: its host does not allow edits",
                ));
            }
            "pace" if !self.paced => {
                return Err(RequestError::forbidden("the host does not allow changing the pace"));
            }
            "pace" => {
                shared.set_pace(|pace| pace.change(fields))?;
                return Ok(shared.pace().to_json());
            }
            _ => {}
        }
        let moment = self.moment(fields, "at")?;
        let timeline = self.subject.timeline();
        let work = timeline.work(moment).map(milliseconds);
        let simulation = timeline.go_to(moment).map_err(RequestError::gone)?;
        let event_log = &self.event_log;
        match kind {
            "world" => {
                let mut answer = world::world(simulation, names, event_log, moment, fields)?;
                answer["tickMilliseconds"] = json!(work);
                Ok(answer)
            }
            "controller" => controller::controller(simulation, names, event_log, moment, fields),
            "explain" => explain::explain(simulation, names, fields),
            "checks" => explain::checks(simulation, names, fields),
            "events" => causes::events(simulation, names, event_log, moment, fields),
            "chain" => causes::chain(simulation, names, event_log, fields),
            "vocabulary" => Ok(vocabulary(simulation)),
            "network" => {
                let time = simulation.now().as_seconds();
                let mut answer = lock(&shared.network).to_json(time);
                answer["time"] = json!(time);
                Ok(answer)
            }
            "edit" => {
                let edit = Edit::read(fields, simulation, names)?;
                let text = edit.text.clone();
                match shared.queue_edit(edit) {
                    true => Ok(json!({ "accepted": text, "recording": *lock(&shared.recording) })),
                    false => {
                        Err(RequestError::busy("too many changes are queued for the host; try again later"))
                    }
                }
            }
            other => Err(RequestError::bad(format!("unknown request `{other}`"))),
        }
    }

    /// State of a moment; the error says that the timeline does not have it.
    fn go_to(&mut self, moment: u64) -> Result<&Simulation, RequestError> {
        self.subject.timeline().go_to(moment).map_err(RequestError::gone)
    }

    /// The moment that a field names; by default the last.
    fn moment(&mut self, fields: Fields<'_>, key: &str) -> Result<u64, RequestError> {
        let timeline = self.subject.timeline();
        let Some(last) = timeline.len().checked_sub(1).map(|length| timeline.first() + length) else {
            return Err(RequestError::gone("the host has not passed a state to the inspector yet"));
        };
        let asked = fields.count(key)?.unwrap_or(last);
        match (timeline.first()..=last).contains(&asked) {
            true => Ok(asked),
            false => Err(RequestError::gone(format!("moment {asked} is not in the timeline (any more)"))),
        }
    }

    /// Answer to the first request: protocol, version, title, and what this inspector allows.
    fn hello(&mut self, shared: &Shared) -> Value {
        json!({
            "protocol": crate::PROTOCOL,
            "version": env!("CARGO_PKG_VERSION"),
            "title": self.title,
            "live": matches!(self.subject, Subject::Live(_)),
            "edit": self.edit,
            "pace": self.edit && self.paced,
            "catalog": self.subject.timeline().here().map(|simulation| format!("{:016x}", simulation.catalog().hash())),
            "head": shared.head.borrow().to_json(),
        })
    }

    /// The time and the number of events of each moment from `since` on.
    fn moments(&mut self, fields: Fields<'_>) -> Answer {
        let since = fields.count("since")?.unwrap_or(0);
        let timeline = self.subject.timeline();
        let (first, end) = (timeline.first().max(since), timeline.first() + timeline.len());
        let times: Vec<f64> =
            (first..end).filter_map(|moment| timeline.time(moment)).map(Time::as_seconds).collect();
        let mut counts = vec![0u32; times.len()];
        for entry in self.event_log.all().rev().take_while(|entry| entry.moment >= first) {
            let at = usize::try_from(entry.moment - first).ok();
            if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
        }
        Ok(json!({ "first": first, "times": times, "events": counts }))
    }
}

fn milliseconds(work: Duration) -> f64 {
    work.as_secs_f64() * 1_000.0
}

/// Names of definitions and controllers, which the console offers as completions.
fn vocabulary(simulation: &Simulation) -> Value {
    let catalog = simulation.catalog();
    let abilities = (0..).map_while(|index| {
        let id = AbilityId::from_index(index);
        catalog.ability_by_id(id).map(|_| catalog.ability_name(id))
    });
    let templates = (0..).map_while(|index| {
        let id = TemplateId::from_index(index);
        catalog.template_def(id).map(|_| catalog.template_name(id))
    });
    let controllers = simulation.controllers().map(|(id, _): (ControllerId, _)| id_text(id));
    json!({
        "effects": catalog.effects().map(|(_, effect)| effect.name()).take(MAX_NAMES).collect::<Vec<_>>(),
        "abilities": abilities.take(MAX_NAMES).collect::<Vec<_>>(),
        "templates": templates.take(MAX_NAMES).collect::<Vec<_>>(),
        "tags": catalog.tags().ids().map(|tag| catalog.tag_name(tag)).take(MAX_NAMES).collect::<Vec<_>>(),
        "controllers": controllers.take(MAX_NAMES).collect::<Vec<_>>(),
    })
}
