//! Resolution of abilities and their tasks (§8.7, §10).

use std::sync::Arc;

use super::{Compiler, DefinitionKind, Problem};
use crate::ability::{
    Ability, AbilityDef, Gates, Instancing, ParameterDef, ParameterFault, asked_parameter, fixed_kind,
};
use crate::cow_option::CowOption;
use crate::effect::{ContextDetails, Effect};
use crate::random::stable_name_hash;
use crate::tag::{TagBits, TagQuery, TagQueryItem, TagRequirement, TagSet};
use crate::targeting::{ContainedEffectDef, EffectContainerDef, Targeting, TargetingDef, Team};
use crate::task::{
    Action, ActionDef, Apply, ApplyDef, CueTask, CueTaskDef, DespawnDef, DespawnTask, EffectFilter,
    EffectFilterDef, HostTask, HostValue, Number, NumberDef, Recipient, Remove, RemoveDef, Routine,
    SendEvent, SpawnDef, SpawnTask, Step, Task, TaskDef, Wait, WaitDef,
};

/// Limit of nested tasks; deeper ones are a mistake or an attack.
const MAX_DEPTH: u32 = 64;
/// Limit of the steps of one ability, nested ones included.
const MAX_STEPS: usize = 1 << 16;

/// A resolved [`EffectContainerDef`].
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct EffectContainer {
    pub(crate) targeting: Targeting,
    /// Effects with their own levels, if given.
    pub(crate) effects: Box<[(crate::id::EffectId, Option<f64>)]>,
    pub(crate) to: Recipient,
}

impl Compiler<'_> {
    /// Resolves an ability. `effects` are those of the catalog; empty in the pass that only collects names.
    pub(super) fn ability_def(&self, def: &Arc<AbilityDef>, effects: &[Arc<Effect>]) -> Ability {
        self.begin_ability(def);
        let tags = self.tag_set("Tags.AbilityTags", &def.tags);
        let own_tags = TagBits::closed(self.registry(), tags.iter());
        let blocked = self.tag_set("Tags.ActivationBlockedTags", &def.activation_blocked_tags);
        let blocked_by = self.tag_set("Tags.BlockedByTags", &def.blocked_by_tags);
        let cost = def.cost.as_ref().and_then(|name| self.effect_id("Cost", name));
        let cooldown = def.cooldown.as_ref().and_then(|name| self.effect_id("Cooldown", name));
        let routine = self.routine(&def.tasks);
        if def.instancing == Instancing::None && routine.waits {
            self.report("Tasks", Problem::WaitWithoutInstance);
        }
        for (name, value) in &def.parameters {
            let path = format!("Parameters.{name}");
            match value {
                ParameterDef::Number(value) => drop(self.finite(&path, *value)),
                ParameterDef::Tag(tag) => drop(self.plain_tag(&path, tag)),
                ParameterDef::Flag(_) | ParameterDef::Text(_) => {}
            }
        }
        if let Some(charges) = def.charges {
            if charges.max == 0 {
                self.report("Charges.Max", Problem::NoCharges);
            }
            if !charges.recharge.is_positive() {
                self.report("Charges.Recharge", Problem::RechargeNotPositive);
            }
        }
        if let Some(range) = def.max_range {
            self.finite("MaxRange", range);
        }
        let added_cooldown_tags = self.tag_set("CooldownTags", &def.cooldown_tags);
        let [cost_effect, cooldown_effect] =
            [cost, cooldown].map(|id| id.and_then(|id| effects.get(id.usize())));
        Ability {
            name_hash: stable_name_hash(&def.name),
            tags,
            shared_tags: CowOption::new(ContextDetails {
                ability_tags: CowOption::new(own_tags.clone()),
                ..ContextDetails::default()
            }),
            own_tags,
            block_abilities: self.tag_set("Tags.BlockAbilitiesWithTags", &def.block_abilities_with_tags),
            cancel_with: self.tag_set("Tags.CancelAbilitiesWithTags", &def.cancel_abilities_with_tags),
            activation: TagRequirement {
                require: self.tag_set("Tags.ActivationRequiredTags", &def.activation_required_tags),
                ignore: TagSet::new(blocked.iter().chain(blocked_by.iter())),
            },
            owned_tags: self.tag_set("Tags.ActivationOwnedTags", &def.activation_owned_tags),
            source: TagRequirement {
                require: self.tag_set("Tags.SourceRequiredTags", &def.source_required_tags),
                ignore: self.tag_set("Tags.SourceBlockedTags", &def.source_blocked_tags),
            },
            target: TagRequirement {
                require: self.tag_set("Tags.TargetRequiredTags", &def.target_required_tags),
                ignore: self.tag_set("Tags.TargetBlockedTags", &def.target_blocked_tags),
            },
            cost,
            cooldown,
            cooldown_tags: TagSet::new(
                cooldown_effect
                    .iter()
                    .flat_map(|effect| effect.granted_tags.iter())
                    .chain(added_cooldown_tags.iter()),
            ),
            added_cooldown_tags,
            set_by_caller: self.magnitudes("SetByCaller", &def.set_by_caller),
            triggers: (0..)
                .zip(&def.triggers)
                .filter_map(|(at, trigger): (usize, _)| {
                    Some((trigger.on, self.tag(&format!("Triggers[{at}].Tag"), &trigger.tag)?))
                })
                .collect(),
            effects: self.effects("AllowedEffects", &def.allowed_effects),
            routine,
            targeting: def.targeting.as_ref().map(|def| self.targeting("Targeting", def)),
            gates: Gates::new(def, cost_effect, cooldown_effect),
            def: Arc::clone(def),
        }
    }

    /// Completes the effects that an ability may apply (§13.7), now that its containers are known.
    pub(super) fn complete_effects(ability: &mut Ability, containers: &[EffectContainer]) {
        let named = ability.cost.into_iter().chain(ability.cooldown).chain(ability.routine.effects());
        let used = ability.routine.containers().filter_map(|at| containers.get(at as usize));
        let contained = used.flat_map(|container| container.effects.iter().map(|(effect, _)| *effect));
        let mut effects: Vec<_> = ability.effects.iter().copied().chain(named).chain(contained).collect();
        effects.sort_unstable();
        effects.dedup();
        ability.effects = effects.into_boxed_slice();
    }

    /// Resolves an effect container.
    pub(super) fn container(&self, def: &EffectContainerDef) -> EffectContainer {
        self.begin(DefinitionKind::Container, &def.name);
        let effects = (0..).zip(&def.effects).filter_map(|(at, entry): (usize, &ContainedEffectDef)| {
            let path = format!("Effects[{at}]");
            let level = entry.level.map(|level| self.finite(&path, level));
            Some((self.effect_id(&format!("{path}.Effect"), &entry.effect)?, level))
        });
        EffectContainer {
            targeting: self.targeting("Targeting", &def.targeting),
            effects: effects.collect(),
            to: def.to.unwrap_or(Recipient::Target),
        }
    }

    /// Resolves a task that spawns controllers; `None` if the template is unknown, which is reported.
    fn spawn_task(&self, path: &str, def: &SpawnDef) -> Option<SpawnTask> {
        let at = |field: &str| format!("{path}.{field}");
        let axis = |number: &NumberDef| self.number(&at("Offset"), number);
        Some(SpawnTask {
            count: self.optional_number(&at("Count"), &def.count),
            at: def.at,
            offset: def.offset.as_ref().map(|offset| [axis(&offset.x), axis(&offset.y), axis(&offset.z)]),
            team: def.team.as_deref().map(Team::from),
            lifetime: self.optional_number(&at("Lifetime"), &def.lifetime),
            bound: def.bound,
            name: def.name.as_deref().map(Arc::from),
            template: self.template_id(&at("Template"), &def.template)?,
        })
    }

    /// Resolves a task that despawns controllers. One that selects nothing is reported.
    fn despawn_task(&self, path: &str, def: &DespawnDef) -> DespawnTask {
        if def.name.is_none() && def.tags.is_empty() && def.to.is_none() {
            self.report(path, Problem::DespawnsNothing);
        }
        DespawnTask {
            name: def.name.as_deref().map(Arc::from),
            tags: self.tag_set(&format!("{path}.Tags"), &def.tags),
            to: def.to,
        }
    }

    /// Resolves targeting rules, and reports inconsistent ones and unknown filters.
    fn targeting(&self, path: &str, def: &TargetingDef) -> Targeting {
        for problem in def.problems() {
            self.report(format!("{path}.{}", problem.field), Problem::Targeting(problem));
        }
        if let Some(filter) = &def.filter {
            self.check_target_filter(&format!("{path}.CustomFilter"), filter);
        }
        Targeting::resolved(
            def,
            self.tag_set(&format!("{path}.RequireTags"), &def.require_tags),
            self.tag_set(&format!("{path}.ExcludeTags"), &def.exclude_tags),
            self.tag_query(&format!("{path}.Filter"), &def.query, 0),
        )
    }

    /// Lays out the tasks of an ability as a flat program. Also finds whether it commits itself, and whether
    /// any step may take time.
    fn routine(&self, defs: &[TaskDef]) -> Routine {
        let mut layout =
            RoutineLayout { compiler: self, steps: Vec::new(), names: Vec::new(), too_many: false };
        let first = layout.list("Tasks", defs, None, 0);
        let RoutineLayout { steps, names, .. } = layout;
        let commits = steps.iter().any(|step| {
            use Action::{Commit, CommitCooldown, CommitCost};
            matches!(step.task, Task::Act(Commit(_) | CommitCost(_) | CommitCooldown(_)))
        });
        let waits = steps.iter().any(|step| match &step.task {
            Task::Wait(Wait::Custom { task, .. }) => self.custom_waits(*task),
            Task::Wait(_) => true,
            Task::Repeat { interval, .. } => interval.is_some(),
            _ => false,
        });
        Routine {
            steps: steps.into_iter().map(Step::from).collect(),
            first,
            commits,
            waits,
            names: names.into_boxed_slice(),
        }
    }

    /// Parameters of a host task; their tags may refer to a parameter of the ability (A18).
    fn host_values(&self, path: &str, values: &[(String, HostValue)]) -> Vec<(String, HostValue)> {
        let resolve = |(name, value): &(String, HostValue)| {
            (name.clone(), self.host_value(&format!("{path}.{name}"), value))
        };
        values.iter().map(resolve).collect()
    }

    /// Resolves parameter references in a value of a host task, in lists and maps too. An unknown reference
    /// is reported and becomes an empty text.
    fn host_value(&self, path: &str, value: &HostValue) -> HostValue {
        match value {
            HostValue::Text(text) => match asked_parameter(text) {
                Some(name) => HostValue::Text(self.tag_parameter(path, name).unwrap_or_default()),
                None => value.clone(),
            },
            HostValue::List(items) => {
                HostValue::List(items.iter().map(|item| self.host_value(path, item)).collect())
            }
            HostValue::Map(values) => HostValue::Map(self.host_values(path, values)),
            HostValue::Flag(_) | HostValue::Number(_) => value.clone(),
        }
    }

    /// Reports a task that writes a parameter fixed by the definition: one that is a tag or a text.
    fn check_changes(&self, path: &str, name: &str) {
        let ability = self.current_ability();
        let fixed = ability.as_ref().and_then(|ability| fixed_kind(&ability.parameters, name));
        if let Some(found) = fixed {
            self.report(path, ParameterFault::Fixed { name: name.to_owned(), found });
        }
    }

    /// Resolves a number or expression; a constant expression is folded. An invalid one is reported and
    /// becomes 0.
    fn number(&self, path: &str, def: &NumberDef) -> Number {
        match def {
            NumberDef::Value(value) => Number::Constant(self.finite(path, *value)),
            NumberDef::Expression(text) => match self.program(path, text, &[]) {
                Some(program) => match program.constant() {
                    Some(value) => Number::Constant(value),
                    None => Number::Program(Box::new(program)),
                },
                None => Number::Constant(0.0),
            },
        }
    }

    fn optional_number(&self, path: &str, def: &Option<NumberDef>) -> Option<Number> {
        def.as_ref().map(|def| self.number(path, def))
    }

    /// Resolves set-by-caller magnitudes; ones with an unknown tag are reported and left out.
    fn magnitudes(&self, path: &str, defs: &[(String, NumberDef)]) -> Box<[(crate::id::TagId, Number)]> {
        let resolve = |(tag, value): &(String, NumberDef)| {
            let path = format!("{path}.{tag}");
            let value = self.number(&path, value);
            Some((self.tag(&path, tag)?, value))
        };
        defs.iter().filter_map(resolve).collect()
    }

    /// Resolves a filter of effects by definition and tags; unknown names are reported and left out.
    fn effect_filter(&self, path: &str, def: &EffectFilterDef) -> EffectFilter {
        EffectFilter {
            effect: def.effect.as_ref().and_then(|name| self.effect_id(&format!("{path}.Effect"), name)),
            tags: self.tag_set(&format!("{path}.Tags"), &def.tags),
        }
    }
}

/// Flattens nested tasks into a list of steps.
struct RoutineLayout<'a, 'c> {
    compiler: &'a Compiler<'c>,
    steps: Vec<Unlinked>,
    names: Vec<Box<str>>,
    too_many: bool,
}

/// A step whose task may not be known yet, because nested steps come first.
struct Unlinked {
    task: Task,
    parent: Option<u32>,
    next: Option<u32>,
}

impl From<Unlinked> for Step {
    fn from(Unlinked { task, parent, next }: Unlinked) -> Self {
        Self { task, parent, next }
    }
}

impl RoutineLayout<'_, '_> {
    /// Lays out a list of tasks, links them, and returns its first step. `None` if the list is empty, nested
    /// too deeply (reported), or has a task that cannot be resolved.
    fn list(&mut self, path: &str, defs: &[TaskDef], parent: Option<u32>, depth: u32) -> Option<u32> {
        if depth > MAX_DEPTH {
            self.compiler.report(path, Problem::TasksTooDeep);
            return None;
        }
        let mut first = None;
        let mut last: Option<u32> = None;
        for (at, def) in defs.iter().enumerate() {
            let step = self.step(&format!("{path}[{at}]"), def, parent, depth)?;
            first = first.or(Some(step));
            if let Some(last) = last {
                self.steps[last as usize].next = Some(step);
            }
            last = Some(step);
        }
        first
    }

    /// Lays out one task and the tasks nested in it, and returns its step. `None`, which ends the layout of
    /// its list, if a name is unknown or the limit of steps is reached; the limit is reported once.
    fn step(&mut self, path: &str, def: &TaskDef, parent: Option<u32>, depth: u32) -> Option<u32> {
        if self.steps.len() >= MAX_STEPS {
            if !core::mem::replace(&mut self.too_many, true) {
                self.compiler.report(path, Problem::TooMany { most: MAX_STEPS, found: MAX_STEPS + 1 });
            }
            return None;
        }
        let step = self.steps.len() as u32;
        self.steps.push(Unlinked { task: Task::EndAbility, parent, next: None });
        let inside = Some(step);
        let params = format!("{path}.Params");
        let branches = |layout: &mut Self, branches: &[Vec<TaskDef>]| -> Box<[Option<u32>]> {
            let lay = |(at, branch): (usize, &Vec<TaskDef>)| {
                layout.list(&format!("{params}.Branches[{at}]"), branch, inside, depth + 1)
            };
            branches.iter().enumerate().map(lay).collect()
        };
        let task = match def {
            TaskDef::Sequence(tasks) => {
                Task::Sequence { first: self.list(&format!("{params}.Tasks"), tasks, inside, depth + 1) }
            }
            TaskDef::Race(lists) => Task::Race { branches: branches(self, lists) },
            TaskDef::All(lists) => Task::All { branches: branches(self, lists) },
            TaskDef::Repeat { count, interval, tasks } => Task::Repeat {
                count: self.compiler.optional_number(&format!("{params}.Count"), count),
                interval: self.compiler.optional_number(&format!("{params}.Interval"), interval),
                first: self.list(&format!("{params}.Tasks"), tasks, inside, depth + 1),
            },
            TaskDef::If { condition, then, otherwise } => Task::If {
                condition: self.compiler.number(&format!("{params}.Condition"), condition),
                then: self.list(&format!("{params}.Then"), then, inside, depth + 1),
                otherwise: self.list(&format!("{params}.Else"), otherwise, inside, depth + 1),
            },
            TaskDef::EndAbility => Task::EndAbility,
            TaskDef::CancelAbility => Task::CancelAbility,
            TaskDef::Wait(wait) => Task::Wait(self.wait(&params, wait)?),
            TaskDef::Act(action) => Task::Act(self.action(&params, action)?),
            TaskDef::Host { kind, params } => Task::Wait(Wait::Host(HostTask {
                kind: Arc::from(kind.as_str()),
                params: self.compiler.host_values(&format!("{path}.Params"), params).into(),
            })),
            TaskDef::Custom { name, params: values } => {
                let value = |(name, value): &(String, NumberDef)| {
                    let path = format!("{params}.{name}");
                    (name.as_str().into(), self.compiler.number(&path, value))
                };
                let values = values.iter().map(value).collect();
                Task::Wait(Wait::Custom { task: self.compiler.custom_task(path, name)?, params: values })
            }
        };
        self.steps[step as usize].task = task;
        Some(step)
    }

    /// Resolves a wait; `None` if a tag or attribute that it waits for is unknown, which is reported.
    fn wait(&self, path: &str, def: &WaitDef) -> Option<Wait> {
        let compiler = self.compiler;
        let at = |field: &str| format!("{path}.{field}");
        Some(match def {
            WaitDef::Delay(seconds) => Wait::Delay(compiler.number(&at("Duration"), seconds)),
            WaitDef::GameTime(time) => Wait::GameTime(compiler.number(&at("Time"), time)),
            WaitDef::Event { tag, exact, once } => {
                Wait::Event { tag: compiler.tag(&at("EventTag"), tag)?, exact: *exact, once: *once }
            }
            WaitDef::InputPressed(input) => Wait::InputPressed(input.as_deref().map(Into::into)),
            WaitDef::InputReleased(input) => Wait::InputReleased(input.as_deref().map(Into::into)),
            WaitDef::TagAdded(tag) => Wait::TagAdded(compiler.tag(&at("Tag"), tag)?),
            WaitDef::TagRemoved(tag) => Wait::TagRemoved(compiler.tag(&at("Tag"), tag)?),
            WaitDef::TagChanged(tag) => Wait::TagChanged(compiler.tag(&at("Tag"), tag)?),
            WaitDef::TagCountChanged(tag) => Wait::TagCountChanged(compiler.tag(&at("Tag"), tag)?),
            WaitDef::TagQuery(query) => Wait::TagQuery(compiler.tag_query(&at("Query"), query, 0)),
            WaitDef::AttributeChange(attribute) => {
                Wait::AttributeChange(compiler.attribute(&at("Attribute"), attribute)?)
            }
            WaitDef::AttributeThreshold { attribute, comparison, threshold, ratio_to } => {
                Wait::AttributeThreshold {
                    attribute: compiler.attribute(&at("Attribute"), attribute)?,
                    comparison: *comparison,
                    threshold: compiler.number(&at("Threshold"), threshold),
                    ratio_to: match ratio_to {
                        Some(name) => Some(compiler.attribute(&at("RatioTo"), name)?),
                        None => None,
                    },
                }
            }
            WaitDef::EffectApplied(filter) => Wait::EffectApplied(compiler.effect_filter(path, filter)),
            WaitDef::EffectRemoved(filter) => Wait::EffectRemoved(compiler.effect_filter(path, filter)),
            WaitDef::EffectBlocked(filter) => Wait::EffectBlocked(compiler.effect_filter(path, filter)),
            WaitDef::EffectStackChange(filter) => {
                Wait::EffectStackChange(compiler.effect_filter(path, filter))
            }
            WaitDef::AbilityActivate(tags) => Wait::AbilityActivate(compiler.tag_set(&at("Tags"), tags)),
            WaitDef::AbilityCommit(tags) => Wait::AbilityCommit(compiler.tag_set(&at("Tags"), tags)),
            WaitDef::AbilityEnd(tags) => Wait::AbilityEnd(compiler.tag_set(&at("Tags"), tags)),
            WaitDef::ConfirmCancel => Wait::ConfirmCancel,
            WaitDef::TargetData { targeting, confirmation, max_delay } => Wait::TargetData {
                targeting: Box::new(compiler.targeting(&at("Targeting"), targeting)),
                confirmation: *confirmation,
                max_delay: compiler.optional_number(&at("MaxDelay"), max_delay),
            },
            WaitDef::NetSync { max_delay } => {
                Wait::NetSync { max_delay: compiler.optional_number(&at("MaxDelay"), max_delay) }
            }
        })
    }

    /// Resolves an instant task; `None` if a required name is unknown, which is reported.
    fn action(&mut self, path: &str, def: &ActionDef) -> Option<Action> {
        let compiler = self.compiler;
        let at = |field: &str| format!("{path}.{field}");
        let cue = |def: &CueTaskDef| Some(CueTask { cue: compiler.tag(&at("Cue"), &def.cue)?, to: def.to });
        Some(match def {
            ActionDef::Commit(commit) => Action::Commit(commit.on_fail),
            ActionDef::CommitCost(commit) => Action::CommitCost(commit.on_fail),
            ActionDef::CommitCooldown(commit) => Action::CommitCooldown(commit.on_fail),
            ActionDef::ApplyToOwner(apply) => Action::ApplyToOwner(self.apply(path, apply)?),
            ActionDef::ApplyToTarget(apply) => Action::ApplyToTarget(self.apply(path, apply)?),
            ActionDef::ApplyInRadius(apply) => Action::ApplyInRadius(self.apply(path, apply)?),
            ActionDef::ApplyContainer(used) => Action::ApplyContainer {
                container: compiler.container_id(&at("Container"), &used.container)?,
                to: used.to,
            },
            ActionDef::RemoveFromOwner(remove) => Action::RemoveFromOwner(self.remove(path, remove)?),
            ActionDef::RemoveFromTarget(remove) => Action::RemoveFromTarget(self.remove(path, remove)?),
            ActionDef::SendEvent(event) => {
                let payload = event.payload.iter().map(|(name, number)| {
                    (Arc::from(name.as_str()), compiler.number(&at(&format!("Payload.{name}")), number))
                });
                Action::SendEvent(Box::new(SendEvent {
                    tag: compiler.tag(&at("Tag"), &event.tag)?,
                    to: event.to,
                    magnitude: compiler.optional_number(&at("Magnitude"), &event.magnitude),
                    target: event.target.unwrap_or(Recipient::Target),
                    payload: payload.collect(),
                    context_tags: compiler.tag_set(&at("ContextTags"), &event.context_tags).iter().collect(),
                }))
            }
            ActionDef::ExecuteCue(def) => Action::ExecuteCue(cue(def)?),
            ActionDef::AddCue(def) => Action::AddCue(cue(def)?),
            ActionDef::RemoveCue(def) => Action::RemoveCue(cue(def)?),
            ActionDef::SetParameter { name, value } => {
                compiler.check_changes(&at("Name"), name);
                Action::SetParameter {
                    name: Arc::from(name.as_str()),
                    value: compiler.number(&at("Value"), value),
                }
            }
            ActionDef::ActivateAbility(name) => {
                Action::ActivateAbility(compiler.ability(&at("Ability"), name)?)
            }
            ActionDef::ActivateAbilitiesWithTags(tags) => {
                Action::ActivateAbilitiesWithTags(compiler.tag_set(&at("Tags"), tags))
            }
            ActionDef::SpawnController(spawn) => {
                Action::SpawnController(Box::new(compiler.spawn_task(path, spawn)?))
            }
            ActionDef::DespawnController(despawn) => {
                Action::DespawnController(compiler.despawn_task(path, despawn))
            }
        })
    }

    /// Resolves a task that applies an effect, and registers the name that it gives the active effect. `None`
    /// if the effect is unknown.
    fn apply(&mut self, path: &str, def: &ApplyDef) -> Option<Apply> {
        let compiler = self.compiler;
        let ignored: Vec<String> = def.ignore_tag.iter().chain(&def.ignore_tags).cloned().collect();
        let at = |field: &str| format!("{path}.{field}");
        Some(Apply {
            level: compiler.optional_number(&at("Level"), &def.level),
            set_by_caller: compiler.magnitudes(&at("SetByCaller"), &def.set_by_caller),
            max_range: compiler.optional_number(&at("MaxRange"), &def.max_range),
            radius: compiler.optional_number(&at("Radius"), &def.radius),
            require: compiler.tag_set(&at("RequireTag"), def.require_tag.as_slice()),
            ignore: compiler.tag_set(&at("IgnoreTargetsWithTag"), &ignored),
            name: def.name.as_deref().map(|name| self.effect_name(name)),
            to: def.to.unwrap_or(Recipient::Target),
            targeting: def.targeting.as_ref().map(|def| Box::new(compiler.targeting(&at("Targeting"), def))),
            effect: compiler.effect_id(&at("EffectClass"), &def.effect)?,
        })
    }

    /// Resolves a task that removes effects. One that selects nothing is reported; `None` if the effect is
    /// unknown.
    fn remove(&mut self, path: &str, def: &RemoveDef) -> Option<Remove> {
        let compiler = self.compiler;
        let at = |field: &str| format!("{path}.{field}");
        if def.effect.is_none() && def.name.is_none() && def.tags.is_empty() {
            compiler.report(path, Problem::RemovesNothing);
        }
        let tags = compiler.tag_set(&at("Tags"), &def.tags);
        Some(Remove {
            effect: match &def.effect {
                Some(name) => Some(compiler.effect_id(&at("EffectClass"), name)?),
                None => None,
            },
            name: def.name.as_deref().map(|name| self.effect_name(name)),
            tags: match tags.is_empty() {
                true => TagQuery::default(),
                false => TagQuery::any(tags.iter().map(TagQueryItem::Tag)),
            },
            stacks: compiler.optional_number(&at("Stacks"), &def.stacks),
            to: def.to.unwrap_or(Recipient::Target),
        })
    }

    /// The index of a name that tasks give to effects; adds it if it is new.
    fn effect_name(&mut self, name: &str) -> u16 {
        let known = self.names.iter().position(|known| **known == *name);
        let at = known.unwrap_or_else(|| {
            self.names.push(name.into());
            self.names.len() - 1
        });
        // There are at most `MAX_STEPS` names, one per step.
        at as u16
    }
}
