//! Names in a scenario: those of its pack, of its controllers, and those that its steps assign with `As`.

use std::collections::BTreeSet;

use ugas_core::controller::SummonName;
use ugas_core::nearest::nearest;

use super::references::Checker;
use super::{Index, Names, Scope, ignored, tasks};
use crate::decode::{Field, ReferenceKind};
use crate::diagnostics::{Severity, Sink, codes};
use crate::model::Name;
use crate::model::scenario::{ActorDoc, ControllerExpectDoc, ExpectDoc, ScenarioDoc, StepRecord};
use crate::source::{SourceMap, Spanned};

/// Outcome codes that `Last` accepts.
pub(crate) const OUTCOMES: &[&str] = &[
    "Ok",
    "ControllerInactive",
    "NotGranted",
    "AlreadyActive",
    "NoAvatar",
    "BlockedByAbility",
    "MissingTags",
    "BlockedTags",
    "OnCooldown",
    "CannotAfford",
    "NoCharges",
    "OutOfRange",
    "Immune",
    "ApplicationRequirements",
    "RequirementFailed",
    "RefusedByHook",
    "ChanceFailed",
    "StackOverflow",
    "StillActive",
    "CircularDependency",
    "MissingSetByCaller",
    "InvalidPeriod",
    "NonFinite",
    "MissingCalculation",
    "MissingCurve",
    "AuthoritativeOnly",
    "NotAuthorised",
    "NotPredicted",
    "ClientOnly",
    "UnknownController",
    "UnknownEffect",
    "UnknownAbility",
    "UnknownHandle",
    "LimitReached",
    "MissingAttribute",
    "MissingParameter",
    "FixedParameter",
    "CalculationFailed",
    "CustomTaskFailed",
    "AlreadyRegistered",
    "NotRegistered",
    "IncompatibleSets",
];

/// Kinds of events that `Count` accepts.
pub(crate) const EVENTS: [&str; 56] = [
    "ControllerSpawned",
    "ControllerDespawned",
    "OwnerChanged",
    "AvatarChanged",
    "AttributeSetAdded",
    "AttributeSetRemoved",
    "AttributeChanged",
    "TagAdded",
    "TagRemoved",
    "TagCountChanged",
    "BeforeEffectApplied",
    "EffectApplied",
    "EffectMerged",
    "EffectQueued",
    "EffectExecuted",
    "EffectRemoved",
    "EffectStackChanged",
    "EffectDurationChanged",
    "EffectInhibited",
    "EffectResumed",
    "EffectRefused",
    "EffectBlockedByImmunity",
    "ModifierInert",
    "EvaluationFailed",
    "DivisorIgnored",
    "AbilityGranted",
    "AbilityRevoked",
    "AbilityLevelChanged",
    "AbilityActivated",
    "AbilityRefused",
    "AbilityCommitted",
    "AbilityEnded",
    "AbilityCancelled",
    "CooldownBegan",
    "CooldownEnded",
    "ChargesChanged",
    "GameplayEvent",
    "InputPressed",
    "InputReleased",
    "InputBuffered",
    "Confirmed",
    "Declined",
    "HostTaskRequested",
    "HostTaskCancelled",
    "TaskTriggered",
    "OccurrenceLimit",
    "TaskFailed",
    "NoTarget",
    "TargetingBegan",
    "TargetingEnded",
    "OwnerDied",
    "CueAdded",
    "CueRemoved",
    "CueExecuted",
    "CascadeLimit",
    "LogicError",
];

/// Checks the names of a scenario against its pack and itself. Steps are checked in order, so that a name is
/// known only after the step that assigns it. A step before an expected `Last: Unknown…` is not checked.
pub(crate) fn check(map: &SourceMap, doc: &ScenarioDoc, index: &Index<'_>, sink: &mut Sink) {
    let mut checker = Checker::new(map, index, Scope::Set, sink);
    let mut controllers = BTreeSet::new();
    for (name, actor) in doc.controllers.iter().flat_map(|controllers| &controllers.0) {
        controllers.insert(name.value.as_str());
        if let (Some(handle), None) = (&actor.handle, &doc.state) {
            checker.sink.push(codes::scenario::handle_without_state(&handle.0));
        }
        actor_names(&mut checker, index, actor);
    }
    let present = controllers.clone();
    let mut steps =
        Steps { checker, index, controllers, present, effects: Names::new(), others: Names::new() };
    let all = doc.steps.as_deref().unwrap_or_default();
    for (at, step) in all.iter().enumerate() {
        if all.get(at + 1).is_some_and(|next| expects_unknown(&next.record)) {
            steps.calls(&step.record);
        } else {
            steps.step(&step.record);
        }
    }
}

/// Checks the names in a controller: sets, attributes, abilities, tags, ability sets and template. Repeated
/// sets and base values of derived attributes are reported, too.
fn actor_names<'s>(checker: &mut Checker<'s>, index: &'s Index<'s>, actor: &'s ActorDoc) {
    actor.sets.visit(checker);
    ignored::repeated_sets(actor.sets.iter().map(|name| (&**name, false)), checker.sink);
    actor.base.iter().for_each(|base| base.visit(checker));
    for (attribute, _) in actor.base.iter().flat_map(|base| &base.0) {
        if index.derived.contains(attribute.value.as_str()) {
            checker.sink.push(codes::attribute::base_of_derived(attribute.span, &attribute.value));
        }
    }
    actor.abilities.visit(checker);
    actor.tags.visit(checker);
    for set in actor.ability_sets.iter() {
        if !index.ability_sets.contains_key(set.value.as_str()) {
            let nearest = nearest(&set.value, index.ability_sets.keys().copied());
            checker.sink.push(codes::scenario::unknown_ability_set(set, nearest));
        }
    }
    if let Some(template) = &actor.template
        && !index.templates.contains_key(template.value.as_str())
    {
        // A pack may leave a template to its host; a scenario has no host.
        let nearest = nearest(&template.value, index.templates.keys().copied());
        checker
            .sink
            .push(codes::unknown_name::controller_template(template, nearest).severity(Severity::Error));
    }
}

/// Whether the step expects the previous step to be refused for an unknown name. `UnknownHandle` does not
/// count: an ended effect still has its name, and a misspelt name would go unnoticed.
fn expects_unknown(step: &StepRecord) -> bool {
    let last = step.expect.as_ref().and_then(|expect| expect.known.last.as_ref());
    last.is_some_and(|last| matches!(&*last.value, "UnknownController" | "UnknownEffect" | "UnknownAbility"))
}

struct Steps<'s> {
    checker: Checker<'s>,
    index: &'s Index<'s>,
    /// Controllers that existed at some earlier step.
    controllers: BTreeSet<&'s str>,
    /// Controllers that exist now.
    present: BTreeSet<&'s str>,
    /// Names of effects assigned with `As` so far.
    effects: Names<'s>,
    /// Names of grants and activations assigned with `As` so far.
    others: Names<'s>,
}

impl<'s> Steps<'s> {
    /// Checks all names in a step, and then records the names that it assigns.
    fn step(&mut self, step: &'s StepRecord) {
        if let Some(apply) = &step.apply {
            apply.visit(&mut self.checker);
            self.controller(&apply.source);
            self.controller(&apply.target);
            self.controller(&apply.hit.as_ref().and_then(|hit| hit.controller.clone()));
            if let Some(name) = &apply.ability {
                named(&mut self.checker, name, &self.others, &self.index.abilities, "an ability of the pack");
            }
        }
        if let Some(remove) = &step.remove {
            self.controller(&remove.target);
            let given = &self.effects;
            if let Some(name) = &remove.effect {
                named(&mut self.checker, name, given, &self.index.effects, "an effect of the pack");
            }
        }
        if let Some(remove) = &step.remove_matching {
            remove.visit(&mut self.checker);
            self.controller(&remove.target);
            self.controller(&remove.source);
        }
        for (name, actor) in step.spawn.iter().flat_map(|spawned| &spawned.0) {
            if self.present.contains(name.value.as_str()) {
                self.checker.sink.push(codes::scenario::spawned_name_in_use(name));
            }
            if let Some(handle) = &actor.handle {
                self.checker.sink.push(codes::scenario::handle_in_spawn(handle.0.span));
            }
            actor_names(&mut self.checker, self.index, actor);
        }
        if let Some(set) = &step.set_avatar {
            self.controller(&set.controller);
        }
        if let Some(set) = &step.set_owner {
            self.controller(&set.controller);
        }
        for set in step.register_set.iter().chain(&step.unregister_set) {
            set.visit(&mut self.checker);
            self.controller(&set.controller);
        }
        if let Some(remaining) = &step.set_remaining {
            self.controller(&remaining.target);
            if let Some(name) = &remaining.effect {
                named(&mut self.checker, name, &self.effects, &self.index.effects, "an effect of the pack");
            }
        }
        self.controller(&step.despawn);
        if let Some(grant) = &step.grant {
            grant.visit(&mut self.checker);
            self.controller(&grant.controller);
        }
        for name in step.revoke.iter().chain(&step.cancel) {
            named(&mut self.checker, name, &self.others, &self.index.abilities, "an ability of the pack");
        }
        if let Some(activate) = &step.activate {
            activate.visit(&mut self.checker);
            self.controller(&activate.controller);
            self.controller(&activate.target);
            activate.targets.iter().for_each(|target| self.known_controller(target));
        }
        if let Some(input) = &step.input {
            input.visit(&mut self.checker);
            self.controller(&input.controller);
            self.controller(&input.target);
            if let (Some(target), None) = (&input.target, &input.press) {
                self.checker.sink.push(codes::scenario::target_without_press(target.span));
            }
        }
        if let Some(event) = &step.event {
            event.visit(&mut self.checker);
            self.controller(&event.controller);
            self.controller(&event.target);
            self.controller(&event.instigator);
            self.controller(&event.hit.as_ref().and_then(|hit| hit.controller.clone()));
        }
        if let Some(level) = &step.set_level {
            self.controller(&level.controller);
            if let Some(name) = &level.ability {
                named(&mut self.checker, name, &self.others, &self.index.abilities, "an ability of the pack");
            }
        }
        if let Some(cancel) = &step.cancel_all {
            cancel.visit(&mut self.checker);
            self.controller(&cancel.controller);
        }
        if let Some(targets) = &step.targets {
            self.controller(&targets.controller);
            targets.targets.iter().for_each(|target| self.known_controller(target));
            targets.kind.iter().for_each(|kind| tasks::any_task(kind, &mut self.checker));
        }
        if let Some(place) = &step.move_to {
            self.controller(&place.controller);
        }
        if let Some(task) = &step.complete_task {
            self.controller(&task.controller);
            if let Some(kind) = &task.kind {
                tasks::host_task(kind, &mut self.checker);
            }
        }
        if let Some(expect) = &step.expect {
            self.expect(expect);
        }
        self.calls(step);
    }

    /// Records the names that a step assigns with `As` or `Spawn`, and removes the name of a despawned
    /// controller.
    fn calls(&mut self, step: &'s StepRecord) {
        let effect = step.apply.as_ref().and_then(|apply| apply.alias.as_ref());
        let grant = step.grant.as_ref().and_then(|grant| grant.alias.as_ref());
        let activation = step.activate.as_ref().and_then(|activate| activate.alias.as_ref());
        for (name, _) in step.spawn.iter().flat_map(|spawned| &spawned.0) {
            self.controllers.insert(&name.value);
            self.present.insert(&name.value);
        }
        if let Some(name) = &step.despawn {
            self.present.remove(name.value.as_str());
        }
        self.effects.extend(effect.map(|alias| (alias.value.as_str(), alias.span)));
        self.others
            .extend(grant.into_iter().chain(activation).map(|alias| (alias.value.as_str(), alias.span)));
    }

    /// Checks the outcome codes, event kinds, controllers and names in an expectation.
    fn expect(&mut self, expect: &'s ExpectDoc) {
        let last = expect.known.last.iter().map(|last| (last, "outcome", "`Ok`, or a code such as `Immune`"));
        let reasons = expect.known.reasons.iter();
        let reasons = reasons.map(|reason| (reason, "reason", "a code such as `OnCooldown`"));
        for (code, what, examples) in last.chain(reasons) {
            if !OUTCOMES.contains(&code.value.as_str()) {
                let nearest = nearest(&code.value, OUTCOMES.iter().copied());
                self.checker.sink.push(codes::field::unknown_code(code, what, nearest, examples));
            }
        }
        let counts = expect.known.events.iter().flat_map(|events| &events.count).flat_map(|count| &count.0);
        for (kind, _) in counts {
            if !EVENTS.contains(&kind.value.as_str()) {
                let nearest = nearest(&kind.value, EVENTS);
                let examples = "a kind such as `EffectApplied`";
                self.checker.sink.push(codes::field::unknown_code(kind, "kind of event", nearest, examples));
            }
        }
        for (name, expected) in &expect.named.0 {
            self.known_controller(name);
            self.controller_expectation(expected);
        }
    }

    /// Checks the attributes, tags, effects, abilities, cues and task types in the expectation of a
    /// controller.
    fn controller_expectation(&mut self, expected: &'s ControllerExpectDoc) {
        for (attribute, _) in &expected.named.0 {
            self.checker.name(ReferenceKind::Attribute, attribute);
        }
        expected.known.visit(&mut self.checker);
        for (kind, _) in expected.known.tasks.iter().flat_map(|tasks| &tasks.0) {
            tasks::any_task(kind, &mut self.checker);
        }
    }

    /// Checks the name of a controller, if the step has one.
    fn controller(&mut self, name: &Option<Name>) {
        if let Some(name) = name {
            self.known_controller(name);
        }
    }

    /// Reports a controller that neither the scenario nor a `SpawnController` task of the pack names. A
    /// despawned controller counts as known.
    fn known_controller(&mut self, name: &Spanned<String>) {
        let (summoned, _) = SummonName::split(&name.value);
        let is_known =
            self.controllers.contains(name.value.as_str()) || self.index.summons.contains(summoned);
        if !is_known {
            let nearest = nearest(&name.value, self.controllers.iter().copied());
            self.checker.sink.push(codes::scenario::unknown_controller(name, nearest));
        }
    }
}

/// Checks a name that must be assigned with `As` or be in the pack.
fn named(
    checker: &mut Checker<'_>,
    name: &Spanned<String>,
    given: &Names<'_>,
    of_pack: &Names<'_>,
    other: &str,
) {
    let value = name.value.as_str();
    if !given.contains_key(value) && !of_pack.contains_key(value) {
        let nearest = nearest(value, given.keys().chain(of_pack.keys()).copied());
        checker.sink.push(codes::scenario::unknown_name(name, other, nearest));
    }
}
