//! [`Player`]: the actions of a person or a script in a session.

use std::time::Duration;

use ugas_core::debug::ControllerPage;
use ugas_core::effect::PredictionKey;
use ugas_core::handle::{ControllerId, GrantedAbilityId};
use ugas_core::simulation::ActivationRequest;
use ugas_net::message::Rejection;
use ugas_net::{ActError, Client, ClientEvent};

use super::session::{End, Session};
use crate::online::{self, StopSignal};

/// Maximum wait for datagrams: a fraction of a tick.
const PUMP_WAIT: Duration = Duration::from_millis(4);

/// Result of the player's last action.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum LastAction {
    /// There was no action yet.
    #[default]
    Nothing,
    /// The server has not answered yet.
    Waiting(PredictionKey),
    /// The server confirmed it, or it was local only.
    Done,
    /// The client refused it without sending it: code and description of the reason.
    Refused(String, String),
    /// The server rejected it.
    Rejected(Rejection),
}

/// A player and a session.
pub(super) struct Player {
    pub(super) session: Session,
    pub(super) last: LastAction,
    stop: StopSignal,
    duration: Option<Duration>,
}

impl Player {
    pub(super) fn new(session: Session, stop: StopSignal, duration: Option<Duration>) -> Self {
        Self { session, last: LastAction::Nothing, stop, duration }
    }

    pub(super) fn client(&self) -> &Client {
        &self.session.client
    }

    /// Whether the session has ended or should end.
    pub(super) fn is_over(&self) -> bool {
        self.session.end().is_some() || self.is_stopped()
    }

    /// Whether a stop was requested or the time is up.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_requested() || self.duration.is_some_and(|duration| self.session.elapsed() >= duration)
    }

    /// How the session ended; leaves if it has not.
    pub(super) fn end(&mut self) -> End {
        self.session.leave();
        self.session.end().cloned().unwrap_or(End::Left)
    }

    /// Receives, advances and sends; returns the events.
    pub(super) fn pump(&mut self) -> anyhow::Result<Vec<ClientEvent>> {
        let events = self.session.pump(PUMP_WAIT)?;
        for event in &events {
            match event {
                ClientEvent::Confirmed { key, .. } if self.last == LastAction::Waiting(*key) => {
                    self.last = LastAction::Done
                }
                ClientEvent::Rejected { key, rejection } if self.last == LastAction::Waiting(*key) => {
                    self.last = LastAction::Rejected(*rejection);
                }
                _ => {}
            }
        }
        Ok(events)
    }

    /// The player's own controller; `None` until the server has given and sent it.
    pub(super) fn own(&self) -> Option<ControllerId> {
        let client = self.client();
        client.own_controllers().find(|id| client.simulation().controller(*id).is_some())
    }

    /// All other visible controllers, in the order in which they were spawned.
    pub(super) fn others(&self) -> Vec<ControllerId> {
        let client = self.client();
        let own: Vec<ControllerId> = client.own_controllers().collect();
        let mut others: Vec<_> =
            client.simulation().controllers().filter(|(id, _)| !own.contains(id)).collect();
        others.sort_by_key(|(_, known)| known.ordinal());
        others.into_iter().map(|(id, _)| id).collect()
    }

    /// Label of a controller: its template and a number.
    pub(super) fn label(&self, controller: ControllerId) -> String {
        let simulation = self.client().simulation();
        let Some(known) = simulation.controller(controller) else { return "(none)".to_owned() };
        let template = known.template().map_or("controller", |id| simulation.catalog().template_name(id));
        format!("{template} {}", known.ordinal())
    }

    /// All abilities of the player's controller, those that players cannot activate included; empty without a
    /// controller.
    pub(super) fn abilities(&self) -> Vec<GrantedAbilityId> {
        let own = self.own().and_then(|own| self.client().simulation().controller(own));
        own.map(|own| own.abilities().to_vec()).unwrap_or_default()
    }

    /// The abilities that the player can use, in the order of the number keys.
    pub(super) fn choices(&self) -> Vec<GrantedAbilityId> {
        let simulation = self.client().simulation();
        self.abilities()
            .into_iter()
            .filter(|ability| online::is_player_ability(simulation, *ability))
            .collect()
    }

    /// Everything about a controller. Attributes whose values the server withholds are listed by name only
    /// (N1).
    pub(super) fn page(&self, controller: ControllerId) -> Option<ControllerPage> {
        self.client().simulation().debug(controller)
    }

    /// The player's first granted ability with this name; `None` if it is not granted.
    pub(super) fn ability(&self, name: &str) -> Option<GrantedAbilityId> {
        let simulation = self.client().simulation();
        self.abilities().into_iter().find(|ability| {
            let granted = simulation.ability(*ability);
            granted.is_some_and(|granted| simulation.catalog().ability_name(granted.ability()) == name)
        })
    }

    /// The target of a name: `Self`, `Any`, a template, or a template with its number.
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

    /// Activates an ability, and records the result. A local-only ability is activated on this client and not
    /// sent.
    pub(super) fn activate(&mut self, ability: GrantedAbilityId, target: Option<ControllerId>) {
        let request = target.map(ActivationRequest::on).unwrap_or_default();
        match self.session.client.activate(ability, request.clone()) {
            Err(ActError::LocalOnly) => {
                let begun = self.session.client.activate_local(ability, request);
                self.last = match begun {
                    Ok(_) => LastAction::Done,
                    Err(error) => self.refused(&error),
                };
            }
            sent => self.record_result(sent),
        }
    }

    /// Performs another action, and records its result.
    pub(super) fn act(
        &mut self,
        act: impl FnOnce(&mut Client, ControllerId) -> Result<PredictionKey, ActError>,
    ) {
        let Some(own) = self.own() else { return };
        let sent = act(&mut self.session.client, own);
        self.record_result(sent);
    }

    /// Cancels all activations of an ability. The result is kept in `last`; refused with `NotActive` if there
    /// is none.
    pub(super) fn cancel(&mut self, ability: GrantedAbilityId) {
        let granted = self.client().simulation().ability(ability);
        let activations = granted.map(|granted| granted.activations().to_vec()).unwrap_or_default();
        if activations.is_empty() {
            self.last = LastAction::Refused("NotActive".to_owned(), "the ability is not active".to_owned());
        }
        for activation in activations {
            let sent = self.session.client.cancel_activation(activation);
            self.record_result(sent);
        }
    }

    /// Records a sent action as waiting for the server's answer, or the client's refusal to send it.
    fn record_result(&mut self, sent: Result<PredictionKey, ActError>) {
        self.last = match sent {
            Ok(key) => LastAction::Waiting(key),
            Err(error) => self.refused(&error),
        };
    }

    /// Result of an action that the client refused, by its code and in words.
    fn refused(&self, error: &ActError) -> LastAction {
        match error {
            ActError::Refused(refusal) => {
                LastAction::Refused(refusal.code().to_owned(), refusal.describe(self.client().simulation()))
            }
            ActError::NotAllowed => LastAction::Refused("NotAllowed".to_owned(), error.to_string()),
            error => LastAction::Refused("Refused".to_owned(), error.to_string()),
        }
    }
}
