//! Specs and magnitudes by name (§9.4.2, E8, E9).

use std::collections::BTreeMap;
use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::effect::EffectDef;
use ugas_core::effect::magnitude::{
    AttributeCalculation, AttributeMagnitudeDef, CaptureFrom, CaptureTime, MagnitudeDef,
};
use ugas_core::expr::{Dependency, Environment, EvalError, Names, Program, Side};
use ugas_core::id::{AttributeId, TagId};

use super::{Actor, Game, Memory, Oracle, View};

/// Effect spec of the oracle.
#[derive(Clone, Debug)]
pub struct OracleSpec {
    pub(crate) def: Arc<EffectDef>,
    pub(crate) source: Option<Actor>,
    /// Last state of the source, after it was despawned.
    pub(crate) memory: Option<Memory>,
    /// Level.
    pub level: f64,
    /// SetByCaller numbers.
    pub set_by_caller: BTreeMap<String, f64>,
    /// Duration in microseconds that replaces that of the effect.
    pub duration: Option<i64>,
    /// Tags granted in addition to those of the effect.
    pub extra_tags: Vec<String>,
    /// Context tags (E14).
    pub context_tags: Vec<String>,
    frozen: BTreeMap<Frozen, f64>,
}

/// Key of a captured value: whether it is of the source, attribute, reading.
type Frozen = (bool, String, u8);

impl OracleSpec {
    /// Creates a spec without captured values; [`Oracle::spec`] captures them.
    pub(crate) fn new(def: Arc<EffectDef>, source: Option<Actor>, level: f64) -> Self {
        Self {
            def,
            source,
            memory: None,
            level,
            set_by_caller: BTreeMap::new(),
            duration: None,
            extra_tags: Vec::new(),
            context_tags: Vec::new(),
            frozen: BTreeMap::new(),
        }
    }

    /// Controller that causes the effect; `None` if the world does.
    pub fn source(&self) -> Option<Actor> {
        self.source
    }

    /// Tags that the effect grants: those of its definition, each once, and those of the spec (§9.7: one
    /// grant each).
    pub(crate) fn granted_tags(&self) -> Vec<String> {
        let mut tags = self.def.granted_tags.clone();
        tags.sort();
        tags.dedup();
        tags.extend(self.extra_tags.iter().cloned());
        tags
    }

    /// Tags by which others select the effect, for immunity and removal: its asset tags and its granted tags,
    /// including those that the spec adds.
    pub(crate) fn own_tags(&self) -> Vec<String> {
        let mut tags = self.granted_tags();
        tags.extend(self.def.asset_tags.iter().cloned());
        tags
    }
}

/// Outcome code of the core for a magnitude without a value.
pub(crate) type Failure = &'static str;

impl Oracle {
    /// Creates a spec of an effect by name; frozen captures of the source are read now (E8). `None` if there
    /// is no such effect.
    pub fn spec(&self, effect: &str, source: Option<Actor>, level: f64) -> Option<OracleSpec> {
        let mut spec = OracleSpec::new(self.effect_def(effect)?, source, level);
        if let Some(source) = source.filter(|&source| self.is_alive(source)) {
            self.freeze(&mut spec, CaptureFrom::Source, source);
        }
        Some(spec)
    }

    /// Captures the frozen values of one side (E8): those of the source when the spec is created, those of
    /// the target at application. A value that does not exist is removed, so that the magnitude fails later.
    pub(crate) fn freeze(&self, spec: &mut OracleSpec, from: CaptureFrom, actor: Actor) {
        let view = self.view();
        let def = Arc::clone(&spec.def);
        for magnitude in magnitudes_of(&def) {
            match magnitude {
                MagnitudeDef::Attribute(attribute)
                    if attribute.capture == CaptureTime::OnApplication && attribute.from == from =>
                {
                    let value = view.reading(actor, &attribute.attribute, attribute.calculation);
                    store_capture(&mut spec.frozen, frozen_key(attribute), value);
                }
                MagnitudeDef::Expression { text, capture: CaptureTime::OnApplication } => {
                    for dependency in self.program(text).dependencies() {
                        if let Dependency::Attribute(side, id) = dependency
                            && *side == from.side()
                        {
                            let name = self.catalog.attribute_name(*id).to_owned();
                            let value = view.current(actor, &name);
                            store_capture(&mut spec.frozen, (from == CaptureFrom::Source, name, 0), value);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Compiled expression of the game by its text; panics if the game has no such expression.
    pub(crate) fn program(&self, text: &str) -> &Program {
        self.programs.get(text).unwrap_or_else(|| panic!("`{text}` is no expression of the game"))
    }
}

impl View<'_> {
    /// Evaluates the magnitudes of all modifiers, in their order, with captured values. The error is the code
    /// of the first that has no value.
    pub(crate) fn magnitudes(
        &self,
        spec: &OracleSpec,
        target: Actor,
        stacks: u32,
    ) -> Result<Vec<f64>, Failure> {
        let each = spec.def.modifiers.iter().map(|modifier| &modifier.magnitude);
        each.map(|magnitude| self.magnitude(magnitude, spec, target, stacks)).collect()
    }

    /// Evaluates one magnitude of a spec on a target with this stack count; frozen ones read captured values.
    /// The error is the outcome code of the core. Panics for curves and calculations, which the oracle does
    /// not model.
    pub(crate) fn magnitude(
        &self,
        magnitude: &MagnitudeDef,
        spec: &OracleSpec,
        target: Actor,
        stacks: u32,
    ) -> Result<f64, Failure> {
        let value = match magnitude {
            MagnitudeDef::Scalable { value, curve: None, .. } => value.unwrap_or_default(),
            MagnitudeDef::SetByCaller { tag, default } => {
                spec.set_by_caller.get(tag).copied().or(*default).ok_or("MissingSetByCaller")?
            }
            MagnitudeDef::Attribute(attribute) => {
                let frozen = attribute.capture == CaptureTime::OnApplication;
                let value = if frozen {
                    spec.frozen.get(&frozen_key(attribute)).copied()
                } else {
                    self.party_reading(
                        spec,
                        target,
                        attribute.from.side(),
                        &attribute.attribute,
                        attribute.calculation,
                    )
                };
                let value = value.ok_or("MissingAttribute")?;
                (value + attribute.pre_add) * attribute.coefficient + attribute.post_add
            }
            MagnitudeDef::Expression { text, capture } => {
                let frozen = *capture == CaptureTime::OnApplication;
                let mut values = Values { view: self, spec, target, stacks, frozen };
                self.oracle.program(text).evaluate(&mut values).map_err(|error| match error {
                    EvalError::MissingAttribute { .. } => "MissingAttribute",
                    EvalError::MissingSetByCaller { .. } => "MissingSetByCaller",
                    _ => "NonFinite",
                })?
            }
            MagnitudeDef::Scalable { .. } | MagnitudeDef::Calculation { .. } => {
                panic!("the oracle knows neither curves nor calculations")
            }
        };
        if value.is_finite() { Ok(value) } else { Err("NonFinite") }
    }

    /// Base of a derived attribute (B2) by its expression; `None` if it cannot be evaluated, so that the last
    /// value stays.
    pub(super) fn derive(&self, actor: Actor, expression: &str) -> Option<f64> {
        let program = self.oracle.program(expression);
        program.evaluate(&mut Own { view: self, actor }).ok()
    }

    /// Reads an attribute of the target or of the source. A despawned source is read from memory, in which a
    /// layer counts as the current value (M5).
    fn party_reading(
        &self,
        spec: &OracleSpec,
        target: Actor,
        side: Side,
        attribute: &str,
        calculation: AttributeCalculation,
    ) -> Option<f64> {
        if side != Side::Source {
            return self.reading(target, attribute, calculation);
        }
        let Some(memory) = &spec.memory else {
            return self.reading(spec.source?, attribute, calculation);
        };
        let (base, current) = *memory.values.get(attribute)?;
        Some(match calculation {
            AttributeCalculation::Current | AttributeCalculation::UpToLayer(_) => current,
            AttributeCalculation::Base => base,
            AttributeCalculation::Bonus => current - base,
        })
    }
}

/// Compiles every expression of the game with the core's compiler, by its text: the only evaluation that the
/// oracle shares with the core. Panics if one does not compile.
pub(super) fn programs(game: &Game, catalog: &Catalog) -> BTreeMap<String, Program> {
    let magnitudes = game.effects.iter().flat_map(magnitudes_of).filter_map(|magnitude| match magnitude {
        MagnitudeDef::Expression { text, .. } => Some(text),
        _ => None,
    });
    let additional = game.effects.iter().flat_map(|def| &def.additional_effects);
    let passed = additional.flat_map(|additional| additional.set_by_caller.iter().map(|(_, text)| text));
    let derived = game.sets.iter().flat_map(|set| &set.attributes).filter_map(|def| def.derived.as_ref());
    let compile = |text: &String| match Program::compile(text, &ByName(catalog)) {
        Ok(program) => (text.clone(), program),
        Err(errors) => panic!("`{text}` does not compile: {errors:?}"),
    };
    magnitudes.chain(passed).chain(derived).map(compile).collect()
}

/// Magnitudes of the modifiers and of the duration: all that a spec may capture or an expression may be in.
fn magnitudes_of(def: &EffectDef) -> Vec<&MagnitudeDef> {
    let mut list: Vec<_> = def.modifiers.iter().map(|modifier| &modifier.magnitude).collect();
    if let ugas_core::effect::DurationDef::HasDuration(magnitude) = &def.duration {
        list.push(magnitude);
    }
    list
}

/// Key under which the captured value of a frozen magnitude is stored: side, attribute and kind of reading.
fn frozen_key(attribute: &AttributeMagnitudeDef) -> Frozen {
    let calculation = match attribute.calculation {
        AttributeCalculation::Current => 0,
        AttributeCalculation::Base => 1,
        AttributeCalculation::Bonus => 2,
        AttributeCalculation::UpToLayer(layer) => 3 + layer,
    };
    (attribute.from == CaptureFrom::Source, attribute.attribute.clone(), calculation)
}

/// Stores a captured value; removes an older one if there is none, so that it is not used by mistake.
fn store_capture(frozen: &mut BTreeMap<Frozen, f64>, key: Frozen, value: Option<f64>) {
    match value {
        Some(value) => frozen.insert(key, value),
        None => frozen.remove(&key),
    };
}

/// Resolver of names in expressions.
struct ByName<'a>(&'a Catalog);

impl Names for ByName<'_> {
    /// Attribute of the catalog; `None` if it has none of this name, which is a compile error of the
    /// expression.
    fn attribute(&self, name: &str) -> Option<AttributeId> {
        self.0.attribute(name).ok()
    }

    /// Tag of the catalog; `None` if it has none of this name, which is a compile error of the expression.
    fn tag(&self, name: &str) -> Option<TagId> {
        self.0.tag(name).ok()
    }
}

/// Evaluation environment of a magnitude's expression.
struct Values<'a> {
    view: &'a View<'a>,
    spec: &'a OracleSpec,
    target: Actor,
    stacks: u32,
    frozen: bool,
}

impl Environment for Values<'_> {
    /// Captured value if the magnitude is frozen, else the live value; an error if the side is missing or
    /// lacks the attribute.
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        let name = self.view.oracle.catalog.attribute_name(attribute);
        let value = if self.frozen {
            self.spec.frozen.get(&(side == Side::Source, name.to_owned(), 0)).copied()
        } else {
            self.view.party_reading(self.spec, self.target, side, name, AttributeCalculation::Current)
        };
        value.ok_or(EvalError::MissingAttribute { side, attribute })
    }

    /// Whether that side has the tag or one below it. Tags are read live, also by a frozen magnitude.
    fn has_tag(&mut self, side: Side, tag: TagId) -> bool {
        let tag = self.view.oracle.catalog.tag_name(tag);
        match side {
            Side::Source => self.view.source_has(self.spec, tag),
            Side::Owner | Side::Target => self.view.has(self.target, tag),
        }
    }

    /// Level of the spec.
    fn level(&self) -> f64 {
        self.spec.level
    }

    /// Stack count that the magnitude is evaluated for.
    fn stacks(&self) -> f64 {
        f64::from(self.stacks)
    }

    /// Number of the caller; an error if there is none, because expressions have no default.
    fn set_by_caller(&self, tag: TagId) -> Result<f64, EvalError> {
        let name = self.view.oracle.catalog.tag_name(tag);
        self.spec.set_by_caller.get(name).copied().ok_or(EvalError::MissingSetByCaller { tag })
    }
}

/// Evaluation environment of a derived attribute's expression.
struct Own<'a> {
    view: &'a View<'a>,
    actor: Actor,
}

impl Environment for Own<'_> {
    /// Current value of the controller's own attribute, whichever side the expression names; an error if the
    /// controller lacks it.
    fn attribute(&mut self, side: Side, attribute: AttributeId) -> Result<f64, EvalError> {
        let name = self.view.oracle.catalog.attribute_name(attribute);
        self.view.current(self.actor, name).ok_or(EvalError::MissingAttribute { side, attribute })
    }
}
