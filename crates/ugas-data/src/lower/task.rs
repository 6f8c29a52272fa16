//! Conversion of tasks (§10): from parameters by name to the core's definitions.
//!
//! The checks report invalid parameters. Here, a task without a required parameter is left out, and any other
//! invalid parameter gets its default.

use std::collections::BTreeSet;

use ugas_core::targeting::{Confirmation, Shape, TargetingDef};
use ugas_core::task::{
    ActionDef, ApplyDef, CommitDef, Comparison, ContainerUseDef, CueTaskDef, DespawnDef, EffectFilterDef,
    HostValue, NumberDef, OffsetDef, Recipient, RemoveDef, SendEventDef, SpawnDef, TaskDef, WaitDef,
};

use super::effect::query;
use super::targeting;
use crate::decode::{Field, Word};
use crate::diagnostics::Sink;
use crate::model::ability::{TargetingDoc, TargetingMethod, TaskDoc};
use crate::model::effect::TagQueryDoc;
use crate::node::{Node, Value};

/// Context for the tasks of one ability.
pub(super) struct Tasks<'a> {
    /// Tasks of native code, which take precedence over host tasks of the same name.
    pub(super) custom: &'a BTreeSet<&'a str>,
    /// Targeting of the ability, the default for tasks without their own.
    pub(super) targeting: Option<&'a TargetingDoc>,
    /// Tags whose targets the ability spares (`IgnoreTargetsWithTag`).
    pub(super) ignored_tags: &'a [String],
}

impl Tasks<'_> {
    /// Converts a list of tasks; invalid ones are left out.
    pub(super) fn list(&self, docs: &[TaskDoc]) -> Vec<TaskDef> {
        docs.iter().filter_map(|doc| self.task(doc)).collect()
    }

    /// Converts a task. A type that is not built in is a custom task if native code is registered under it,
    /// else a host task. `None` without a type or without a required parameter.
    fn task(&self, doc: &TaskDoc) -> Option<TaskDef> {
        let nothing = Node::default();
        let params = doc.params.as_ref().map_or(&nothing, |params| &params.0);
        let kind = doc.kind.as_ref()?.value.as_str();
        if let Some(flow) = self.flow(kind, params) {
            return Some(flow);
        }
        if let Some(wait) = self.wait(kind, Params(params)) {
            return wait.map(TaskDef::Wait);
        }
        if let Some(action) = action(kind, Params(params)) {
            return action.map(|action| TaskDef::Act(self.with_targeting(action)));
        }
        let (name, entries) = (kind.to_owned(), params.entries().iter());
        Some(match self.custom.contains(kind) {
            true => TaskDef::Custom {
                name,
                params: entries
                    .filter_map(|entry| Some((entry.key.value.clone(), number(&entry.value)?)))
                    .collect(),
            },
            false => TaskDef::Host {
                kind: name,
                params: entries
                    .filter_map(|entry| Some((entry.key.value.clone(), host_value(&entry.value)?)))
                    .collect(),
            },
        })
    }

    /// Adds the targeting and the ignored tags of the ability to an application: a task without a target uses
    /// the ability's targeting (A16). A chain is left out, because it finds its own targets.
    fn with_targeting(&self, mut action: ActionDef) -> ActionDef {
        if let ActionDef::ApplyToTarget(apply) = &mut action {
            let is_chain = |doc: &TargetingDoc| targeting::method(doc) == TargetingMethod::Chain;
            apply.targeting = self.targeting.filter(|doc| !is_chain(doc)).map(targeting::targeting);
        }
        if let ActionDef::ApplyToTarget(apply) | ActionDef::ApplyInRadius(apply) = &mut action {
            apply.ignore_tags.extend_from_slice(self.ignored_tags);
        }
        action
    }

    /// Adds the tags that the ability ignores to the excluded tags of a targeting.
    pub(super) fn sparing(&self, mut targeting: TargetingDef) -> TargetingDef {
        targeting.exclude_tags.extend_from_slice(self.ignored_tags);
        targeting
    }

    /// Converts a task that controls the flow; `None` if the type is not one of them.
    fn flow(&self, kind: &str, params: &Node) -> Option<TaskDef> {
        let tasks = |key: &str| params.get(key).map(|node| self.nested(node)).unwrap_or_default();
        let number = |key: &str| params.get(key).and_then(number);
        let branches = || {
            let branches = params.get("Branches").map(Node::items).unwrap_or_default();
            branches.iter().map(|branch| self.nested(branch)).collect()
        };
        Some(match kind {
            "Sequence" => TaskDef::Sequence(tasks("Tasks")),
            "Race" => TaskDef::Race(branches()),
            "All" => TaskDef::All(branches()),
            "Repeat" => TaskDef::Repeat {
                count: number("Count"),
                interval: number("Interval"),
                tasks: tasks("Tasks"),
            },
            "If" => TaskDef::If {
                condition: number("Condition").unwrap_or(NumberDef::Value(0.0)),
                then: tasks("Then"),
                otherwise: tasks("Else"),
            },
            "EndAbility" => TaskDef::EndAbility,
            "CancelAbility" => TaskDef::CancelAbility,
            _ => return None,
        })
    }

    /// Nested tasks: a list, one task by itself (a mapping with `Type`), or a mapping that has them under
    /// `Tasks`. Invalid ones are left out without a report; the checks report them.
    fn nested(&self, node: &Node) -> Vec<TaskDef> {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            Value::Map(_) if node.get("Type").is_none() => {
                return node.get("Tasks").map(|tasks| self.nested(tasks)).unwrap_or_default();
            }
            Value::Map(_) => std::slice::from_ref(node),
            _ => &[],
        };
        // The checks report their problems.
        let mut ignored = Sink::with_limit(0);
        let docs = items.iter().filter_map(|item| TaskDoc::decode(item, &mut ignored));
        docs.filter_map(|doc| self.task(&doc)).collect()
    }

    /// Wait definition; `None` if the type is not a wait, `Some(None)` if a required parameter is missing.
    fn wait(&self, kind: &str, params: Params<'_>) -> Option<Option<WaitDef>> {
        let tag = || params.text("Tag").or_else(|| params.text("WaitTag"));
        Some(match kind {
            "WaitDelay" => params.number("Duration").map(WaitDef::Delay),
            "WaitGameTime" => params.number("Time").map(WaitDef::GameTime),
            "WaitGameplayEvent" => params.text("EventTag").map(|tag| WaitDef::Event {
                tag,
                exact: params.flag("Exact").unwrap_or(false),
                once: params.flag("OnlyTriggerOnce").unwrap_or(true),
            }),
            "WaitInputPressed" => Some(WaitDef::InputPressed(params.text("InputID"))),
            "WaitInputRelease" => Some(WaitDef::InputReleased(params.text("InputID"))),
            "WaitTagAdded" => tag().map(WaitDef::TagAdded),
            "WaitTagRemoved" => tag().map(WaitDef::TagRemoved),
            "WaitTagChanged" if params.flag("AnyCount").unwrap_or(false) => {
                tag().map(WaitDef::TagCountChanged)
            }
            "WaitTagChanged" => tag().map(WaitDef::TagChanged),
            "WaitTagQuery" => {
                let doc = params.doc::<TagQueryDoc>("Query");
                doc.map(|doc| WaitDef::TagQuery(query(&Some(doc))))
            }
            "WaitAttributeChange" => params.text("Attribute").map(WaitDef::AttributeChange),
            "WaitAttributeThreshold" => {
                params.text("Attribute").map(|attribute| WaitDef::AttributeThreshold {
                    attribute,
                    comparison: params.word("Comparison").unwrap_or(Comparison::LessEqual),
                    threshold: params.number("Threshold").unwrap_or(NumberDef::Value(0.0)),
                    ratio_to: params.text("RatioTo"),
                })
            }
            "WaitEffectApplied" => Some(WaitDef::EffectApplied(params.effect_filter())),
            "WaitEffectRemoved" => Some(WaitDef::EffectRemoved(params.effect_filter())),
            "WaitEffectBlocked" => Some(WaitDef::EffectBlocked(params.effect_filter())),
            "WaitEffectStackChange" => Some(WaitDef::EffectStackChange(params.effect_filter())),
            "WaitAbilityActivate" => Some(WaitDef::AbilityActivate(params.texts("Tags"))),
            "WaitAbilityCommit" => Some(WaitDef::AbilityCommit(params.texts("Tags"))),
            "WaitAbilityEnd" => Some(WaitDef::AbilityEnd(params.texts("Tags"))),
            "WaitConfirmCancel" | "WaitConfirm" => Some(WaitDef::ConfirmCancel),
            "WaitTargetData" => Some(self.target_data(params)),
            "WaitNetSync" => Some(WaitDef::NetSync { max_delay: params.number("MaxDelay") }),
            _ => return None,
        })
    }

    /// Converts `WaitTargetData`: with the targeting of the task, else of the ability. With an unknown
    /// method, as in the later drafts, the host provides the targets.
    fn target_data(&self, params: Params<'_>) -> WaitDef {
        let own = params.doc::<TargetingDoc>("Targeting");
        let mut chosen = own.as_ref().or(self.targeting).map(targeting::targeting).unwrap_or_default();
        let word = params.text("TargetingMethod");
        let known = word.as_deref().and_then(TargetingMethod::from_word);
        let is_hosts = word.is_some() && known.is_none();
        match known {
            Some(TargetingMethod::SelfOnly) => chosen.shape = Shape::SelfOnly,
            Some(TargetingMethod::ActivationTarget) => chosen.shape = Shape::ActivationTarget,
            Some(TargetingMethod::Nearest) => chosen.shape = Shape::Nearest,
            Some(TargetingMethod::Radius) => chosen.shape = Shape::Radius,
            // These methods need measures, which only a targeting has.
            Some(
                TargetingMethod::Cone | TargetingMethod::Line | TargetingMethod::Box | TargetingMethod::Chain,
            )
            | None => {}
        }
        if let Some(NumberDef::Value(range)) = params.number("MaxRange") {
            chosen = TargetingDef { range: Some(range), ..chosen };
        }
        let natural = if is_hosts { Confirmation::Custom } else { Confirmation::Instant };
        WaitDef::TargetData {
            targeting: self.sparing(chosen),
            confirmation: params.word("Confirmation").unwrap_or(natural),
            max_delay: params.number("MaxDelay"),
        }
    }
}

/// Action definition; `None` if the type is not an action, `Some(None)` if a required parameter is missing.
fn action(kind: &str, params: Params<'_>) -> Option<Option<ActionDef>> {
    Some(match kind {
        "Commit" => Some(ActionDef::Commit(params.commit())),
        "CommitCost" => Some(ActionDef::CommitCost(params.commit())),
        "CommitCooldown" => Some(ActionDef::CommitCooldown(params.commit())),
        "ApplyEffectToOwner" => params.apply().map(ActionDef::ApplyToOwner),
        "ApplyEffectToTarget" => params.apply().map(ActionDef::ApplyToTarget),
        "ApplyEffectToActorsInRadius" => params.apply().map(ActionDef::ApplyInRadius),
        "ApplyContainer" => params
            .text("Container")
            .map(|container| ActionDef::ApplyContainer(ContainerUseDef { container, to: params.word("To") })),
        "RemoveEffectFromOwner" => params.remove().map(ActionDef::RemoveFromOwner),
        "RemoveEffectFromTarget" => params.remove().map(ActionDef::RemoveFromTarget),
        "SendEvent" => params.text("Tag").map(|tag| {
            ActionDef::SendEvent(SendEventDef {
                to: params.word("To").unwrap_or(Recipient::Owner),
                magnitude: params.number("Magnitude"),
                target: params.word("Target"),
                payload: params.numbers("Payload"),
                context_tags: params.texts("ContextTags"),
                ..SendEventDef::new(tag)
            })
        }),
        "ExecuteCue" => params.cue().map(ActionDef::ExecuteCue),
        "AddCue" => params.cue().map(ActionDef::AddCue),
        "RemoveCue" => params.cue().map(ActionDef::RemoveCue),
        "SetParameter" => params.text("Name").map(|name| ActionDef::SetParameter {
            name,
            value: params.number("Value").unwrap_or(NumberDef::Value(0.0)),
        }),
        "ActivateAbility" => Some(match params.text("Ability") {
            Some(ability) => ActionDef::ActivateAbility(ability),
            None => ActionDef::ActivateAbilitiesWithTags(params.texts("Tags")),
        }),
        "SpawnController" => params.spawn().map(ActionDef::SpawnController),
        "DespawnController" => params.despawn().map(ActionDef::DespawnController),
        _ => return None,
    })
}

/// The parameters of a task.
#[derive(Clone, Copy)]
struct Params<'a>(&'a Node);

impl Params<'_> {
    /// Number of a parameter: a literal, or an expression. `None` if it is missing or neither.
    fn number(self, key: &str) -> Option<NumberDef> {
        number(self.0.get(key)?)
    }

    /// Text of a parameter; `None` if it is absent or of another type.
    fn text(self, key: &str) -> Option<String> {
        self.0.get(key)?.text().map(str::to_owned)
    }

    /// Texts of a list parameter; empty if it is absent or a text by itself.
    fn items(self, key: &str) -> Vec<String> {
        let items = self.0.get(key).map(Node::items).unwrap_or_default();
        items.iter().filter_map(Node::text).map(str::to_owned).collect()
    }

    /// Texts of a parameter that is a list or one text by itself; empty if it is absent.
    fn texts(self, key: &str) -> Vec<String> {
        let Some(node) = self.0.get(key) else { return Vec::new() };
        let own = node.text().into_iter().chain(node.items().iter().filter_map(Node::text));
        own.map(str::to_owned).collect()
    }

    /// Value of a boolean parameter; `None` if it is absent or of another type.
    fn flag(self, key: &str) -> Option<bool> {
        match self.0.get(key)?.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// Value of a parameter that is one of a list of words; `None` if it is absent or unknown.
    fn word<T: Word>(self, key: &str) -> Option<T> {
        T::from_word(self.0.get(key)?.text()?)
    }

    /// Decodes a parameter as a record; `None` if it is absent or invalid, which the checks report.
    fn doc<T: Field>(self, key: &str) -> Option<T> {
        T::decode(self.0.get(key)?, &mut Sink::with_limit(0))
    }

    /// Filter of effects by definition and tags; without both it matches every effect.
    fn effect_filter(self) -> EffectFilterDef {
        EffectFilterDef { effect: self.text("Effect"), tags: self.texts("Tags") }
    }

    /// Numbers or expressions by name; other values are left out.
    fn numbers(self, key: &str) -> Vec<(String, NumberDef)> {
        let entries = self.0.get(key).map(Node::entries).unwrap_or_default().iter();
        entries.filter_map(|entry| Some((entry.key.value.clone(), number(&entry.value)?))).collect()
    }

    /// Cue with its recipient; `None` without `Cue`.
    fn cue(self) -> Option<CueTaskDef> {
        Some(CueTaskDef { cue: self.text("Cue")?, to: self.word("To").unwrap_or_default() })
    }

    /// Commit settings; a missing `OnFail` is the default.
    fn commit(self) -> CommitDef {
        CommitDef { on_fail: self.word("OnFail").unwrap_or_default() }
    }

    /// Application of an effect; `None` without `EffectClass`.
    fn apply(self) -> Option<ApplyDef> {
        Some(ApplyDef {
            level: self.number("Level"),
            set_by_caller: self.numbers("SetByCaller"),
            name: self.text("As"),
            max_range: self.number("MaxRange"),
            radius: self.number("Radius"),
            require_tag: self.text("RequireTag"),
            // One tag by itself, or a list of them.
            ignore_tag: self.text("IgnoreTargetsWithTag"),
            ignore_tags: self.items("IgnoreTargetsWithTag"),
            to: self.word("To"),
            ..ApplyDef::new(self.text("EffectClass")?)
        })
    }

    /// Spawn definition; `None` without `Template`, or if an `Offset` has a part that is no number.
    fn spawn(self) -> Option<SpawnDef> {
        let offset = match self.0.get("Offset").map(Node::items) {
            Some([x, y, z]) => Some(OffsetDef { x: number(x)?, y: number(y)?, z: number(z)? }),
            _ => None,
        };
        Some(SpawnDef {
            count: self.number("Count"),
            at: self.word("At").unwrap_or_default(),
            offset,
            team: self.text("Team"),
            lifetime: self.number("Lifetime"),
            bound: self.flag("Bound").unwrap_or(false),
            name: self.text("As"),
            ..SpawnDef::new(self.text("Template")?)
        })
    }

    /// Despawn definition; `None` if it names no controller, by name, tags or recipient.
    fn despawn(self) -> Option<DespawnDef> {
        let despawn = DespawnDef { name: self.text("As"), tags: self.texts("Tags"), to: self.word("To") };
        let says_which = despawn.name.is_some() || !despawn.tags.is_empty() || despawn.to.is_some();
        says_which.then_some(despawn)
    }

    /// Removal definition; `None` if it names no effect, by definition, name or tags.
    fn remove(self) -> Option<RemoveDef> {
        let remove = RemoveDef {
            effect: self.text("EffectClass"),
            name: self.text("As"),
            tags: self.texts("Tags"),
            stacks: self.number("Stacks"),
            to: self.word("To"),
        };
        let says_which = remove.effect.is_some() || remove.name.is_some() || !remove.tags.is_empty();
        says_which.then_some(remove)
    }
}

/// Number or expression of a parameter; `None` for any other value.
fn number(node: &Node) -> Option<NumberDef> {
    match &node.value {
        Value::Number(number) => Some(NumberDef::Value(*number)),
        Value::Text(text) => Some(NumberDef::Expression(text.clone())),
        _ => None,
    }
}

/// Plain data for the host; `None` for null.
fn host_value(node: &Node) -> Option<HostValue> {
    Some(match &node.value {
        Value::Null => return None,
        Value::Bool(flag) => HostValue::Flag(*flag),
        Value::Number(number) => HostValue::Number(*number),
        Value::Text(text) => HostValue::Text(text.clone()),
        Value::List(items) => HostValue::List(items.iter().filter_map(host_value).collect()),
        Value::Map(entries) => HostValue::Map(
            entries
                .iter()
                .filter_map(|entry| Some((entry.key.value.clone(), host_value(&entry.value)?)))
                .collect(),
        ),
    })
}
