//! Effects (§9.10).

use serde_json::{Value as Json, json};
use ugas_core::effect::magnitude::CaptureFrom;
use ugas_core::effect::{
    AbilityRemoval, AdditionalTo, DurationRefresh, ExecutionPolicy, PeriodReset, PeriodicInhibition,
    StackExpiration, StackingType,
};
use ugas_core::prediction::{Prediction, Randomness};

use super::magnitude::{MagnitudeDoc, ModifierDoc, OperationWord, TagRequirementDoc};
use super::{
    AbilityName, AttributeName, CalculationName, CueTag, DataTag, EffectName, GrantedTag, InputName,
    MetadataDoc, Name, Tag,
};
use crate::decode::{
    Choice, Definitions, Field, Flag, Formula, Integer, NamedMap, NonNegative, Number, Text, Visitor, choice,
    record,
};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Value};

/// Duration policy of an effect (§9.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DurationPolicy {
    /// Changes base values once and does not stay.
    Instant,
    /// Ends when its duration is over.
    HasDuration,
    /// Lasts until it is removed.
    Infinite,
}

/// The shape of an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AreaShape {
    /// Sphere around the origin.
    Sphere,
    /// Cone along the facing.
    Cone,
}

/// Team relation of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Affiliation {
    /// Any controller.
    Any,
    /// Controllers of the same team.
    Allied,
    /// Controllers of another team.
    Hostile,
    /// Controllers that are neither allied nor hostile.
    Neutral,
    /// The source itself.
    SelfOnly,
    /// Any controller but the source.
    ExcludeSelf,
}

choice! {
    DurationPolicy { "Instant" => Self::Instant, "HasDuration" => Self::HasDuration, "Infinite" => Self::Infinite }
    ExecutionPolicy {
        "RunInParallel" => Self::RunInParallel,
        "RunInSequence" => Self::RunInSequence,
        "RunInMerge" => Self::RunInMerge,
    }
    StackingType { "AggregateBySource" => Self::AggregateBySource, "AggregateByTarget" => Self::AggregateByTarget }
    DurationRefresh { "Refresh" => Self::Refresh, "Never" => Self::Never, "Extend" => Self::Extend }
    PeriodReset { "Reset" => Self::Reset, "Never" => Self::Never }
    StackExpiration {
        "ClearAll" => Self::ClearAll,
        "RemoveOneAndRefresh" => Self::RemoveOneAndRefresh,
        "Refresh" => Self::Refresh,
    }
    PeriodicInhibition {
        "NeverReset" => Self::NeverReset,
        "Reset" => Self::Reset,
        "ExecuteAndReset" => Self::ExecuteAndReset,
    }
    AdditionalTo { "Target" => Self::Target, "Source" => Self::Source }
    AbilityRemoval {
        "CancelImmediately" => Self::CancelImmediately,
        "RemoveOnEnd" => Self::RemoveOnEnd,
        "Keep" => Self::Keep,
    }
    AreaShape { "Sphere" => Self::Sphere, "Cone" => Self::Cone }
    Affiliation {
        "Any" => Self::Any,
        "Allied" => Self::Allied,
        "Hostile" => Self::Hostile,
        "Neutral" => Self::Neutral,
        "SelfOnly" => Self::SelfOnly,
        "ExcludeSelf" => Self::ExcludeSelf,
    }
}

/// An item of a tag query: a tag or another query (T4).
#[derive(Clone, PartialEq, Debug)]
pub enum TagQueryItemDoc {
    /// The tag or a descendant is present.
    Tag(Tag),
    /// The nested query holds.
    Query(TagQueryDoc),
}

impl Field for TagQueryItemDoc {
    /// Decodes a text as a tag and a mapping as a nested query. Anything else is reported.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match &node.value {
            Value::Map(_) => TagQueryDoc::decode(node, sink).map(Self::Query),
            Value::Text(_) => Tag::decode(node, sink).map(Self::Tag),
            _ => {
                sink.push(codes::field::wrong_type(node, "a tag or a tag query"));
                None
            }
        }
    }

    fn encode(&self) -> Value {
        match self {
            Self::Tag(tag) => tag.encode(),
            Self::Query(query) => query.encode(),
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        json!({ "anyOf": [Tag::schema(definitions), TagQueryDoc::schema(definitions)] })
    }

    fn visit<'a>(&'a self, visitor: &mut dyn Visitor<'a>) {
        match self {
            Self::Tag(tag) => tag.visit(visitor),
            Self::Query(query) => query.visit(visitor),
        }
    }
}

record! {
    /// A nested condition on tags (T4).
    TagQueryDoc, "tag query" {
        all: list TagQueryItemDoc = "All", "Every one of these holds.";
        any: list TagQueryItemDoc = "Any", "At least one of these holds.";
        none: list TagQueryItemDoc = "None", "None of these holds.";
    }
}

record! {
    /// Repeated execution (§9.3).
    PeriodDoc, "period" {
        period: required Number = "Period", "Seconds between executions.";
        execute_on_application: optional Flag = "ExecuteOnApplication", "Whether it also executes when it is applied (default: false).";
    }
}

record! {
    /// Modifier that applies within one execution only.
    ScopedModifierDoc, "scoped modifier" {
        attribute: optional AttributeName = "Attribute", "The captured attribute that it changes; or use Variable.";
        variable: optional Name = "Variable", "The transient variable that it changes; or use Attribute.";
        source: optional Choice<CaptureFrom> = "Source", "Controller whose attribute it is (default: Source).";
        operation: required Choice<OperationWord> = "Operation", "What it does.";
        magnitude: required MagnitudeDoc = "Magnitude", "By how much.";
    }
}

record! {
    /// A calculation that the effect executes (§9.5).
    ExecutionDoc, "execution" {
        calculator_class: required CalculationName = "CalculatorClass", "The calculation.";
        modifiers: list ScopedModifierDoc = "Modifiers", "Modifiers of its inputs.";
    }
}

record! {
    /// An ability granted while the effect is active (§9.8).
    AbilityGrantDoc, "granted ability" {
        ability: required AbilityName = "AbilityClass", "The ability.";
        level: optional Integer<1, 4294967295> = "Level", "Its level (default: 1).";
        input: optional InputName = "InputID", "Input that it is bound to.";
        remove_on_removal: optional Flag = "RemoveOnEffectRemoval", "Whether it is removed with the effect (default: true).";
        removal: optional Choice<AbilityRemoval> = "RemovalPolicy", "How it is removed with the effect (default: CancelImmediately).";
        activate_on_grant: optional Flag = "ActivateOnGrant", "Whether it is activated at once (default: false).";
        dynamic_tags: list Tag = "DynamicTags", "Tags that describe the granted ability besides its AbilityTags; they count as source tags of its effects.";
    }
}

record! {
    /// Stacking rules (E5).
    StackingDoc, "stacking" {
        kind: required Choice<StackingType> = "Type", "Which applications share a stack.";
        limit: optional Integer<0, 4294967295> = "Limit", "Most stacks; 0 is no limit (default: 0).";
        duration_refresh: optional Choice<DurationRefresh> = "DurationRefresh", "What a new stack does to the time left (default: Refresh).";
        max_duration: optional NonNegative = "MaxDuration", "Cap of the time left, in seconds, under Extend.";
        period_reset: optional Choice<PeriodReset> = "PeriodReset", "What a new stack does to the period (default: Reset).";
        expiration: optional Choice<StackExpiration> = "Expiration", "What the end of the duration does (default: ClearAll).";
        overflow_effects: list EffectName = "OverflowEffects", "Applied when the limit is hit.";
        deny_overflow: optional Flag = "DenyOverflow", "Refuses applications beyond the limit (default: false).";
        clear_on_overflow: optional Flag = "ClearOnOverflow", "Removes the stack when the limit is hit (default: false).";
    }
}

record! {
    /// Effects applied when an effect ends (E10).
    ExpirationEffectsDoc, "expiration effects" {
        routine: list EffectName = "Routine", "Applied when its duration is over.";
        premature: list EffectName = "Premature", "Applied when it is removed early.";
        always: list EffectName = "Always", "Applied in either case.";
    }
}

record! {
    /// An effect applied along with another.
    AdditionalEffectDoc, "additional effect" {
        effect: required EffectName = "Effect", "The effect.";
        to: optional Choice<AdditionalTo> = "To", "Controller that it is applied to (default: Target).";
        source_tags: optional TagRequirementDoc = "SourceTags", "Tags that the source must and must not have.";
        target_tags: optional TagRequirementDoc = "TargetTags", "Tags that the target must and must not have.";
        context_tags: optional TagRequirementDoc = "ContextTags", "Context tags that the application must and must not have.";
        set_by_caller: optional NamedMap<DataTag, Formula> = "SetByCaller", "Numbers for the effect by tag: expressions over source and target of the parent, evaluated after it executed.";
    }
}

record! {
    /// The area that an effect covers (later drafts, §17).
    AreaDoc, "area" {
        shape: required Choice<AreaShape> = "Shape", "Its shape.";
        radius: required MagnitudeDoc = "Radius", "Its radius.";
        half_angle: optional NonNegative = "HalfAngleDeg", "Half the opening angle of a cone, 0 to 180 degrees.";
        require_tags: list Tag = "RequireTags", "Targets must have all of these.";
        exclude_tags: list Tag = "ExcludeTags", "Targets must have none of these.";
        affiliation: optional Choice<Affiliation> = "Affiliation", "Team relation of targets (default: ExcludeSelf).";
        max_targets: optional Integer<0, 4294967295> = "MaxTargets", "Most targets; 0 is no limit.";
    }
}

record! {
    /// A gameplay effect (§9.10).
    EffectDoc, "gameplay effect" {
        name: required Name = "Name", "Unique name of the effect.";
        duration_policy: required Choice<DurationPolicy> = "DurationPolicy", "Whether it is instant, has a duration, or is infinite.";
        duration: optional MagnitudeDoc = "Duration", "Seconds that it lasts, with DurationPolicy: HasDuration.";
        period: optional PeriodDoc = "Period", "Makes it execute repeatedly.";
        policy: optional Choice<ExecutionPolicy> = "ExecutionPolicy", "How several instances interact (default: RunInParallel).";
        priority: optional Integer<-2147483648, 2147483647> = "Priority", "Rank among overrides (default: 0).";
        modifiers: list ModifierDoc = "Modifiers", "Attribute changes.";
        executions: list ExecutionDoc = "Executions", "Calculations.";
        granted_tags: list GrantedTag = "GrantedTags", "Tags the target has while the effect is active.";
        asset_tags: list Tag = "AssetTags", "Tags that describe the effect and match queries.";
        application_required_tags: list Tag = "ApplicationRequiredTags", "The target must have all of these.";
        application_blocked_tags: list Tag = "ApplicationBlockedTags", "The target must have none of these.";
        source_required_tags: list Tag = "SourceRequiredTags", "The source must have all of these.";
        source_blocked_tags: list Tag = "SourceBlockedTags", "The source must have none of these.";
        application_query: optional TagQueryDoc = "ApplicationQuery", "Tag query that must hold for the target.";
        ongoing_required_tags: list Tag = "OngoingRequiredTags", "While the target lacks one, the effect is inhibited.";
        ongoing_blocked_tags: list Tag = "OngoingBlockedTags", "While the target has one, the effect is inhibited.";
        remove_on_tags: list Tag = "RemoveOnTags", "As soon as the target has one, the effect is removed.";
        remove_effects_with_tags: list Tag = "RemoveEffectsWithTags", "On success, removes the target's effects that have one of these.";
        immunity_tags: list Tag = "ImmunityTags", "While active, refuses effects with these.";
        immunity_query: optional TagQueryDoc = "ImmunityQuery", "While active, refuses effects for which this holds.";
        block_abilities_with_tags: list Tag = "BlockAbilitiesWithTags", "While active, abilities with these cannot be activated.";
        cancel_abilities_with_tags: list Tag = "CancelAbilitiesWithTags", "On application, active abilities with these are cancelled.";
        chance: optional MagnitudeDoc = "ChanceToApply", "Probability of an application, 0 to 1.";
        requirement: optional CalculationName = "ApplicationRequirement", "Calculation that must give true.";
        periodic_inhibition: optional Choice<PeriodicInhibition> = "PeriodicInhibition", "What an inhibition does to the period (default: NeverReset).";
        stacking: optional StackingDoc = "Stacking", "Stacking rules.";
        expiration_effects: optional ExpirationEffectsDoc = "ExpirationEffects", "Effects applied when it ends.";
        additional_effects: list AdditionalEffectDoc = "AdditionalEffects", "Effects applied along with it.";
        granted_abilities: list AbilityGrantDoc = "GrantedAbilities", "Abilities granted while it is active.";
        cues: list CueTag = "GameplayCues", "Cues.";
        cue_magnitude: optional AttributeName = "CueMagnitude", "Attribute whose modifier feeds a cue's magnitude.";
        prediction: optional Choice<Prediction> = "Prediction", "How far a client predicts it before the server confirms (default: as far as it has the information).";
        randomness: optional Choice<Randomness> = "Randomness", "Which side draws its random numbers (default: ServerOnly).";
        area: optional AreaDoc = "Area", "The area that it covers.";
        description: optional Text = "Description", "Text for people.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}

impl EffectDoc {
    /// Whether an application of the effect can change anything. Asset tags count, because other effects may
    /// react to them.
    pub(crate) fn does_something(&self) -> bool {
        let lists: [bool; 8] = [
            self.modifiers.is_empty(),
            self.executions.is_empty(),
            self.granted_tags.is_empty() && self.cues.is_empty(),
            self.granted_abilities.is_empty(),
            self.additional_effects.is_empty() && self.expiration_effects.is_none(),
            self.remove_effects_with_tags.is_empty() && self.immunity_tags.is_empty(),
            self.block_abilities_with_tags.is_empty() && self.cancel_abilities_with_tags.is_empty(),
            self.immunity_query.is_none() && self.asset_tags.is_empty(),
        ];
        lists.contains(&false)
    }
}
