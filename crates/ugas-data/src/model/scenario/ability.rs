//! Steps about abilities, input, events, tasks and targets.

use ugas_core::task::TaskOutcome;

use super::HitDoc;
use crate::decode::{ActorText, Choice, Flag, Integer, NamedMap, Number, PlainValue, Vector, record};
use crate::model::{AbilityName, InputName, Name, Tag};

record! {
    /// The grant of an ability.
    GrantDoc, "grant" {
        controller: required Name = "Controller", "Who gets it.";
        ability: required AbilityName = "Ability", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        input: optional InputName = "InputID", "Input that it is bound to.";
        parameters: optional NamedMap<Name, PlainValue> = "Parameters", "Numbers and booleans in the place of the definition's.";
        dynamic_tags: list Tag = "DynamicTags", "Tags that describe the granted ability besides its AbilityTags; they count as source tags of its effects.";
        alias: optional Name = "As", "Name of the grant for later steps.";
    }
}

record! {
    /// Another level of a granted ability.
    SetLevelDoc, "new level" {
        controller: optional Name = "Controller", "Whose ability; not needed for a name given by `As`.";
        ability: required Name = "Ability", "A name given by `As`, or an ability.";
        level: required Integer<1, 4294967295> = "Level", "Its new level.";
    }
}

record! {
    /// The activation of an ability.
    ActivateDoc, "activation" {
        controller: required Name = "Controller", "Whose ability.";
        ability: required AbilityName = "Ability", "The ability.";
        target: optional Name = "Target", "Whom it is aimed at.";
        targets: list Name = "Targets", "Whom it is aimed at, if at several.";
        location: optional Vector<3> = "Location", "Where it is aimed at.";
        alias: optional Name = "As", "Name of the activation for later steps.";
    }
}

record! {
    /// The cancellation of several abilities.
    CancelAllDoc, "cancellation" {
        controller: required Name = "Controller", "Whose abilities.";
        with: list Tag = "WithTags", "Only abilities with one of these (default: all).";
        without: list Tag = "WithoutTags", "But none with one of these.";
    }
}

record! {
    /// An input that is pressed or released, or an answer of the player.
    InputDoc, "input" {
        controller: required Name = "Controller", "Whose input.";
        press: optional InputName = "Press", "The input that is pressed.";
        target: optional Name = "Target", "Controller that abilities which the press activates are aimed at.";
        release: optional InputName = "Release", "The input that is released.";
        confirm: optional Flag = "Confirm", "Whether the player confirms what waits for it.";
        decline: optional Flag = "Decline", "Whether the player declines what waits for a confirmation.";
    }
}

record! {
    /// A gameplay event.
    EventDoc, "gameplay event" {
        controller: required Name = "Controller", "Who gets it.";
        tag: required Tag = "Tag", "What happened.";
        magnitude: optional Number = "Magnitude", "How much.";
        instigator: optional Name = "Instigator", "Who caused it.";
        target: optional Name = "Target", "With whom.";
        hit: optional HitDoc = "Hit", "The hit that led to it: its controller is a target of the event.";
        causer: optional ActorText = "Causer", "Id of the actor that physically caused it.";
        origin: optional Vector<3> = "Origin", "World location that it comes from.";
        payload: optional NamedMap<Name, PlainValue> = "Payload", "Numbers of its payload, by name.";
        context_tags: list Tag = "ContextTags", "Tags that describe how it happened.";
    }
}

record! {
    /// The end of a task that the host carries out.
    CompleteTaskDoc, "completed task" {
        controller: required Name = "Controller", "Whose task.";
        kind: required Name = "Type", "Type of the task.";
        outcome: optional Choice<TaskOutcome> = "Outcome", "How it ended (default: Completed).";
    }
}

record! {
    /// Targets for a task that waits for them.
    TargetsDoc, "targets" {
        controller: required Name = "Controller", "Whose task.";
        kind: optional Name = "Type", "Type of the task (default: WaitTargetData).";
        targets: list Name = "Targets", "The controllers.";
        location: optional Vector<3> = "Location", "The place.";
    }
}

record! {
    /// A controller that is somewhere else now.
    MoveDoc, "move" {
        controller: required Name = "Controller", "Who.";
        position: required Vector<3> = "Position", "Where it is.";
        facing: optional Vector<3> = "Facing", "Where it looks (default: nowhere in particular).";
    }
}
