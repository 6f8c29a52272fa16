//! What somebody who plays does, by name: a person at the keyboard or a script.

use std::time::Duration;

use ugas_core::debug::ControllerPage;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::{AbilityHandle, ControllerId};
use ugas_core::simulation::ActivationRequest;
use ugas_net::message::Rejection;
use ugas_net::{ActError, Client, ClientEvent};

use super::session::{End, Session};
use crate::online::{self, Stop};

/// How long to wait for datagrams before time passes again: a fraction of a tick.
const BREATH: Duration = Duration::from_millis(4);

/// What became of the last thing that the player did.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum Last {
    /// Nothing was done yet.
    #[default]
    Nothing,
    /// The server has not said yet.
    Waiting(PredictionKey),
    /// The server carried it out, or nobody had to be asked.
    Done,
    /// It was not even sent, for this reason: a code, and words.
    Refused(String, String),
    /// The server did not carry it out.
    Rejected(Rejection),
}

/// A player and a session.
pub(super) struct Player {
    pub(super) session: Session,
    pub(super) last: Last,
    stop: Stop,
    duration: Option<Duration>,
}

impl Player {
    pub(super) fn new(session: Session, stop: Stop, duration: Option<Duration>) -> Self {
        Self { session, last: Last::Nothing, stop, duration }
    }

    pub(super) fn client(&self) -> &Client {
        &self.session.client
    }

    /// Whether it is over, by itself or because it should be.
    pub(super) fn is_over(&self) -> bool {
        self.session.end().is_some() || self.is_stopped()
    }

    /// Whether somebody wants it to be over, or the time is.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_wanted() || self.duration.is_some_and(|duration| self.session.elapsed() >= duration)
    }

    /// How it ended: if it has not, the player leaves now.
    pub(super) fn end(&mut self) -> End {
        self.session.leave();
        self.session.end().cloned().unwrap_or(End::Left)
    }

    /// Lets a moment pass, and says what happened in it.
    pub(super) fn breathe(&mut self) -> anyhow::Result<Vec<ClientEvent>> {
        let events = self.session.pump(BREATH)?;
        for event in &events {
            match event {
                ClientEvent::Confirmed { key, .. } if self.last == Last::Waiting(*key) => {
                    self.last = Last::Done
                }
                ClientEvent::Rejected { key, rejection } if self.last == Last::Waiting(*key) => {
                    self.last = Last::Rejected(*rejection);
                }
                _ => {}
            }
        }
        Ok(events)
    }

    /// The player's own controller.
    pub(super) fn own(&self) -> Option<ControllerId> {
        let client = self.client();
        client.own_controllers().find(|id| client.simulation().controller(*id).is_some())
    }

    /// Everybody else in view, in the order in which they were spawned.
    pub(super) fn others(&self) -> Vec<ControllerId> {
        let client = self.client();
        let own: Vec<ControllerId> = client.own_controllers().collect();
        let mut others: Vec<_> =
            client.simulation().controllers().filter(|(id, _)| !own.contains(id)).collect();
        others.sort_by_key(|(_, known)| known.ordinal());
        others.into_iter().map(|(id, _)| id).collect()
    }

    /// What a controller is called: its template and a number.
    pub(super) fn label(&self, controller: ControllerId) -> String {
        let simulation = self.client().simulation();
        let Some(known) = simulation.controller(controller) else { return "nobody".to_owned() };
        let template = known.template().map_or("controller", |id| simulation.catalog().template_name(id));
        format!("{template} {}", known.ordinal())
    }

    /// The player's abilities.
    pub(super) fn abilities(&self) -> Vec<AbilityHandle> {
        let own = self.own().and_then(|own| self.client().simulation().controller(own));
        own.map(|own| own.abilities().to_vec()).unwrap_or_default()
    }

    /// Those of them that are for a player to choose, in the order of the keys.
    pub(super) fn choices(&self) -> Vec<AbilityHandle> {
        let simulation = self.client().simulation();
        self.abilities().into_iter().filter(|ability| online::is_chosen(simulation, *ability)).collect()
    }

    /// Everything about a controller. Attributes whose values the server withholds are listed by name only (N1).
    pub(super) fn page(&self, controller: ControllerId) -> Option<ControllerPage> {
        self.client().simulation().debug(controller)
    }

    /// The player's ability with this name.
    pub(super) fn ability(&self, name: &str) -> Option<AbilityHandle> {
        let simulation = self.client().simulation();
        self.abilities().into_iter().find(|ability| {
            let granted = simulation.ability(*ability);
            granted.is_some_and(|granted| simulation.catalog().ability_name(granted.ability()) == name)
        })
    }

    /// Who is meant by a name: `Self`, `Any`, a template, or a template with its number.
    pub(super) fn target(&self, name: &str) -> Option<ControllerId> {
        let others = self.others();
        match name {
            "Self" => self.own(),
            "Any" => others.first().copied(),
            _ => others.into_iter().find(|id| {
                let label = self.label(*id);
                label == name || label.rsplit_once(' ').is_some_and(|(template, _)| template == name)
            }),
        }
    }

    /// Uses an ability.
    pub(super) fn activate(&mut self, ability: AbilityHandle, target: Option<ControllerId>) {
        let request = target.map(ActivationRequest::on).unwrap_or_default();
        match self.session.client.activate(ability, request.clone()) {
            Err(ActError::LocalOnly) => {
                let begun = self.session.client.activate_local(ability, request);
                self.last = match begun {
                    Ok(_) => Last::Done,
                    Err(error) => self.refused(&error),
                };
            }
            done => self.note(done),
        }
    }

    /// Does something else, and remembers what became of it.
    pub(super) fn act(
        &mut self,
        act: impl FnOnce(&mut Client, ControllerId) -> Result<PredictionKey, ActError>,
    ) {
        let Some(own) = self.own() else { return };
        let done = act(&mut self.session.client, own);
        self.note(done);
    }

    /// Cancels all runs of an ability.
    pub(super) fn cancel(&mut self, ability: AbilityHandle) {
        let granted = self.client().simulation().ability(ability);
        let runs = granted.map(|granted| granted.activations().to_vec()).unwrap_or_default();
        if runs.is_empty() {
            self.last = Last::Refused("NotActive".to_owned(), "it does not run".to_owned());
        }
        for run in runs {
            let done = self.session.client.cancel_run(run);
            self.note(done);
        }
    }

    fn note(&mut self, done: Result<PredictionKey, ActError>) {
        self.last = match done {
            Ok(key) => Last::Waiting(key),
            Err(error) => self.refused(&error),
        };
    }

    fn refused(&self, error: &ActError) -> Last {
        match error {
            ActError::Refused(refusal) => {
                Last::Refused(refusal.code().to_owned(), refusal.describe(self.client().simulation()))
            }
            error => Last::Refused("Refused".to_owned(), error.to_string()),
        }
    }
}
