//! Edits: changes that the page requests and the host executes.

use serde_json::{Value, json};
use ugas_core::ability::GameplayEvent;
use ugas_core::command::{Command, CommandError, Outcome};
use ugas_core::debug::ControllerNames;
use ugas_core::effect::{EffectContext, EffectDef};
use ugas_core::handle::{ActiveEffectId, ControllerId};
use ugas_core::id::EffectId;
use ugas_core::modifier::Operation;
use ugas_core::simulation::{ActivationRequest, Simulation, Spawn, Stacks};

use crate::request::{Fields, RequestError};

/// The speed of the game that the page requests. Hosts that follow it read
/// [`Inspector::pace`](crate::Inspector::pace) once a frame.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pace {
    /// Whether the game is paused.
    pub paused: bool,
    /// Factor of the game's speed while it is not paused; 1 is normal.
    pub speed: f64,
    /// Number of single ticks to advance while paused.
    pub steps: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self { paused: false, speed: 1.0, steps: 0 }
    }
}

impl Pace {
    /// Reads `paused`, `speed` and `steps`. Missing fields keep their values; an error changes nothing.
    pub(crate) fn change(&mut self, fields: Fields<'_>) -> Result<(), RequestError> {
        *self = self.changed(fields)?;
        Ok(())
    }

    /// The pace with the fields of a request: `paused`, `speed` from 0.01 to 100, and `steps`, which are
    /// added and count only while paused. An error leaves the pace as it was.
    fn changed(mut self, fields: Fields<'_>) -> Result<Self, RequestError> {
        match fields.0.get("paused") {
            None | Some(Value::Null) => {}
            Some(Value::Bool(paused)) => self.paused = *paused,
            Some(_) => return Err(RequestError::bad("`paused` must be true or false")),
        }
        if let Some(speed) = fields.number("speed")? {
            if !(0.01..=100.0).contains(&speed) {
                return Err(RequestError::bad("`speed` must be from 0.01 to 100"));
            }
            self.speed = speed;
        }
        if let Some(steps) = fields.count("steps")? {
            self.steps = self.steps.saturating_add(u32::try_from(steps.min(1_000)).unwrap_or(0)).min(1_000);
        }
        // Steps are only taken while paused.
        self.steps = if self.paused { self.steps } else { 0 };
        Ok(self)
    }

    /// The pace as JSON for the page, without the pending steps.
    pub(crate) fn to_json(self) -> Value {
        json!({ "paused": self.paused, "speed": self.speed })
    }
}

/// A change and its description.
pub(crate) struct Edit {
    pub(crate) text: String,
    pub(crate) change: Change,
}

pub(crate) enum Change {
    Command(Box<Command>),
    /// Sets a base value through an instant effect: nothing else writes a base (§3.1).
    SetBase {
        controller: ControllerId,
        attribute: String,
        value: f64,
    },
}

impl Edit {
    /// Reads a change. Its names must exist at the shown moment; whether it is allowed, the simulation
    /// decides.
    pub(crate) fn read(
        fields: Fields<'_>,
        simulation: &Simulation,
        names: &ControllerNames,
    ) -> Result<Self, RequestError> {
        let catalog = simulation.catalog();
        let unknown = |error: ugas_core::catalog::UnknownName| RequestError::bad(error.to_string());
        let who = |key: &str| {
            let id = fields.controller(key)?;
            Ok::<_, RequestError>((id, names.of(simulation, id)))
        };
        let (text, command) = match fields.required_text("command")? {
            "apply" => {
                let (target, name) = who("controller")?;
                let effect = fields.required_text("effect")?;
                let level = fields.number("level")?.unwrap_or(1.0);
                let context = fields
                    .optional_controller("source")?
                    .map_or_else(EffectContext::default, EffectContext::of);
                let effect_id = catalog.effect(effect).map_err(unknown)?;
                let magnitudes = Vec::new();
                let command = Command::ApplyEffect { effect: effect_id, level, context, magnitudes, target };
                (format!("apply {effect} to {name}"), command)
            }
            "remove" => {
                let bits = fields.required_text("active")?.parse().ok().and_then(ActiveEffectId::from_bits);
                let active =
                    bits.ok_or_else(|| RequestError::bad("`active` is not a handle of an active effect"))?;
                (format!("remove {active:?}"), Command::Remove { active, stacks: Stacks::All })
            }
            "grant" => {
                let (controller, name) = who("controller")?;
                let ability = fields.required_text("ability")?;
                let level = fields.count("level")?.unwrap_or(1).clamp(1, u64::from(u32::MAX)) as u32;
                let id = catalog.ability(ability).map_err(unknown)?;
                (format!("grant {ability} to {name}"), Command::Grant { controller, ability: id, level })
            }
            "activate" => {
                let (controller, name) = who("controller")?;
                let ability = fields.required_text("ability")?;
                let request = fields.optional_controller("target")?;
                let request = request.map_or_else(ActivationRequest::default, ActivationRequest::on);
                let id = catalog.ability(ability).map_err(unknown)?;
                let command =
                    Command::ActivateAbility { controller, ability: id, request: Box::new(request) };
                (format!("activate {ability} of {name}"), command)
            }
            "event" => {
                let (controller, name) = who("controller")?;
                let tag = fields.required_text("tag")?;
                let mut event = GameplayEvent::new(catalog.tag(tag).map_err(unknown)?);
                event.magnitude = fields.number("magnitude")?.unwrap_or(0.0);
                (format!("send {tag} to {name}"), Command::SendEvent { controller, event })
            }
            "spawn" => {
                let template = fields.required_text("template")?;
                catalog.template(template).map_err(unknown)?;
                (format!("spawn {template}"), Command::Spawn(Spawn::named(template)))
            }
            "despawn" => {
                let (controller, name) = who("controller")?;
                (format!("despawn {name}"), Command::Despawn(controller))
            }
            "set-base" => {
                let (controller, name) = who("controller")?;
                let attribute = fields.required_text("attribute")?.to_owned();
                let id = catalog.attribute(&attribute).map_err(unknown)?;
                if simulation.is_derived(controller, id) {
                    let why = "its base value comes from its expression and cannot be set";
                    return Err(RequestError::bad(format!("`{attribute}` is derived: {why}")));
                }
                let value = fields.number("value")?.ok_or_else(|| RequestError::bad("`value` is missing"))?;
                let text = format!("set the base of {attribute} of {name} to {value}");
                return Ok(Self { text, change: Change::SetBase { controller, attribute, value } });
            }
            other => return Err(RequestError::bad(format!("unknown command `{other}`"))),
        };
        Ok(Self { text, change: Change::Command(Box::new(command)) })
    }

    /// Executes the change and returns its description and result. Effects that were defined for it are
    /// pushed to `retired`. They are forgotten only after the next frame, because descriptions of its events
    /// need their names.
    pub(crate) fn perform(
        self,
        execute: &mut impl FnMut(Command) -> Result<Outcome, CommandError>,
        retired: &mut Vec<EffectId>,
    ) -> (String, Result<(), String>) {
        let result = match self.change {
            Change::Command(command) => execute(*command).map(drop),
            Change::SetBase { controller, attribute, value } => {
                set_base(execute, retired, controller, &attribute, value)
            }
        };
        (self.text, result.map_err(|error| error.to_string()))
    }
}

/// Defines an instant effect that overrides the base value, and applies it.
fn set_base(
    execute: &mut impl FnMut(Command) -> Result<Outcome, CommandError>,
    retired: &mut Vec<EffectId>,
    controller: ControllerId,
    attribute: &str,
    value: f64,
) -> Result<(), CommandError> {
    let name = format!("Inspector.SetBase.{attribute}");
    let def = EffectDef::instant(name).modify(attribute, Operation::Override, value);
    let Outcome::Defined(effect) = execute(Command::DefineEffect(Box::new(def)))? else { return Ok(()) };
    retired.push(effect);
    let (context, magnitudes) = (EffectContext::default(), Vec::new());
    execute(Command::ApplyEffect { effect, level: 1.0, context, magnitudes, target: controller }).map(drop)
}
