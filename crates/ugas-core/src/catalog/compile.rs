//! Resolution of definitions: from names to ids, reporting each problem with its path.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

mod lookup;

use super::is_cue;
use super::reads::{Reads, capture};
use super::{DefinitionError, DefinitionKind, NameTable, Problem, Tables};
use crate::ability::AbilityDef;
use crate::effect::calculation::CompiledCalculation;
use crate::effect::magnitude::{
    AttributeCalculation, AttributeMagnitude, AttributeMagnitudeDef, Capture, CaptureFrom, CaptureTime,
    Magnitude, MagnitudeDef,
};
use crate::effect::{
    AUTHORITATIVE_ONLY, AbilityGrant, AbilityGrantDef, AdditionalEffect, Duration, DurationDef, Effect,
    EffectDef, Execution, ExecutionDef, ExecutionPolicy, ExpirationEffects, Modifier, ScopedModifier,
    ScopedTarget, ScopedTargetDef, Stacking, StackingDef, Watch, WatchSide, WatchSubject,
};
use crate::expr::{Program, Side};
use crate::id::{AttributeId, TagId};
use crate::modifier::{MAX_LAYER, ModifierDef};
use crate::random::stable_name_hash;
use crate::tag::{TagBits, TagRequirement, TagSet};

/// Upper limit of the lists of an effect, whose indexes are 16 bits wide.
const MAX_LIST: usize = 1 << 15;

/// Resolves definitions against the known names.
pub(crate) struct Compiler<'a> {
    tables: &'a Tables,
    /// When set, unknown tags, curves, calculations and channels are collected instead of reported: the first
    /// of two passes.
    collecting: Option<RefCell<Collected>>,
    pub(super) subject: RefCell<(DefinitionKind, String)>,
    errors: RefCell<Vec<DefinitionError>>,
    /// The ability that is being resolved; its tags may refer to its parameters (A18).
    ability: RefCell<Option<Arc<AbilityDef>>>,
    /// Number of names that may still be compared for suggestions.
    comparisons_left: Cell<usize>,
}

/// Limit of name comparisons for suggestions. Definitions may come from anybody, and comparing as many
/// unknown names as known ones would take hours.
const MOST_COMPARISONS: usize = 1_000_000;

/// Names that are used without a definition.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) tags: BTreeSet<String>,
    pub(super) curves: BTreeSet<String>,
    pub(super) calculations: BTreeSet<String>,
    pub(super) channels: BTreeSet<String>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(tables: &'a Tables) -> Self {
        Self {
            tables,
            collecting: None,
            subject: RefCell::new((DefinitionKind::Effect, String::new())),
            errors: RefCell::default(),
            ability: RefCell::default(),
            comparisons_left: Cell::new(MOST_COMPARISONS),
        }
    }

    /// A compiler for the first of two passes, which collects unknown names instead of reporting them.
    pub(super) fn collecting(tables: &'a Tables) -> Self {
        Self { collecting: Some(RefCell::default()), ..Self::new(tables) }
    }

    /// The names that the first pass collected.
    pub(super) fn into_collected(self) -> Collected {
        self.collecting.map(RefCell::into_inner).unwrap_or_default()
    }

    pub(super) fn registry(&self) -> &crate::tag::TagRegistry {
        &self.tables.tags
    }

    pub(crate) fn into_errors(self) -> Vec<DefinitionError> {
        self.errors.into_inner()
    }

    /// Sets the definition that the following errors are about.
    pub(super) fn begin(&self, kind: DefinitionKind, name: &str) {
        *self.subject.borrow_mut() = (kind, name.to_owned());
        *self.ability.borrow_mut() = None;
    }

    /// Begins an ability; its parameters are known until the next definition begins.
    pub(super) fn begin_ability(&self, def: &Arc<AbilityDef>) {
        self.begin(DefinitionKind::Ability, &def.name);
        *self.ability.borrow_mut() = Some(Arc::clone(def));
    }

    /// Adds an error at a path of the current definition; resolution continues.
    pub(super) fn report(&self, path: impl Into<String>, problem: impl Into<Problem>) {
        let (kind, name) = self.subject.borrow().clone();
        let error = DefinitionError { kind, name, path: path.into(), problem: problem.into() };
        self.errors.borrow_mut().push(error);
    }

    /// Reports an unknown name, with the known name that was probably meant.
    fn unknown(&self, path: &str, kind: DefinitionKind, name: &str, nearest: Option<String>) {
        self.report(path, Problem::Unknown { kind, name: name.to_owned(), nearest });
    }

    /// The known name that was probably meant, within the limit of comparisons.
    fn nearest_in(&self, table: &NameTable, name: &str) -> Option<String> {
        self.may_compare(table.len()).then(|| table.nearest(name)).flatten()
    }

    /// The known tag that was probably meant, within the limit of comparisons.
    fn nearest_tag(&self, name: &str) -> Option<String> {
        let tags = &self.tables.tags;
        self.may_compare(tags.len()).then(|| tags.nearest(name).map(str::to_owned)).flatten()
    }

    /// Takes `names` comparisons from the budget; `false`, and nothing is left, if there are not enough.
    fn may_compare(&self, names: usize) -> bool {
        let left = self.comparisons_left.get().checked_sub(names);
        self.comparisons_left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Resolves an effect and derives what it reads, writes and watches. Problems are reported; parts that
    /// cannot be resolved are left out. The collecting pass has no `calculations`.
    pub(crate) fn effect(&self, def: &Arc<EffectDef>, calculations: &[CompiledCalculation]) -> Effect {
        self.begin(DefinitionKind::Effect, &def.name);
        for (list, count) in [("Modifiers", def.modifiers.len()), ("Executions", def.executions.len())] {
            if count > MAX_LIST {
                self.report(list, Problem::TooMany { most: MAX_LIST, found: count });
            }
        }
        let mut captures = Vec::new();
        let duration = match &def.duration {
            DurationDef::Instant => Duration::Instant,
            DurationDef::Infinite => Duration::Infinite,
            DurationDef::HasDuration(magnitude) => {
                Duration::Lasting(self.magnitude("Duration", magnitude, &mut captures))
            }
        };
        let instant = duration == Duration::Instant;
        if let Some(period) = &def.period {
            if instant {
                self.report("Period", Problem::PeriodOnInstant);
            }
            if !period.period.is_positive() {
                self.report("Period.Period", Problem::PeriodNotPositive);
            }
        }
        let chance = def.chance.as_ref().map(|chance| self.magnitude("ChanceToApply", chance, &mut captures));
        let requirement =
            def.requirement.as_ref().and_then(|name| self.calculation("ApplicationRequirement", name));
        let stacking = def.stacking.as_ref().map(|stacking| self.stacking(def, stacking));
        let modifiers: Box<[Modifier]> = (0..)
            .zip(&def.modifiers)
            .map(|(at, modifier)| self.modifier(at, modifier, &mut captures))
            .collect();
        let executions: Box<[Execution]> = (0..)
            .zip(&def.executions)
            .filter_map(|(at, execution)| self.execution(at, execution, calculations, &mut captures))
            .collect();
        let granted_tags = self.tag_set("GrantedTags", &def.granted_tags);
        let asset_tags = self.tag_set("AssetTags", &def.asset_tags);
        let cues = self.tag_set("GameplayCues", &def.cues);
        let granted_cues = granted_tags.iter().filter(|tag| is_cue(&self.tables.tags, *tag));
        let held_cues = TagSet::new(cues.iter().chain(granted_cues));
        let own_tags = TagBits::closed(&self.tables.tags, granted_tags.iter().chain(asset_tags.iter()));
        let authoritative_only =
            self.tables.tags.id(AUTHORITATIVE_ONLY).is_some_and(|tag| own_tags.matches(tag));
        let mut effect = Effect {
            def: Arc::clone(def),
            name_hash: stable_name_hash(&def.name),
            duration,
            period: def.period,
            modifiers,
            executions,
            captures: Box::default(),
            granted_tags,
            asset_tags,
            own_tags,
            application: TagRequirement {
                require: self.tag_set("ApplicationRequiredTags", &def.application_required_tags),
                ignore: self.tag_set("ApplicationBlockedTags", &def.application_blocked_tags),
            },
            source: TagRequirement {
                require: self.tag_set("SourceRequiredTags", &def.source_required_tags),
                ignore: self.tag_set("SourceBlockedTags", &def.source_blocked_tags),
            },
            application_query: self.tag_query("ApplicationQuery", &def.application_query, 0),
            ongoing: TagRequirement {
                require: self.tag_set("OngoingRequiredTags", &def.ongoing_required_tags),
                ignore: self.tag_set("OngoingBlockedTags", &def.ongoing_blocked_tags),
            },
            remove_on: self.tag_set("RemoveOnTags", &def.remove_on_tags),
            remove_effects: self.tag_set("RemoveEffectsWithTags", &def.remove_effects_with_tags),
            immunity: self.tag_set("ImmunityTags", &def.immunity_tags),
            immunity_query: self.tag_query("ImmunityQuery", &def.immunity_query, 0),
            chance,
            requirement,
            stacking,
            expiration: ExpirationEffects {
                routine: self.effects("ExpirationEffects.Routine", &def.expiration_effects.routine),
                premature: self.effects("ExpirationEffects.Premature", &def.expiration_effects.premature),
                always: self.effects("ExpirationEffects.Always", &def.expiration_effects.always),
            },
            additional: self.additional(def),
            granted_abilities: self.ability_grants("GrantedAbilities", &def.granted_abilities),
            held_cues,
            cues,
            cue_magnitude: def.cue_magnitude.as_ref().and_then(|name| self.attribute("CueMagnitude", name)),
            block_abilities: self.tag_set("BlockAbilitiesWithTags", &def.block_abilities_with_tags),
            cancel_abilities: self.tag_set("CancelAbilitiesWithTags", &def.cancel_abilities_with_tags),
            writes: Box::default(),
            watches: Box::default(),
            source_reads: Box::default(),
            uses_random: false,
            has_random_numbers: false,
            reads_source: false,
            reads_target: false,
            authoritative_only,
            has_live_magnitudes: false,
            is_unconditional: false,
            is_ungated: false,
            is_constant: false,
            writes_one: false,
            constant_write: None,
            only_writes: false,
            has_followups: false,
            grants_only_tags: false,
            is_indexed: false,
            only_holds: false,
            constants: None,
        };
        self.check_results(&effect, calculations);
        self.derive_reads(&mut effect, calculations, &mut captures);
        effect.captures = captures.into_boxed_slice();
        effect.derive_shortcuts();
        effect
    }

    /// Derives what the effect reads and writes: the watches of an active effect, captures, attributes read
    /// of the source, and whether random numbers are drawn. Also marks live modifiers.
    fn derive_reads(
        &self,
        effect: &mut Effect,
        calculations: &[CompiledCalculation],
        captures: &mut Vec<Capture>,
    ) {
        let (periodic, instant) = (effect.period.is_some(), effect.is_instant());
        let mut watches = BTreeSet::new();
        let mut source_reads = BTreeSet::new();
        let mut has_random_numbers = false;
        let mut live = BTreeSet::new();
        let watch_tag = |side, tag| Watch { side, subject: WatchSubject::Tag(tag) };
        watches.extend(effect.ongoing.tags().map(|tag| watch_tag(WatchSide::Target, tag)));
        watches.extend(effect.remove_on.iter().map(|tag| watch_tag(WatchSide::Target, tag)));
        for modifier in &mut effect.modifiers {
            let mut reads = Reads::default();
            reads.magnitude(&modifier.magnitude, calculations, captures);
            has_random_numbers |= reads.random;
            live.extend(reads.sides());
            source_reads.extend(reads.source_attributes());
            if !periodic || modifier.operation.is_scaling() {
                // An instant effect watches nothing, and so cannot be part of a cycle.
                modifier.live = !instant && !reads.watches.is_empty();
                watches.extend(reads.watches);
                watches.extend(modifier.source_tags.tags().map(|tag| watch_tag(WatchSide::Source, tag)));
                watches.extend(modifier.target_tags.tags().map(|tag| watch_tag(WatchSide::Target, tag)));
            }
        }
        for execution in &effect.executions {
            let mut reads = Reads::default();
            reads.calculation(execution.calculation, calculations, captures);
            for modifier in &execution.modifiers {
                reads.magnitude(&modifier.magnitude, calculations, captures);
            }
            has_random_numbers |= reads.random;
            live.extend(reads.sides());
            source_reads.extend(reads.source_attributes());
        }
        let mut once = Reads::default();
        if let Some(id) = effect.requirement {
            once.calculation(id, calculations, captures);
        }
        if let Some(chance) = &effect.chance {
            once.magnitude(chance, calculations, captures);
        }
        if let Duration::Lasting(magnitude) = &effect.duration {
            once.magnitude(magnitude, calculations, captures);
        }
        for program in
            effect.additional.iter().flat_map(|more| &more.set_by_caller).map(|(_, program)| program)
        {
            once.program(program);
        }
        has_random_numbers |= once.random;
        live.extend(once.sides());
        let mut writes: Vec<AttributeId> = effect.modified_attributes().collect();
        for execution in &effect.executions {
            let calculation = calculations.get(execution.calculation.usize());
            writes.extend(calculation.into_iter().flat_map(CompiledCalculation::output_attributes));
        }
        writes.sort_unstable();
        writes.dedup();
        effect.writes = writes.into_boxed_slice();
        if !effect.is_instant() {
            effect.watches = watches.into_iter().collect();
        }
        effect.source_reads = source_reads.into_iter().collect();
        effect.uses_random = has_random_numbers || effect.chance.is_some();
        effect.has_random_numbers = has_random_numbers;
        let frozen = |side| captures.iter().any(|capture| capture.side == side);
        let writes_source = |execution: &Execution| {
            calculations.get(execution.calculation.usize()).is_some_and(CompiledCalculation::writes_source)
        };
        // A client that does not fully know the source cannot write to it either.
        effect.reads_source = live.contains(&WatchSide::Source)
            || frozen(Side::Source)
            || effect.executions.iter().any(writes_source);
        effect.reads_target =
            live.contains(&WatchSide::Target) || frozen(Side::Target) || frozen(Side::Owner);
    }

    /// Resolves the modifier at index `at`, and adds its frozen reads to `captures`. An unknown attribute is
    /// reported and stands as id 0. `live` is set by the caller.
    fn modifier(&self, at: usize, def: &ModifierDef, captures: &mut Vec<Capture>) -> Modifier {
        let path = |field: &str| format!("Modifiers[{at}].{field}");
        if def.layer > MAX_LAYER {
            self.report(path("EvaluationChannel"), Problem::LayerOutOfRange(def.layer));
        }
        Modifier {
            attribute: self
                .attribute(&path("Attribute"), &def.attribute)
                .unwrap_or(AttributeId::from_index(0)),
            operation: def.operation,
            magnitude: self.magnitude(&path("Magnitude"), &def.magnitude, captures),
            // §9.4.1: a channel is ignored on anything but Multiply.
            channel: def
                .channel
                .as_ref()
                .filter(|_| def.operation == crate::modifier::Operation::Multiply)
                .and_then(|name| self.channel(&path("Channel"), name)),
            layer: def.layer.min(MAX_LAYER),
            source_tags: self.requirement(&path("SourceTags"), &def.source_tags),
            target_tags: self.requirement(&path("TargetTags"), &def.target_tags),
            factor_in_stacks: def.factor_in_stacks,
            live: false,
        }
    }

    /// Resolves the execution at index `at`, and adds the frozen reads of its scoped modifiers to `captures`.
    /// `None` if the calculation is unknown; one without outputs is reported.
    fn execution(
        &self,
        at: usize,
        def: &ExecutionDef,
        calculations: &[CompiledCalculation],
        captures: &mut Vec<Capture>,
    ) -> Option<Execution> {
        let path = format!("Executions[{at}].CalculatorClass");
        let calculation = self.calculation(&path, &def.calculation)?;
        let compiled = calculations.get(calculation.usize());
        if compiled.is_some_and(|compiled| !compiled.has_outputs()) {
            let problem = Problem::WrongCalculation { name: def.calculation.clone(), lacks: "outputs" };
            self.report(path, problem);
        }
        let modifiers = (0..).zip(&def.modifiers).filter_map(|(index, modifier): (usize, _)| {
            let path = format!("Executions[{at}].Modifiers[{index}]");
            let target = match &modifier.target {
                ScopedTargetDef::Attribute { name, from } => {
                    ScopedTarget::Attribute(from.side(), self.attribute(&format!("{path}.Attribute"), name)?)
                }
                ScopedTargetDef::Variable(name) => {
                    let known = compiled.and_then(|compiled| compiled.local(name));
                    if known.is_none() && self.collecting.is_none() {
                        let problem = Problem::UnknownVariable {
                            calculation: def.calculation.clone(),
                            name: name.clone(),
                        };
                        self.report(format!("{path}.Variable"), problem);
                    }
                    ScopedTarget::Variable(known?)
                }
            };
            let magnitude = self.magnitude(&format!("{path}.Magnitude"), &modifier.magnitude, captures);
            Some(ScopedModifier { target, operation: modifier.operation, magnitude })
        });
        Some(Execution { calculation, modifiers: modifiers.collect() })
    }

    /// Resolves stacking rules. Stacking with an execution policy other than parallel, or on an instant
    /// effect, is reported.
    fn stacking(&self, effect: &EffectDef, def: &StackingDef) -> Stacking {
        if effect.policy != ExecutionPolicy::RunInParallel {
            self.report("Stacking", Problem::StackingWithPolicy);
        }
        if effect.duration == DurationDef::Instant {
            self.report("Stacking", Problem::StackingOnInstant);
        }
        Stacking {
            kind: def.kind,
            limit: def.limit,
            duration_refresh: def.duration_refresh,
            max_duration: def.max_duration,
            period_reset: def.period_reset,
            expiration: def.expiration,
            overflow_effects: self.effects("Stacking.OverflowEffects", &def.overflow_effects),
            deny_overflow: def.deny_overflow,
            clear_on_overflow: def.clear_on_overflow,
        }
    }

    /// Resolves the additional effects; ones with an unknown effect are reported and left out.
    fn additional(&self, def: &EffectDef) -> Box<[AdditionalEffect]> {
        let resolve = |(at, additional): (usize, &crate::effect::AdditionalEffectDef)| {
            let path = format!("AdditionalEffects[{at}]");
            let mut numbers: Vec<(TagId, Program)> = Vec::new();
            for (tag, text) in &additional.set_by_caller {
                let path = format!("{path}.SetByCaller.{tag}");
                let (tag, program) = (self.tag(&path, tag), self.program(&path, text, &[]));
                numbers.extend(tag.zip(program));
            }
            Some(AdditionalEffect {
                effect: self.effect_id(&format!("{path}.Effect"), &additional.effect)?,
                to: additional.to,
                source_tags: self.requirement(&format!("{path}.SourceTags"), &additional.source_tags),
                target_tags: self.requirement(&format!("{path}.TargetTags"), &additional.target_tags),
                context_tags: self.requirement(&format!("{path}.ContextTags"), &additional.context_tags),
                set_by_caller: numbers.into_boxed_slice(),
            })
        };
        (0..).zip(&def.additional_effects).filter_map(resolve).collect()
    }

    /// Resolves granted abilities; ones with an unknown ability are reported and left out.
    pub(super) fn ability_grants(&self, path: &str, defs: &[AbilityGrantDef]) -> Box<[AbilityGrant]> {
        let resolve = |(at, grant): (usize, &AbilityGrantDef)| {
            Some(AbilityGrant {
                ability: self.ability(&format!("{path}[{at}].AbilityClass"), &grant.ability)?,
                level: grant.level,
                input: grant.input.as_deref().map(Into::into),
                removal: grant.removal,
                activate: grant.activate_on_grant,
                is_active: grant.is_active,
                dynamic_tags: self
                    .tag_set(&format!("{path}[{at}].DynamicTags"), &grant.dynamic_tags)
                    .iter()
                    .collect(),
            })
        };
        (0..).zip(defs).filter_map(resolve).collect()
    }

    /// Resolves a magnitude, and adds the attribute that it captures to `captures`. A magnitude that cannot
    /// be resolved is reported and becomes a constant.
    fn magnitude(&self, path: &str, def: &MagnitudeDef, captures: &mut Vec<Capture>) -> Magnitude {
        match def {
            MagnitudeDef::Scalable { value, curve, curve_input } => {
                let scale = self.finite(&format!("{path}.Value"), value.unwrap_or(1.0));
                let input = curve_input.as_ref().filter(|input| *input != "Level");
                let input = input.and_then(|input| self.program(&format!("{path}.CurveInput"), input, &[]));
                match curve {
                    Some(curve) => match self.curve_id(&format!("{path}.Curve"), curve) {
                        Some(curve) => Magnitude::Curve { scale, curve, input: input.map(Box::new) },
                        None => Magnitude::Constant(scale),
                    },
                    None if value.is_none() => {
                        self.report(path, Problem::EmptyMagnitude);
                        Magnitude::Constant(0.0)
                    }
                    None => Magnitude::Constant(scale),
                }
            }
            MagnitudeDef::Attribute(def) => self.attribute_magnitude(path, def, captures),
            MagnitudeDef::Calculation { name, coefficient, pre_add, post_add } => {
                for (field, value) in [
                    ("Coefficient", coefficient),
                    ("PreMultiplyAdditive", pre_add),
                    ("PostMultiplyAdditive", post_add),
                ] {
                    self.finite(&format!("{path}.{field}"), *value);
                }
                match self.calculation(&format!("{path}.CalculatorClass"), name) {
                    Some(calculation) => Magnitude::Calculation {
                        calculation,
                        coefficient: *coefficient,
                        pre_add: *pre_add,
                        post_add: *post_add,
                    },
                    None => Magnitude::Constant(0.0),
                }
            }
            MagnitudeDef::SetByCaller { tag, default } => {
                let default = default.map(|value| self.finite(&format!("{path}.Default"), value));
                match self.tag(&format!("{path}.DataTag"), tag) {
                    Some(tag) => Magnitude::SetByCaller { tag, default },
                    None => Magnitude::Constant(0.0),
                }
            }
            MagnitudeDef::Expression { text, capture } => {
                let frozen = *capture == CaptureTime::OnApplication;
                match self.program(&format!("{path}.Expression"), text, &[]) {
                    Some(program) => match program.constant() {
                        Some(value) => Magnitude::Constant(value),
                        None => Magnitude::Expression { program: Box::new(program), frozen },
                    },
                    None => Magnitude::Constant(0.0),
                }
            }
        }
    }

    /// Resolves an attribute-based magnitude. Captured on application, its read is added to `captures`;
    /// otherwise it stays live.
    fn attribute_magnitude(
        &self,
        path: &str,
        def: &AttributeMagnitudeDef,
        captures: &mut Vec<Capture>,
    ) -> Magnitude {
        if let AttributeCalculation::UpToLayer(layer) = def.calculation
            && layer > MAX_LAYER
        {
            self.report(format!("{path}.UpToChannel"), Problem::LayerOutOfRange(layer));
        }
        let curve = def.curve.as_ref().and_then(|curve| self.curve_id(&format!("{path}.Curve"), curve));
        let source_tag_filter = self.tag_set(&format!("{path}.SourceTagFilter"), &def.source_tag_filter);
        let target_tag_filter = self.tag_set(&format!("{path}.TargetTagFilter"), &def.target_tag_filter);
        let coefficient = self.finite(&format!("{path}.Coefficient"), def.coefficient);
        let pre_add = self.finite(&format!("{path}.PreMultiplyAdditive"), def.pre_add);
        let post_add = self.finite(&format!("{path}.PostMultiplyAdditive"), def.post_add);
        let Some(attribute) = self.attribute(&format!("{path}.BackingAttribute"), &def.attribute) else {
            return Magnitude::Constant(0.0);
        };
        let reading = Capture {
            side: def.from.side(),
            attribute,
            calculation: def.calculation,
            source_tag_filter,
            target_tag_filter,
        };
        let frozen = (def.capture == CaptureTime::OnApplication).then(|| capture(captures, reading.clone()));
        Magnitude::Attribute(Box::new(AttributeMagnitude {
            reading,
            frozen,
            coefficient,
            pre_add,
            post_add,
            curve,
        }))
    }
}

impl CaptureFrom {
    /// The capture side of an expression side; the owner of an effect is its target.
    pub(super) fn of(side: Side) -> Self {
        match side {
            Side::Source => Self::Source,
            Side::Target | Side::Owner => Self::Target,
        }
    }
}
