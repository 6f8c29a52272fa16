//! Scenario documents: controllers, steps and expectations.

mod ability;
mod expect;
mod state;

use serde_json::{Value as Json, json};
use ugas_core::simulation::Role;

pub use ability::{
    ActivateDoc, CancelAllDoc, CompleteTaskDoc, EventDoc, GrantDoc, InputDoc, MoveDoc, SetLevelDoc,
    TargetsDoc,
};
pub use expect::{
    AbilityStatus, ControllerExpectDoc, ControllerExpectRecord, CueExpectDoc, CuesExpectDoc, EventsDoc,
    ExpectDoc, ExpectRecord, Expected, ExpectedParameter, KnownFields, Open, Since, TagsExpectDoc,
};
pub use state::{ConfigDoc, ControllerHandle, StateDoc, StateFileDoc, StateHash};

use super::controller::ControllerDoc;
use super::effect::TagQueryDoc;
use super::{AbilityName, AttributeName, DataTag, EffectName, InputName, Name, SetName, Tag, TemplateName};
use crate::decode::{
    ActorText, Choice, Definitions, Field, Integer, List, NamedMap, NonNegative, Number, PlainValue, Raw,
    Text, Vector, choice, is_free_key, record,
};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Value};
use crate::source::Span;

choice! {
    Role { "Authority" => Self::Authority, "Client" => Self::Client, "Server" => Self::Server }
}

record! {
    /// A deterministic sequence of steps with expectations.
    ScenarioDoc, "scenario" {
        name: required Name = "Name", "Short description, used as the name.";
        clauses: list Name = "Clause", "Clauses of the specification and rules that it shows.";
        description: optional Text = "Description", "Longer description.";
        pack: optional Text = "Pack", "Folder of the pack, relative to this file.";
        definitions: list Raw = "Definitions", "UGAS documents of its own, added to the pack.";
        expect_load: optional ExpectLoadDoc = "ExpectLoad", "Expected diagnostics of loading the pack and the definitions. With errors nothing runs, and `Steps` stays empty.";
        seed: optional Integer<0, 9007199254740991> = "Seed", "Seed of everything random (default: 0).";
        role: optional Choice<Role> = "Role", "Whether it decides, predicts as a client, or serves clients (default: Authority).";
        config: optional ConfigDoc = "Config", "Configuration of the simulation, where it differs from the default.";
        state: optional StateDoc = "State", "Initial state: a snapshot in base64, or its `File`. Without `Pack` and `Definitions` the rules in the state are used; without `Seed`, the seed in the state.";
        controllers: optional NamedMap<Name, ActorDoc> = "Controllers", "Controllers at the start, by name.";
        steps: required List<StepDoc> = "Steps", "Steps, in order.";
    }
}

impl ScenarioDoc {
    /// Parameters that its `Grant` steps provide, as pairs of ability and name.
    pub(crate) fn granted_parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        let steps = self.steps.iter().flat_map(|steps| steps.iter());
        let grants = steps.filter_map(|step| step.record.grant.as_ref());
        grants
            .filter_map(|grant| Some((&grant.ability.as_ref()?.value, grant.parameters.as_ref()?)))
            .flat_map(|(ability, parameters)| {
                parameters.0.iter().map(move |(name, _)| (ability.as_str(), name.value.as_str()))
            })
    }
}

record! {
    /// Expected diagnostics of loading: exactly these codes, each any number of times.
    ExpectLoadDoc, "expected load" {
        errors: list Name = "Errors", "Codes of the errors, such as UG051; empty or absent if it loads.";
        warnings: optional List<Name> = "Warnings", "Codes of the warnings; absent if they do not matter.";
    }
}

record! {
    /// A controller of a scenario.
    ActorDoc, "controller of a scenario" {
        template: optional TemplateName = "Template", "Controller document of the pack that it is made from.";
        sets: list SetName = "AttributeSets", "Its attribute sets.";
        base: optional NamedMap<AttributeName, Number> = "Base", "Base values that differ from the defaults.";
        abilities: list ActorAbilityDoc = "Abilities", "Abilities that it has.";
        tags: list Tag = "Tags", "Tags that an internal Infinite effect grants.";
        ability_sets: list Name = "AbilitySets", "Ability sets that it has.";
        position: optional Vector<3> = "Position", "Position.";
        facing: optional Vector<3> = "Facing", "Facing direction.";
        team: optional Name = "Team", "Team.";
        character: optional ControllerDoc = "Character", "Saved character to restore, instead of all other keys; see `ugas save`.";
        handle: optional ControllerHandle = "Handle", "Handle of a controller of the `State`, instead of all other keys: `controller0v1`.";
    }
}

record! {
    /// An ability that a controller of a scenario has.
    ActorAbilityDoc, "ability of a controller" {
        ability: required AbilityName = "Ability", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        input: optional InputName = "InputID", "Input that it is bound to.";
        dynamic_tags: list Tag = "DynamicTags", "Tags that describe the granted ability besides its AbilityTags; they count as source tags of its effects.";
    }
}

record! {
    /// Step; exactly one of the fields.
    StepRecord, "step" {
        apply: optional ApplyDoc = "Apply", "Applies an effect.";
        advance: optional NonNegative = "Advance", "Advances time by so many seconds.";
        at: optional NonNegative = "At", "Advances time to this second.";
        remove: optional RemoveDoc = "Remove", "Removes an active effect.";
        remove_matching: optional RemoveMatchingDoc = "RemoveMatching", "Removes the active effects that a query matches.";
        spawn: optional NamedMap<Name, ActorDoc> = "Spawn", "Spawns controllers, by name.";
        set_avatar: optional SetAvatarDoc = "SetAvatar", "Sets or removes the avatar of a controller.";
        set_owner: optional SetOwnerDoc = "SetOwner", "Sets or removes the owner of a controller.";
        register_set: optional ControllerSetStepDoc = "RegisterSet", "Registers an attribute set with a controller.";
        unregister_set: optional ControllerSetStepDoc = "UnregisterSet", "Unregisters an attribute set from a controller.";
        set_remaining: optional SetRemainingDoc = "SetRemaining", "Changes the remaining time of an active effect.";
        despawn: optional Name = "Despawn", "Removes a controller with everything it has.";
        grant: optional GrantDoc = "Grant", "Grants an ability.";
        revoke: optional Name = "Revoke", "Revokes an ability, by the name of its grant or its own.";
        set_level: optional SetLevelDoc = "SetLevel", "Changes the level of a granted ability.";
        activate: optional ActivateDoc = "Activate", "Activates an ability.";
        cancel: optional Name = "Cancel", "Cancels an activation by its name, or all activations of an ability by the name of the ability.";
        cancel_all: optional CancelAllDoc = "CancelAll", "Cancels abilities of a controller, by tags or all.";
        input: optional InputDoc = "Input", "Presses or releases an input, confirms or declines.";
        event: optional EventDoc = "Event", "Sends a gameplay event.";
        complete_task: optional CompleteTaskDoc = "CompleteTask", "Completes the oldest waiting host task of a type.";
        targets: optional TargetsDoc = "Targets", "Provides targets to the oldest task that waits for them.";
        move_to: optional MoveDoc = "Move", "Moves a controller.";
        expect: optional ExpectDoc = "Expect", "Checks expectations; changes nothing.";
    }
}

record! {
    /// The application of an effect.
    ApplyDoc, "application" {
        effect: required EffectName = "Effect", "The effect.";
        source: optional Name = "Source", "The controller that causes it (default: none).";
        target: required Name = "Target", "The controller it is applied to.";
        level: optional Number = "Level", "Its level (default: 1).";
        set_by_caller: optional NamedMap<DataTag, Number> = "SetByCaller", "SetByCaller numbers by tag.";
        duration: optional Number = "Duration", "Seconds that replace the duration of the effect.";
        period: optional Number = "Period", "Seconds that replace the period of the effect; must be greater than 0, or the application is refused with InvalidPeriod.";
        ability: optional Name = "Ability", "The ability that it comes from: a name given by `As` of a grant, or an ability of the source (default: none).";
        hit: optional HitDoc = "Hit", "The hit that led to it.";
        causer: optional ActorText = "Causer", "Id of the actor that physically caused it.";
        origin: optional Vector<3> = "Origin", "World location that it comes from.";
        payload: optional NamedMap<Name, PlainValue> = "Payload", "Payload numbers, by name.";
        alias: optional Name = "As", "Name of the active effect for later steps.";
    }
}

record! {
    /// A hit (§9.9).
    HitDoc, "hit" {
        location: required Vector<3> = "Location", "Point of impact.";
        normal: optional Vector<3> = "Normal", "Surface normal (default: none).";
        controller: optional Name = "Controller", "The controller that was hit.";
    }
}

record! {
    /// A new avatar.
    SetAvatarDoc, "new avatar" {
        controller: required Name = "Controller", "Controller whose avatar changes.";
        avatar: required ActorText = "Avatar", "Id of the actor; `None` takes it away.";
    }
}

record! {
    /// A new owner.
    SetOwnerDoc, "new owner" {
        controller: required Name = "Controller", "Controller whose owner changes.";
        owner: required ActorText = "Owner", "Id of the actor; `None` takes it away.";
    }
}

record! {
    /// An attribute set of a controller.
    ControllerSetStepDoc, "attribute set of a controller" {
        controller: required Name = "Controller", "Controller whose sets change.";
        set: required SetName = "Set", "The attribute set.";
    }
}

record! {
    /// Change of the remaining time of an active effect.
    SetRemainingDoc, "remaining time" {
        effect: required Name = "Effect", "A name given by `As`, or an effect, of which all instances are changed.";
        target: optional Name = "Target", "The controller whose instances are changed (default: all controllers).";
        seconds: required NonNegative = "Seconds", "Seconds from now until it ends; 0 ends it.";
    }
}

record! {
    /// The removal of an effect.
    RemoveDoc, "removal" {
        effect: required Name = "Effect", "A name given by `As`, or an effect, of which all instances are removed.";
        target: optional Name = "Target", "The controller whose instances are removed (default: all controllers).";
        stacks: optional Integer<-1, 4294967295> = "Stacks", "How many stacks (default and -1: all).";
    }
}

record! {
    /// The removal of effects by a query.
    RemoveMatchingDoc, "removal by query" {
        query: required TagQueryDoc = "Query", "Tag query over the asset and granted tags of effects.";
        target: optional Name = "Target", "The controller whose effects are removed (default: all controllers).";
        source: optional Name = "Source", "Only effects that this controller caused.";
        stacks: optional Integer<-1, 4294967295> = "Stacks", "How many stacks of each (default and -1: all).";
    }
}

/// Step of a scenario with its position.
#[derive(Clone, PartialEq, Debug)]
pub struct StepDoc {
    /// Position of the step.
    pub span: Span,
    /// Decoded record of the step.
    pub record: Box<StepRecord>,
    /// Action of the step.
    pub action: ActionDoc,
}

/// Action of a step.
#[derive(Clone, PartialEq, Debug)]
pub enum ActionDoc {
    /// Applies an effect.
    Apply(Box<ApplyDoc>),
    /// Advances time by so many seconds.
    Advance(f64),
    /// Advances time to this second.
    At(f64),
    /// Removes an active effect.
    Remove(RemoveDoc),
    /// Removes the active effects that a query matches.
    RemoveMatching(RemoveMatchingDoc),
    /// Spawns controllers.
    Spawn(NamedMap<Name, ActorDoc>),
    /// Sets or removes the avatar of a controller.
    SetAvatar(SetAvatarDoc),
    /// Sets or removes the owner of a controller.
    SetOwner(SetOwnerDoc),
    /// Registers an attribute set.
    RegisterSet(ControllerSetStepDoc),
    /// Unregisters an attribute set.
    UnregisterSet(ControllerSetStepDoc),
    /// Changes the remaining time of an effect.
    SetRemaining(SetRemainingDoc),
    /// Removes a controller.
    Despawn(String),
    /// Grants an ability.
    Grant(GrantDoc),
    /// Revokes an ability.
    Revoke(String),
    /// Changes the level of a granted ability.
    SetLevel(SetLevelDoc),
    /// Activates an ability.
    Activate(ActivateDoc),
    /// Cancels an activation.
    Cancel(String),
    /// Cancels abilities of a controller.
    CancelAll(CancelAllDoc),
    /// Presses or releases an input, confirms or declines.
    Input(InputDoc),
    /// Sends a gameplay event.
    Event(Box<EventDoc>),
    /// Completes a host task.
    CompleteTask(CompleteTaskDoc),
    /// Provides targets.
    Targets(TargetsDoc),
    /// Moves a controller.
    Move(MoveDoc),
    /// Checks expectations.
    Expect(Box<ExpectDoc>),
}

impl StepRecord {
    /// The action of a step: its first field that could be decoded; `None` if there is none.
    fn action(self) -> Option<ActionDoc> {
        None.or(self.apply.map(|apply| ActionDoc::Apply(Box::new(apply))))
            .or(self.advance.map(|seconds| ActionDoc::Advance(seconds.0.value)))
            .or(self.at.map(|seconds| ActionDoc::At(seconds.0.value)))
            .or(self.remove.map(ActionDoc::Remove))
            .or(self.remove_matching.map(ActionDoc::RemoveMatching))
            .or(self.spawn.map(ActionDoc::Spawn))
            .or(self.set_avatar.map(ActionDoc::SetAvatar))
            .or(self.set_owner.map(ActionDoc::SetOwner))
            .or(self.register_set.map(ActionDoc::RegisterSet))
            .or(self.unregister_set.map(ActionDoc::UnregisterSet))
            .or(self.set_remaining.map(ActionDoc::SetRemaining))
            .or(self.despawn.map(|name| ActionDoc::Despawn(name.0.value)))
            .or(self.grant.map(ActionDoc::Grant))
            .or(self.revoke.map(|name| ActionDoc::Revoke(name.0.value)))
            .or(self.expect.map(|expect| ActionDoc::Expect(Box::new(expect))))
            .or(self.set_level.map(ActionDoc::SetLevel))
            .or(self.activate.map(ActionDoc::Activate))
            .or(self.cancel.map(|name| ActionDoc::Cancel(name.0.value)))
            .or(self.cancel_all.map(ActionDoc::CancelAll))
            .or(self.input.map(ActionDoc::Input))
            .or(self.event.map(|event| ActionDoc::Event(Box::new(event))))
            .or(self.complete_task.map(ActionDoc::CompleteTask))
            .or(self.targets.map(ActionDoc::Targets))
            .or(self.move_to.map(ActionDoc::Move))
    }
}

impl Field for StepDoc {
    /// Decodes a step, which must have exactly one action. Anything else is reported, and the result is then
    /// `None`.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let own = || node.entries().iter().filter(|entry| !is_free_key(&entry.key.value));
        for entry in own() {
            if !StepRecord::FIELDS.contains(&entry.key.value.as_str()) {
                sink.push(codes::field::unknown_word(entry.key.span, &entry.key.value, StepRecord::FIELDS));
                return None;
            }
        }
        let span = node.head();
        let record = StepRecord::decode(node, sink)?;
        if own().count() != 1 {
            sink.push(codes::field::wrong_length(span, own().count(), "exactly 1 action in a step"));
            return None;
        }
        Some(Self { span, record: Box::new(record.clone()), action: record.action()? })
    }

    /// Never called: scenarios are written back from their tree.
    fn encode(&self) -> Value {
        Value::Null
    }

    fn schema(definitions: &mut Definitions) -> Json {
        let record = StepRecord::schema(definitions);
        let actions: Vec<Json> =
            StepRecord::FIELDS.iter().map(|action| json!({ "required": [action] })).collect();
        json!({ "allOf": [record], "oneOf": actions })
    }
}
