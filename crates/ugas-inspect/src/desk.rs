//! The desk: one thread that holds the past and answers questions about it, so that neither the game nor a browser waits
//! for the other. What takes long goes to the back room.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use ugas_core::handle::ControllerId;
use ugas_core::id::{AbilityId, TemplateId};
use ugas_core::simulation::Simulation;
use ugas_core::time::Time;

use crate::back_room::{BackRoom, Errand, Work};
use crate::chronicle::Chronicle;
use crate::console::Edit;
use crate::mailbox::lock;
use crate::names::Names;
use crate::reel::{Reel, Window};
use crate::request::{Answer, Complaint, Fields, reply_to};
use crate::shared::{Head, Message, Shared};
use crate::{causes, controller, explain, world};

/// Most names of one kind that the console offers.
const MOST_NAMES: usize = 5_000;

/// What is shown: a game that runs, or something that is over.
pub(crate) enum Subject {
    Live(Box<Window>),
    Over(Box<dyn Reel>),
}

impl Subject {
    fn reel(&mut self) -> &mut dyn Reel {
        match self {
            Self::Live(window) => &mut **window,
            Self::Over(reel) => &mut **reel,
        }
    }
}

pub(crate) struct Desk {
    pub(crate) subject: Subject,
    pub(crate) chronicle: Chronicle,
    pub(crate) back_room: BackRoom,
    pub(crate) title: String,
    pub(crate) edit: bool,
    /// Whether edits include the pace.
    pub(crate) paced: bool,
}

impl Desk {
    /// Works until it is told to stop.
    pub(crate) fn run(mut self, shared: &Shared, mut messages: mpsc::Receiver<Message>) {
        self.announce(shared);
        while let Some(message) = messages.blocking_recv() {
            self.take_in(shared);
            match message {
                Message::Frame => {}
                Message::Stop => return,
                Message::Request(request, reply) => {
                    let names = lock(&shared.names).clone();
                    let id = request.get("id").filter(|id| id.is_u64()).cloned().unwrap_or_default();
                    match self.long_work(Fields(&request)) {
                        Some(Ok(work)) => self.back_room.leave(Errand { work, names, id, reply }),
                        // Whoever asked may be gone already.
                        Some(Err(complaint)) => drop(reply.send(reply_to(id, Err(complaint)))),
                        None => {
                            let answer = self.answer(shared, &names, Fields(&request));
                            drop(reply.send(reply_to(id, answer)));
                        }
                    }
                }
            }
        }
    }

    fn take_in(&mut self, shared: &Shared) {
        let Subject::Live(window) = &mut self.subject else { return };
        let Some(frame) = shared.mailbox.take() else { return };
        window.push(&frame.snapshot, &frame.config, frame.work);
        let moment = window.first() + window.len().saturating_sub(1);
        if let (Some(simulation), Some(first)) = (window.here(), frame.events.first()) {
            self.chronicle.forget_from(first.sequence);
            for event in &frame.events {
                self.chronicle.push(simulation, moment, event);
            }
        }
        self.chronicle.lost += frame.lost_events;
        self.chronicle.forget_before(window.first());
        shared.mailbox.give_back(frame.snapshot);
        self.announce(shared);
    }

    fn announce(&mut self, shared: &Shared) {
        let events = self.chronicle.len() as u64;
        let reel = self.subject.reel();
        let (first, moments) = (reel.first(), reel.len());
        let last = first + moments.saturating_sub(1);
        let time = reel.time(last).unwrap_or(Time::ZERO).as_seconds();
        let work = reel.work(last).map(milliseconds);
        shared.head.send_modify(|head| {
            let Head { console, clients, pace, .. } = *head;
            *head = Head { first, moments, time, events, work, console, clients, pace };
        });
    }

    /// Copies of what a question is about whose answer takes long; `None` of any other question.
    fn long_work(&mut self, fields: Fields<'_>) -> Option<Result<Work, Complaint>> {
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

    fn answer(&mut self, shared: &Shared, names: &Names, fields: Fields<'_>) -> Answer {
        let kind = fields.needed_text("request")?;
        match kind {
            "hello" => return Ok(self.hello(shared)),
            "moments" => return self.moments(fields),
            "console" => return Ok(shared.console()),
            "pace" | "edit" if !self.edit => {
                return Err(Complaint::forbidden(
                    "this inspector is read-only: its host does not allow edits",
                ));
            }
            "pace" if !self.paced => {
                return Err(Complaint::forbidden("the host of this game keeps its own pace"));
            }
            "pace" => {
                shared.set_pace(|pace| pace.change(fields))?;
                return Ok(shared.pace().to_json());
            }
            _ => {}
        }
        let moment = self.moment(fields, "at")?;
        let reel = self.subject.reel();
        let work = reel.work(moment).map(milliseconds);
        let simulation = reel.go_to(moment).map_err(Complaint::gone)?;
        let chronicle = &self.chronicle;
        match kind {
            "world" => {
                let mut answer = world::world(simulation, names, chronicle, moment, fields)?;
                answer["tickMilliseconds"] = json!(work);
                Ok(answer)
            }
            "controller" => controller::controller(simulation, names, chronicle, moment, fields),
            "explain" => explain::explain(simulation, names, fields),
            "checks" => explain::checks(simulation, names, fields),
            "events" => causes::events(simulation, names, chronicle, moment, fields),
            "chain" => causes::chain(simulation, names, chronicle, fields),
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
                match shared.leave(edit) {
                    true => Ok(json!({ "accepted": text, "recording": *lock(&shared.recording) })),
                    false => Err(Complaint::busy("too many changes wait for the host")),
                }
            }
            other => Err(Complaint::bad(format!("there is no request `{other}`"))),
        }
    }

    fn go_to(&mut self, moment: u64) -> Result<&Simulation, Complaint> {
        self.subject.reel().go_to(moment).map_err(Complaint::gone)
    }

    /// The moment that a field names; without it, the last.
    fn moment(&mut self, fields: Fields<'_>, key: &str) -> Result<u64, Complaint> {
        let reel = self.subject.reel();
        let Some(last) = reel.len().checked_sub(1).map(|length| reel.first() + length) else {
            return Err(Complaint::gone("nothing was shown to the inspector yet"));
        };
        let asked = fields.count(key)?.unwrap_or(last);
        match (reel.first()..=last).contains(&asked) {
            true => Ok(asked),
            false => Err(Complaint::gone(format!("moment {asked} is not kept (any more)"))),
        }
    }

    fn hello(&mut self, shared: &Shared) -> Value {
        json!({
            "protocol": crate::PROTOCOL,
            "version": env!("CARGO_PKG_VERSION"),
            "title": self.title,
            "live": matches!(self.subject, Subject::Live(_)),
            "edit": self.edit,
            "pace": self.edit && self.paced,
            "catalog": self.subject.reel().here().map(|simulation| format!("{:016x}", simulation.catalog().hash())),
            "head": shared.head.borrow().to_json(),
        })
    }

    /// When the moments were, and how much happened in each, from one on.
    fn moments(&mut self, fields: Fields<'_>) -> Answer {
        let since = fields.count("since")?.unwrap_or(0);
        let reel = self.subject.reel();
        let (first, end) = (reel.first().max(since), reel.first() + reel.len());
        let times: Vec<f64> =
            (first..end).filter_map(|moment| reel.time(moment)).map(Time::as_seconds).collect();
        let mut counts = vec![0u32; times.len()];
        for entry in self.chronicle.all().rev().take_while(|entry| entry.moment >= first) {
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

/// The names that a console can offer.
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
    let controllers = simulation.controllers().map(|(id, _): (ControllerId, _)| crate::names::id_text(id));
    json!({
        "effects": catalog.effects().map(|(_, effect)| effect.name()).take(MOST_NAMES).collect::<Vec<_>>(),
        "abilities": abilities.take(MOST_NAMES).collect::<Vec<_>>(),
        "templates": templates.take(MOST_NAMES).collect::<Vec<_>>(),
        "tags": catalog.tags().ids().map(|tag| catalog.tag_name(tag)).take(MOST_NAMES).collect::<Vec<_>>(),
        "controllers": controllers.take(MOST_NAMES).collect::<Vec<_>>(),
    })
}
