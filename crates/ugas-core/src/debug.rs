//! Debug pages: the complete state of a controller, readable (GASD §6).
//!
//! [`Simulation::debug`] returns it as data with names instead of ids; its `Display` is text. [`explain`]
//! shows where a single value comes from.
//!
//! [`explain`]: crate::explain

mod names;
mod text;

pub use names::ControllerNames;

use crate::ability::{Ability, AbilityState, GrantedAbility, ParameterDef};
use crate::effect::{ActiveEffect, Effect, EffectStatus};
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId, TaskId};
use crate::number::short;
use crate::simulation::Simulation;
use crate::task::Subject;
use crate::time::{Span, Time};

/// The complete state of a controller, with names instead of ids.
///
/// ```
/// # use ugas_core::attribute::{AttributeDef, AttributeSetDef};
/// # use ugas_core::catalog::Catalog;
/// # use ugas_core::controller::ControllerDef;
/// # use ugas_core::simulation::{Config, Simulation};
/// # let catalog = Catalog::builder()
/// #     .attribute_set(AttributeSetDef::new("Combat").with(AttributeDef::new("Health", 100.0)))
/// #     .template(ControllerDef::new("Wolf").with_set("Combat").with_tag("Kind.Beast"))
/// #     .build()?;
/// # let mut sim = Simulation::new(catalog, Config::default());
/// let wolf = sim.spawn("Wolf")?;
/// let page = sim.debug(wolf).unwrap();
/// assert_eq!(page.attributes[0].name, "Health");
/// println!("{page}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ControllerPage {
    /// The controller.
    pub controller: ControllerId,
    /// Name of the template it was spawned from.
    pub template: Option<String>,
    /// Simulation time of the page.
    pub time: Time,
    /// Whether it is inactive: it refuses activations, input, events and applications (K1).
    pub inactive: bool,
    /// The controller whose ability summoned it (A17).
    pub summoned_by: Option<ControllerId>,
    /// Attributes, in evaluation order.
    pub attributes: Vec<AttributeLine>,
    /// Names of the attributes whose values the server withholds from this client (N1), in id order.
    pub not_replicated: Vec<String>,
    /// Granted tags, in id order.
    pub tags: Vec<TagLine>,
    /// Effects, in application order.
    pub effects: Vec<EffectLine>,
    /// Abilities, in grant order.
    pub abilities: Vec<AbilityLine>,
    /// Running tasks, in the order of their activations.
    pub tasks: Vec<TaskLine>,
    /// Cues, with the number of effects and abilities that show each.
    pub cues: Vec<(String, u32)>,
    /// Inputs that were pressed too early and are kept for a while.
    pub buffered_inputs: Vec<String>,
    /// Position; `None` if it is nowhere.
    pub position: Option<[f64; 3]>,
    /// Name of its team.
    pub team: Option<String>,
}

/// An attribute of a [`ControllerPage`].
#[derive(Clone, PartialEq, Debug)]
pub struct AttributeLine {
    /// Its name.
    pub name: String,
    /// Its base value.
    pub base: f64,
    /// Its current value.
    pub current: f64,
}

/// A tag of a [`ControllerPage`].
#[derive(Clone, PartialEq, Debug)]
pub struct TagLine {
    /// Its name.
    pub name: String,
    /// How often the tag itself was granted.
    pub count: u32,
    /// How often the tag or one below it was granted.
    pub cumulative: u32,
}

/// An effect of a [`ControllerPage`].
#[derive(Clone, PartialEq, Debug)]
pub struct EffectLine {
    /// Handle of the active effect.
    pub active: ActiveEffectId,
    /// Name of the effect.
    pub name: String,
    /// The controller that caused it.
    pub source: Option<ControllerId>,
    /// Its level.
    pub level: f64,
    /// Its stacks.
    pub stacks: u32,
    /// Whether it waits for its turn (E4).
    pub queued: bool,
    /// Whether its ongoing requirements fail (E7).
    pub inhibited: bool,
    /// Time left; `None` if it is infinite.
    pub remaining: Option<Span>,
    /// Total duration; `None` if it is infinite.
    pub duration: Option<Span>,
    /// Time between its executions.
    pub period: Option<Span>,
    /// Time of its next execution.
    pub next_tick: Option<Time>,
    /// Its modifiers as text: `Health Add -5`.
    pub modifiers: Vec<String>,
    /// Tags that it grants.
    pub granted_tags: Vec<String>,
    /// Abilities that it grants.
    pub granted_abilities: Vec<String>,
    /// Tags of the ability that applied it, which count as tags of its source (E13).
    pub ability_tags: Vec<String>,
    /// Tags of its context (E14).
    pub context_tags: Vec<String>,
    /// Set-by-caller magnitudes by tag, passed ones included (E15).
    pub set_by_caller: Vec<(String, f64)>,
}

/// An ability of a [`ControllerPage`].
#[derive(Clone, PartialEq, Debug)]
pub struct AbilityLine {
    /// Handle of the granted ability.
    pub handle: GrantedAbilityId,
    /// Name of the ability.
    pub name: String,
    /// Its level.
    pub level: u32,
    /// Name of the input it is bound to.
    pub input: Option<String>,
    /// State of the ability.
    pub state: AbilityState,
    /// Number of its activations.
    pub runs: u32,
    /// Time left of its cooldown, and the whole cooldown.
    pub cooldown: Option<(Span, Span)>,
    /// Charges left and maximum charges; `None` without charges.
    pub charges: Option<(u32, u32)>,
    /// Parameters by name (A18): those of the definition with the numbers of the grant, then other numbers of
    /// the grant.
    pub parameters: Vec<(String, ParameterDef)>,
    /// Why it cannot be activated now, as text; empty if it can.
    pub obstacles: Vec<String>,
}

/// A task of a [`ControllerPage`].
#[derive(Clone, PartialEq, Debug)]
pub struct TaskLine {
    /// Handle of the task.
    pub task: TaskId,
    /// Name of its ability.
    pub ability: String,
    /// Its kind, as in files.
    pub kind: String,
    /// Time at which it began.
    pub started: Time,
    /// Time at which it ends by itself or times out.
    pub deadline: Option<Time>,
    /// Its subscriptions, as text.
    pub waits_for: Vec<String>,
}

impl Simulation {
    /// The complete state of a controller, for people (GASD §6); `None` if it does not exist.
    pub fn debug(&self, controller: ControllerId) -> Option<ControllerPage> {
        let known = self.controller(controller)?;
        let catalog = self.catalog();
        let attributes = self.attributes(controller).map(|(id, base, current)| AttributeLine {
            name: catalog.attribute_name(id).to_owned(),
            base,
            current,
        });
        let tags = known.tags().iter().map(|(id, count)| TagLine {
            name: catalog.tag_name(id).to_owned(),
            count,
            cumulative: known.tags().cumulative_count(id),
        });
        Some(ControllerPage {
            controller,
            template: known.template().map(|template| catalog.template_name(template).to_owned()),
            time: self.now(),
            inactive: !known.is_active(),
            summoned_by: known.instigator(),
            attributes: attributes.collect(),
            not_replicated: self
                .withheld(controller)
                .map(|id| catalog.attribute_name(id).to_owned())
                .collect(),
            tags: tags.collect(),
            effects: known.effects().iter().filter_map(|&id| self.effect_line(id)).collect(),
            abilities: known.abilities().iter().filter_map(|&handle| self.ability_line(handle)).collect(),
            tasks: self.tasks_of(controller).filter_map(|task| self.task_line(task)).collect(),
            cues: known
                .cues()
                .iter()
                .map(|&(cue, count)| (catalog.tag_name(cue).to_owned(), count))
                .collect(),
            buffered_inputs: known.input_buffer().iter().map(|kept| kept.input.to_string()).collect(),
            position: known.placement().map(|placement| placement.position()),
            team: known.team().map(|team| team.name().to_owned()),
        })
    }

    /// The line of an active effect; `None` if it or its definition is gone.
    fn effect_line(&self, id: ActiveEffectId) -> Option<EffectLine> {
        let active = self.effect(id)?;
        let effect = self.effect_definition(active.effect())?;
        let catalog = self.catalog();
        let tags = effect.granted_tags().iter().chain(active.spec().granted_tags().iter().copied());
        let context = active.spec().context();
        let name = |tag| catalog.tag_name(tag).to_owned();
        let abilities = active.granted_abilities().iter().filter_map(|&handle| self.ability(handle));
        Some(EffectLine {
            active: id,
            name: effect.name().to_owned(),
            source: active.source(),
            level: active.spec().level(),
            stacks: active.stacks(),
            queued: active.status() == EffectStatus::Queued,
            inhibited: active.is_inhibited(),
            remaining: active.remaining(self.now()),
            duration: active.duration(),
            period: active.period(),
            next_tick: active.next_tick(),
            modifiers: self.modifier_texts(active, effect),
            granted_tags: tags.map(|tag| catalog.tag_name(tag).to_owned()).collect(),
            granted_abilities: abilities
                .map(|granted| catalog.ability_name(granted.ability()).to_owned())
                .collect(),
            ability_tags: context.ability_tags().into_iter().flat_map(|tags| tags.iter()).map(name).collect(),
            context_tags: context.tags().iter().map(name).collect(),
            set_by_caller: active
                .spec()
                .magnitudes()
                .iter()
                .map(|&(tag, value)| (name(tag), value))
                .collect(),
        })
    }

    /// Each modifier of an active effect as text, with its current magnitude before stacks.
    fn modifier_texts(&self, active: &ActiveEffect, effect: &Effect) -> Vec<String> {
        let text = |(modifier, magnitude): (&crate::effect::Modifier, &f64)| {
            let attribute = self.catalog().attribute_name(modifier.attribute);
            format!("{attribute} {:?} {}", modifier.operation, short(*magnitude))
        };
        effect.modifiers.iter().zip(active.magnitudes()).map(text).collect()
    }

    /// The line of a granted ability, with the reasons why it cannot be activated now.
    fn ability_line(&self, handle: GrantedAbilityId) -> Option<AbilityLine> {
        let granted = self.ability(handle)?;
        let ability = self.catalog().ability_by_id(granted.ability())?;
        let obstacles = match self.can_activate(handle) {
            Ok(()) => Vec::new(),
            Err(refusal) => refusal.reasons.iter().map(|reason| reason.describe(self)).collect(),
        };
        Some(AbilityLine {
            handle,
            name: ability.name().to_owned(),
            level: granted.level(),
            input: granted.input().map(ToString::to_string),
            state: self.ability_state(handle)?,
            runs: granted.activations().len() as u32,
            cooldown: self.ability_cooldown(handle),
            charges: ability.def().charges.map(|charges| (granted.charges(), charges.max)),
            parameters: parameters(ability, granted),
            obstacles,
        })
    }

    /// The line of a running task; `None` if it or its activation is gone.
    fn task_line(&self, id: TaskId) -> Option<TaskLine> {
        let task = self.task(id)?;
        let activation = self.activation(task.activation())?;
        Some(TaskLine {
            task: id,
            ability: self.catalog().ability_name(activation.ability()).to_owned(),
            kind: self.task_kind(id)?.to_owned(),
            started: task.started(),
            deadline: task.deadline(),
            waits_for: task
                .subjects()
                .iter()
                .chain(task.watched().iter().map(|(_, subject)| subject))
                .map(|&subject| self.subject_text(subject))
                .collect(),
        })
    }

    /// The occurrence that a task waits for, as text after "waits for".
    fn subject_text(&self, subject: Subject) -> String {
        let catalog = self.catalog();
        match subject {
            Subject::Attribute(attribute) => format!("a change of {}", catalog.attribute_name(attribute)),
            Subject::TagCount(tag) => format!("the count of {} to change", catalog.tag_name(tag)),
            Subject::Tag(tag) => format!("{} to appear or go", catalog.tag_name(tag)),
            Subject::Event(tag) => format!("an event {}", catalog.tag_name(tag)),
            Subject::InputPressed => "a press".to_owned(),
            Subject::InputReleased => "a release".to_owned(),
            Subject::EffectApplied => "an effect".to_owned(),
            Subject::EffectRemoved => "the end of an effect".to_owned(),
            Subject::EffectBlocked => "an immunity".to_owned(),
            Subject::EffectStackChanged => "a change of stacks".to_owned(),
            Subject::AbilityActivated => "an activation".to_owned(),
            Subject::AbilityCommitted => "a commit".to_owned(),
            Subject::AbilityEnded => "the end of an ability".to_owned(),
            Subject::Confirmation => "a confirmation".to_owned(),
        }
    }
}

/// Parameters of a granted ability: those of the definition with the grant's numbers, then the numbers that
/// only the grant has. A boolean stays one as long as its number is 0 or 1.
fn parameters(ability: &Ability, granted: &GrantedAbility) -> Vec<(String, ParameterDef)> {
    let defined = &ability.def().parameters;
    let now = |name: &str, value: &ParameterDef| match (value, granted.parameter(name)) {
        (ParameterDef::Flag(_), Some(number)) if number == 0.0 || number == 1.0 => {
            ParameterDef::Flag(number == 1.0)
        }
        (ParameterDef::Number(_) | ParameterDef::Flag(_), Some(number)) => ParameterDef::Number(number),
        _ => value.clone(),
    };
    let others = granted.parameters().filter(|(name, _)| ability.parameter(name).is_none());
    let others = others.map(|(name, number)| (name.to_owned(), ParameterDef::Number(number)));
    defined.iter().map(|(name, value)| (name.clone(), now(name, value))).chain(others).collect()
}
