//! Steps about abilities, input, events, tasks and targets.

use ugas_core::task::TaskOutcome;

use super::HitDoc;
use crate::decode::{ActorText, Choice, Flag, Integer, NamedMap, Number, PlainValue, Vector, record};
use crate::model::{AbilityName, InputName, Name, Tag};

record! {
    /// The grant of an ability.
    GrantDoc, "grant" {
        controller: required Name = "Controller", "Controller that is granted the ability.";
        ability: required AbilityName = "Ability", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        input: optional InputName = "InputID", "Input that it is bound to.";
        parameters: optional NamedMap<Name, PlainValue> = "Parameters", "Numbers and booleans that replace the definition's.";
        dynamic_tags: list Tag = "DynamicTags", "Tags that describe the granted ability besides its AbilityTags; they count as source tags of its effects.";
        alias: optional Name = "As", "Name of the grant for later steps.";
    }
}

record! {
    /// Change of the level of a granted ability.
    SetLevelDoc, "new level" {
        controller: optional Name = "Controller", "Controller of the ability; not needed for a name given by `As`.";
        ability: required Name = "Ability", "A name given by `As`, or an ability.";
        level: required Integer<1, 4294967295> = "Level", "Its new level.";
    }
}

record! {
    /// The activation of an ability.
    ActivateDoc, "activation" {
        controller: required Name = "Controller", "Controller that activates it.";
        ability: required AbilityName = "Ability", "The ability.";
        target: optional Name = "Target", "Target controller.";
        targets: list Name = "Targets", "Target controllers, if there are several.";
        location: optional Vector<3> = "Location", "Target location.";
        alias: optional Name = "As", "Name of the activation for later steps.";
    }
}

record! {
    /// The cancellation of several abilities.
    CancelAllDoc, "cancellation" {
        controller: required Name = "Controller", "Controller whose abilities are cancelled.";
        with: list Tag = "WithTags", "Only abilities with one of these (default: all).";
        without: list Tag = "WithoutTags", "Only abilities with none of these.";
    }
}

record! {
    /// An input that is pressed or released, or an answer of the player.
    InputDoc, "input" {
        controller: required Name = "Controller", "Controller that receives the input.";
        press: optional InputName = "Press", "The input that is pressed.";
        target: optional Name = "Target", "Target of the abilities that the press activates.";
        release: optional InputName = "Release", "The input that is released.";
        confirm: optional Flag = "Confirm", "Whether the player confirms the tasks that wait for a confirmation.";
        decline: optional Flag = "Decline", "Whether the player declines the tasks that wait for a confirmation.";
    }
}

record! {
    /// A gameplay event.
    EventDoc, "gameplay event" {
        controller: required Name = "Controller", "Controller that receives the event.";
        tag: required Tag = "Tag", "Tag of the event.";
        magnitude: optional Number = "Magnitude", "Magnitude of the event.";
        instigator: optional Name = "Instigator", "Controller that caused it.";
        target: optional Name = "Target", "Target of the event.";
        hit: optional HitDoc = "Hit", "The hit that led to it: its controller is a target of the event.";
        causer: optional ActorText = "Causer", "Id of the actor that physically caused it.";
        origin: optional Vector<3> = "Origin", "World location that it comes from.";
        payload: optional NamedMap<Name, PlainValue> = "Payload", "Numbers of its payload, by name.";
        context_tags: list Tag = "ContextTags", "Tags that describe how it happened.";
    }
}

record! {
    /// The completion of a host task.
    CompleteTaskDoc, "completed task" {
        controller: required Name = "Controller", "Controller of the task.";
        kind: required Name = "Type", "Type of the task.";
        outcome: optional Choice<TaskOutcome> = "Outcome", "How it ended (default: Completed).";
    }
}

record! {
    /// Targets for a task that waits for them.
    TargetsDoc, "targets" {
        controller: required Name = "Controller", "Controller of the task.";
        kind: optional Name = "Type", "Type of the task (default: WaitTargetData).";
        targets: list Name = "Targets", "The controllers.";
        location: optional Vector<3> = "Location", "Target location.";
    }
}

record! {
    /// New position of a controller.
    MoveDoc, "move" {
        controller: required Name = "Controller", "Controller that moves.";
        position: required Vector<3> = "Position", "New position.";
        facing: optional Vector<3> = "Facing", "New facing direction (default: none).";
    }
}
