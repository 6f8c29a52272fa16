//! A small game to test in: a hero and a wolf with the same attributes, addressed by name.

use std::collections::BTreeMap;

use ugas_core::ability::{AbilityDef, ActivationRefusal, EndReason, GameplayEvent};
use ugas_core::attribute::{AttributeDef, AttributeSetDef};
use ugas_core::catalog::{Catalog, CatalogBuilder};
use ugas_core::controller::ControllerDef;
use ugas_core::effect::{ActiveEffect, EffectContext, EffectDef, EffectSpec};
use ugas_core::event::{Event, EventKind};
use ugas_core::handle::{ActivationId, ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use ugas_core::id::{AbilityId, AttributeId, EffectId, TagId};
use ugas_core::modifier::Operation;
use ugas_core::refusal::Refusal;
use ugas_core::simulation::{Application, Config, Simulation};
use ugas_core::tag::TagSet;
use ugas_core::time::Span;

/// Health 100 in 0..MaxHealth, MaxHealth 100, Mana 50 from 0, and unbounded Attack 100, Strength 50, Armor
/// 20, Speed 400.
pub(crate) fn unit_set() -> AttributeSetDef {
    AttributeSetDef::new("Unit")
        .with(AttributeDef::new("Health", 100.0).min(0.0).max("MaxHealth"))
        .with(AttributeDef::new("MaxHealth", 100.0))
        .with(AttributeDef::new("Mana", 50.0).min(0.0))
        .with(AttributeDef::new("Attack", 100.0))
        .with(AttributeDef::new("Strength", 50.0))
        .with(AttributeDef::new("Armor", 20.0))
        .with(AttributeDef::new("Speed", 400.0))
}

/// A builder with the unit set and the template `Unit`.
pub(crate) fn builder() -> CatalogBuilder {
    Catalog::builder().attribute_set(unit_set()).template(ControllerDef::new("Unit").with_set("Unit"))
}

/// An infinite effect that only grants a tag, named `Tag:` and the tag.
pub(crate) fn tagging(tag: &str) -> EffectDef {
    EffectDef::infinite(format!("Tag:{tag}")).granting(tag)
}

/// An instant effect of one modifier.
pub(crate) fn instant(name: &str, attribute: &str, operation: Operation, magnitude: f64) -> EffectDef {
    EffectDef::instant(name).modify(attribute, operation, magnitude)
}

/// An infinite effect of one modifier.
pub(crate) fn buff(name: &str, attribute: &str, operation: Operation, magnitude: f64) -> EffectDef {
    EffectDef::infinite(name).modify(attribute, operation, magnitude)
}

/// Asserts equality up to rounding in the last digits, for decimals that binary cannot hold.
#[track_caller]
pub(crate) fn assert_close(actual: f64, expected: f64) {
    assert!((actual - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{actual} is not {expected}");
}

/// A simulation whose controllers have names.
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) sim: Simulation,
    names: BTreeMap<String, ControllerId>,
}

impl Game {
    /// Hero and wolf in a catalog with these effects.
    pub(crate) fn of(effects: impl IntoIterator<Item = EffectDef>) -> Self {
        Self::build(|builder| effects.into_iter().fold(builder, CatalogBuilder::effect))
    }

    /// Hero and wolf in a catalog with these additions.
    pub(crate) fn build(extend: impl FnOnce(CatalogBuilder) -> CatalogBuilder) -> Self {
        Self::configured(Config::seeded(7), extend)
    }

    /// Hero and wolf under a configuration.
    pub(crate) fn configured(config: Config, extend: impl FnOnce(CatalogBuilder) -> CatalogBuilder) -> Self {
        let mut game = Self::empty(config, extend(builder()));
        game.spawn("hero", "Unit");
        game.spawn("wolf", "Unit");
        game.events();
        game
    }

    /// A game without controllers.
    pub(crate) fn empty(config: Config, builder: CatalogBuilder) -> Self {
        let catalog = builder.build().unwrap_or_else(|errors| panic!("{errors}"));
        Self { sim: Simulation::new(catalog, config), names: BTreeMap::new() }
    }

    /// A game on a simulation, without named controllers.
    pub(crate) fn around(sim: Simulation) -> Self {
        Self { sim, names: BTreeMap::new() }
    }

    pub(crate) fn spawn(&mut self, name: &str, template: &str) -> ControllerId {
        let id = self.sim.spawn(template).unwrap_or_else(|error| panic!("{error}"));
        self.names.insert(name.to_owned(), id);
        id
    }

    /// Gives a controller a name.
    pub(crate) fn name(&mut self, name: &str, id: ControllerId) {
        self.names.insert(name.to_owned(), id);
    }

    #[track_caller]
    pub(crate) fn id(&self, name: &str) -> ControllerId {
        *self.names.get(name).unwrap_or_else(|| panic!("nobody is called {name}"))
    }

    #[track_caller]
    pub(crate) fn attribute(&self, name: &str) -> AttributeId {
        self.sim.catalog().attribute(name).unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    pub(crate) fn tag(&self, name: &str) -> TagId {
        self.sim.catalog().tag(name).unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    pub(crate) fn effect(&self, name: &str) -> EffectId {
        self.sim.catalog().effect(name).unwrap_or_else(|error| panic!("{error}"))
    }

    #[track_caller]
    pub(crate) fn current(&self, who: &str, attribute: &str) -> f64 {
        let value = self.sim.current(self.id(who), self.attribute(attribute));
        value.unwrap_or_else(|| panic!("{who} has no {attribute}"))
    }

    #[track_caller]
    pub(crate) fn base(&self, who: &str, attribute: &str) -> f64 {
        let value = self.sim.base(self.id(who), self.attribute(attribute));
        value.unwrap_or_else(|| panic!("{who} has no {attribute}"))
    }

    #[track_caller]
    pub(crate) fn has_tag(&self, who: &str, tag: &str) -> bool {
        self.sim.has_tag(self.id(who), self.tag(tag))
    }

    /// A spec at level 1.
    #[track_caller]
    pub(crate) fn spec(&self, effect: &str, source: &str) -> EffectSpec {
        let context = EffectContext::of(self.id(source));
        self.sim.spec(self.effect(effect), 1.0, context).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A spec with a set-by-caller magnitude.
    #[track_caller]
    pub(crate) fn spec_with(&self, effect: &str, source: &str, tag: &str, value: f64) -> EffectSpec {
        self.spec(effect, source).with_magnitude(self.tag(tag), value)
    }

    pub(crate) fn try_apply(
        &mut self,
        effect: &str,
        source: &str,
        target: &str,
    ) -> Result<Application, Refusal> {
        let (source, target) = (self.id(source), self.id(target));
        self.sim.apply_effect(self.effect(effect), Some(source), target)
    }

    /// Applies an effect that must not be refused.
    #[track_caller]
    pub(crate) fn apply(&mut self, effect: &str, source: &str, target: &str) -> Application {
        match self.try_apply(effect, source, target) {
            Ok(application) => application,
            Err(refusal) => panic!("{}", refusal.describe(&self.sim)),
        }
    }

    /// Applies a spec that must not be refused.
    #[track_caller]
    pub(crate) fn apply_spec(&mut self, spec: &EffectSpec, target: &str) -> Application {
        match self.sim.apply(spec, self.id(target)) {
            Ok(application) => application,
            Err(refusal) => panic!("{}", refusal.describe(&self.sim)),
        }
    }

    /// Applies an effect with a duration and returns its active effect.
    #[track_caller]
    pub(crate) fn activate(&mut self, effect: &str, source: &str, target: &str) -> ActiveEffectId {
        let application = self.apply(effect, source, target);
        application.active().unwrap_or_else(|| panic!("{effect} is not active: {application:?}"))
    }

    /// Applies an effect that must be refused, and returns the message of the refusal.
    #[track_caller]
    pub(crate) fn refusal(&mut self, effect: &str, source: &str, target: &str) -> String {
        match self.try_apply(effect, source, target) {
            Ok(application) => panic!("{effect} was not refused: {application:?}"),
            Err(refusal) => refusal.describe(&self.sim),
        }
    }

    #[track_caller]
    pub(crate) fn active(&self, id: ActiveEffectId) -> &ActiveEffect {
        self.sim.effect(id).unwrap_or_else(|| panic!("{id:?} is not active"))
    }

    /// Hero and wolf in a catalog with these effects and abilities; the abilities are granted to the hero.
    pub(crate) fn with_abilities(
        effects: impl IntoIterator<Item = EffectDef>,
        abilities: impl IntoIterator<Item = AbilityDef>,
    ) -> (Self, Vec<GrantedAbilityId>) {
        let abilities: Vec<AbilityDef> = abilities.into_iter().collect();
        let names: Vec<String> = abilities.iter().map(|def| def.name.clone()).collect();
        let mut game = Self::build(|builder| {
            let builder = effects.into_iter().fold(builder, CatalogBuilder::effect);
            abilities.into_iter().fold(builder, CatalogBuilder::ability)
        });
        let handles = names.iter().map(|name| game.grant("hero", name)).collect();
        game.events();
        (game, handles)
    }

    #[track_caller]
    pub(crate) fn ability(&self, name: &str) -> AbilityId {
        self.sim.catalog().ability(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Grants an ability at level 1.
    #[track_caller]
    pub(crate) fn grant(&mut self, who: &str, ability: &str) -> GrantedAbilityId {
        let granted = self.sim.grant(self.id(who), self.ability(ability), 1);
        granted.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Activates an ability that must not be refused.
    #[track_caller]
    pub(crate) fn run(&mut self, handle: GrantedAbilityId) -> ActivationId {
        match self.sim.activate(handle) {
            Ok(activation) => activation,
            Err(refusal) => panic!("{}", refusal.describe(&self.sim)),
        }
    }

    /// All codes of a refusal, in order.
    #[track_caller]
    pub(crate) fn codes<T: std::fmt::Debug>(result: Result<T, ActivationRefusal>) -> Vec<&'static str> {
        match result {
            Ok(done) => panic!("it was not refused: {done:?}"),
            Err(refusal) => refusal.reasons.iter().map(|reason| reason.code()).collect(),
        }
    }

    pub(crate) fn tag_set<const N: usize>(&self, names: [&str; N]) -> TagSet {
        names.iter().map(|name| self.tag(name)).collect()
    }

    pub(crate) fn is_active(&self, handle: GrantedAbilityId) -> bool {
        self.sim.ability(handle).is_some_and(|granted| granted.is_active())
    }

    /// Sends an event with a magnitude.
    #[track_caller]
    pub(crate) fn send(&mut self, who: &str, tag: &str, magnitude: f64) {
        let event = GameplayEvent { magnitude, ..GameplayEvent::new(self.tag(tag)) };
        self.sim.send_event(self.id(who), event).unwrap_or_else(|error| panic!("{error}"));
    }

    /// The only task of a controller's abilities.
    #[track_caller]
    pub(crate) fn task(&self, who: &str) -> TaskId {
        let tasks: Vec<TaskId> = self.sim.tasks_of(self.id(who)).collect();
        let [task] = tasks[..] else { panic!("one task and not {}", tasks.len()) };
        task
    }

    /// The kinds of the running tasks.
    pub(crate) fn waits(&self, who: &str) -> Vec<String> {
        let tasks = self.sim.tasks_of(self.id(who));
        tasks.map(|task| self.sim.task_kind(task).unwrap_or_default().to_owned()).collect()
    }

    /// §10.5: asserts that an ability leaves no activation, task, subscription, tag, cue, effect or timer
    /// behind.
    #[track_caller]
    pub(crate) fn assert_idle(&self, who: &str) {
        let controller = self.sim.controller(self.id(who)).unwrap_or_else(|| panic!("{who} is gone"));
        assert!(controller.activations().is_empty(), "runs");
        assert_eq!(self.waits(who), [""; 0], "tasks");
        assert_eq!(controller.subscription_count(), 0, "subscriptions");
        assert!(controller.tags().is_empty(), "tags");
        assert_eq!(controller.cues(), [], "cues");
        assert_eq!(controller.effects(), [], "effects");
        assert_eq!(self.sim.next_timer(), None, "timers");
    }

    /// Advances time by seconds.
    pub(crate) fn pass(&mut self, seconds: f64) {
        self.sim.advance(Span::seconds(seconds));
    }

    /// The events since the last call.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        self.sim.events().collect()
    }

    /// The events since the last call, each as a short text.
    pub(crate) fn log(&mut self) -> Vec<String> {
        let events = self.events();
        events.iter().map(|event| self.words(&event.kind)).collect()
    }

    /// Number of events of a kind since the last call.
    pub(crate) fn count(&mut self, kind: &str) -> usize {
        self.events().iter().filter(|event| event.kind.name() == kind).count()
    }

    fn who(&self, id: ControllerId) -> &str {
        self.names.iter().find(|(_, known)| **known == id).map_or("?", |(name, _)| name)
    }

    fn words(&self, kind: &EventKind) -> String {
        let catalog = self.sim.catalog();
        let effect = |id: EffectId| self.sim.effect_name(id).to_owned();
        match kind {
            EventKind::AttributeChanged { controller, attribute, old, new, .. } => {
                format!("{}.{} {old} -> {new}", self.who(*controller), catalog.attribute_name(*attribute))
            }
            EventKind::TagAdded { controller, tag } => {
                format!("{} +{}", self.who(*controller), catalog.tag_name(*tag))
            }
            EventKind::TagRemoved { controller, tag } => {
                format!("{} -{}", self.who(*controller), catalog.tag_name(*tag))
            }
            EventKind::EffectApplied { effect: id, .. } => format!("applied {}", effect(*id)),
            EventKind::EffectMerged { effect: id, .. } => format!("merged {}", effect(*id)),
            EventKind::EffectQueued { effect: id, .. } => format!("queued {}", effect(*id)),
            EventKind::EffectExecuted { effect: id, .. } => format!("executed {}", effect(*id)),
            EventKind::EffectRemoved { effect: id, reason, .. } => {
                format!("removed {} {reason:?}", effect(*id))
            }
            EventKind::EffectStackChanged { old, new, .. } => format!("stacks {old} -> {new}"),
            EventKind::EffectInhibited { .. } => "inhibited".to_owned(),
            EventKind::EffectResumed { .. } => "resumed".to_owned(),
            EventKind::EffectRefused(refusal) => {
                format!("refused {} {}", effect(refusal.effect), refusal.code())
            }
            EventKind::AbilityActivated { ability, .. } => {
                format!("activated {}", catalog.ability_name(*ability))
            }
            EventKind::AbilityCommitted { ability, .. } => {
                format!("committed {}", catalog.ability_name(*ability))
            }
            EventKind::AbilityEnded { ability, reason, .. } => {
                format!("ended {} {}", catalog.ability_name(*ability), reason_word(*reason))
            }
            EventKind::AbilityCancelled { ability, reason, .. } => {
                format!("cancelled {} {}", catalog.ability_name(*ability), reason_word(*reason))
            }
            EventKind::AbilityRefused(refusal) => format!("refused {}", refusal.code()),
            EventKind::GameplayEvent { controller, event } => {
                format!("{} ~{} {}", self.who(*controller), catalog.tag_name(event.tag), event.magnitude)
            }
            EventKind::CooldownBegan { duration, .. } => {
                format!("cooldown of {}", duration.map_or(f64::NAN, Span::as_seconds))
            }
            EventKind::ChargesChanged { charges, .. } => format!("charges {charges}"),
            EventKind::HostTaskRequested { kind, .. } => format!("host {kind}"),
            EventKind::CueAdded { cue, .. } => format!("cue +{}", catalog.tag_name(*cue)),
            EventKind::CueRemoved { cue, .. } => format!("cue -{}", catalog.tag_name(*cue)),
            EventKind::CueExecuted { cue, .. } => format!("cue !{}", catalog.tag_name(*cue)),
            other => other.name().to_owned(),
        }
    }
}

/// The name of a reason without its details.
fn reason_word(reason: EndReason) -> String {
    let word = format!("{reason:?}");
    word.split('(').next().unwrap_or_default().to_owned()
}
