//! Spawning and despawning of controllers (§4.2, §4.3).

use std::sync::Arc;

use smallvec::SmallVec;

use super::Simulation;
use crate::ability::{EndReason, Grant};
use crate::attribute::layout::AttributeSetError;
use crate::catalog::{CatalogErrors, Compiler, Template, UnknownName};
use crate::codec::StateRecord;
use crate::controller::{Controller, ControllerDef, ReplicationMode, Value};
use crate::effect::{EffectContext, LastSource, WatchSubject};
use crate::event::{EventKind, RemovalReason};
use crate::handle::{ActiveEffectId, ControllerId, GrantedAbilityId};
use crate::id::{ActorId, TemplateId};
use crate::input::InputBuffer;
use crate::refusal::RefusalReason;
use crate::tag::TagSet;

/// Description of a controller to spawn: template, owner and avatar.
#[derive(Clone, PartialEq, Debug, StateRecord)]
pub struct Spawn {
    def: Source,
    owner: Option<ActorId>,
    avatar: Option<ActorId>,
    #[state(since = 4)]
    instigators: Vec<(String, ControllerId)>,
}

#[derive(Clone, PartialEq, Debug, StateRecord)]
enum Source {
    Named(String),
    Template(TemplateId),
    Def(Arc<ControllerDef>),
}

impl Spawn {
    /// Spawns from the template with this name.
    pub fn named(template: impl Into<String>) -> Self {
        Self::from(Source::Named(template.into()))
    }

    /// Spawns from a template.
    pub fn template(template: TemplateId) -> Self {
        Self::from(Source::Template(template))
    }

    /// Spawns from a definition outside the catalog.
    pub fn def(def: ControllerDef) -> Self {
        Self::from(Source::Def(Arc::new(def)))
    }

    fn from(def: Source) -> Self {
        Self { def, owner: None, avatar: None, instigators: Vec::new() }
    }

    /// Sets owner and avatar to the same actor (§4.2).
    #[must_use]
    pub fn actor(mut self, actor: ActorId) -> Self {
        self.owner = Some(actor);
        self.avatar = Some(actor);
        self
    }

    /// Sets the logical owner, which persists (§4.2).
    #[must_use]
    pub fn owner(mut self, owner: ActorId) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Sets the controller that effects of the template refer to by this name as their instigator (K1).
    #[must_use]
    pub fn instigator(mut self, name: impl Into<String>, controller: ControllerId) -> Self {
        self.instigators.push((name.into(), controller));
        self
    }

    /// Sets the representation in the world, which may change (§4.2).
    #[must_use]
    pub fn avatar(mut self, avatar: ActorId) -> Self {
        self.avatar = Some(avatar);
        self
    }
}

/// Reason for which a controller could not be spawned.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// There is no such template.
    #[error(transparent)]
    UnknownTemplate(#[from] UnknownName),
    /// The definition is invalid.
    #[error(transparent)]
    Invalid(#[from] CatalogErrors),
    /// The attribute sets conflict.
    #[error(transparent)]
    AttributeSets(#[from] AttributeSetError),
    /// A base value names an attribute that none of the sets has.
    #[error("a base value is given for `{0}`, but none of the attribute sets has that attribute")]
    UnknownAttribute(String),
    /// A base value names a derived attribute (B7).
    #[error("`{0}` is derived: its base comes from its expression and cannot be set")]
    DerivedBase(String),
    /// There are too many controllers.
    #[error("the limit of {0} controllers is reached: despawn some, or raise `Config::max_controllers`")]
    LimitReached(u32),
}

/// Initial data of a controller, before effects and abilities.
pub(super) struct NewController {
    pub(super) template: Option<TemplateId>,
    pub(super) owner: Option<ActorId>,
    pub(super) avatar: Option<ActorId>,
    pub(super) replication: ReplicationMode,
    pub(super) layout: u32,
    /// Base values; the current values are ignored.
    pub(super) values: Vec<Value>,
}

impl Simulation {
    /// Spawns a controller from the template with this name.
    ///
    /// # Errors
    /// If there is no such template, or there are too many controllers.
    pub fn spawn(&mut self, template: &str) -> Result<ControllerId, SpawnError> {
        self.spawn_with(Spawn::named(template))
    }

    /// Spawns a controller by the initialisation sequence of §4.3. A refused initial effect emits an event.
    ///
    /// # Errors
    /// If the definition is invalid, or there are too many controllers.
    pub fn spawn_with(&mut self, spawn: Spawn) -> Result<ControllerId, SpawnError> {
        if self.state.controllers.len() >= self.config.max_controllers as usize {
            return Err(SpawnError::LimitReached(self.config.max_controllers));
        }
        let (template_id, template) = self.resolve(spawn.def)?;
        let layout = self.layout_for(&template.sets)?;
        for &(attribute, _) in &template.base {
            if self.state.layouts[layout as usize].slot_of(attribute).is_none() {
                return Err(SpawnError::UnknownAttribute(self.catalog.attribute_name(attribute).to_owned()));
            }
            if self.state.layouts[layout as usize].is_derived(attribute) {
                return Err(SpawnError::DerivedBase(self.catalog.attribute_name(attribute).to_owned()));
            }
        }
        let (owner, avatar, instigators) = (spawn.owner, spawn.avatar, spawn.instigators);
        Ok(self.operate(|sim| {
            let id = sim.initialise(template_id, &template, layout, owner, avatar);
            sim.put_in_place(id, &template, &instigators);
            id
        }))
    }

    /// Finds the template of a spawn, or compiles a definition from outside the catalog, which has no id.
    fn resolve(&self, source: Source) -> Result<(Option<TemplateId>, Template), SpawnError> {
        let id = match source {
            Source::Named(name) => self.catalog.template(&name)?,
            Source::Template(id) => id,
            Source::Def(def) => {
                let compiler = Compiler::new(&self.catalog.tables);
                let template = compiler.template(&def);
                let errors = compiler.into_errors();
                return if errors.is_empty() {
                    Ok((None, template))
                } else {
                    Err(CatalogErrors(errors).into())
                };
            }
        };
        let unknown = || UnknownName {
            kind: crate::catalog::DefinitionKind::Template,
            name: format!("{id:?}"),
            nearest: None,
        };
        let template = self.catalog.template_by_id(id).ok_or_else(unknown)?;
        Ok((Some(id), template.clone()))
    }

    /// Spawns a template without owner and avatar inside a running operation. `None` if there is no such
    /// template. The caller has checked the limit of controllers.
    pub(super) fn spawn_from(&mut self, id: TemplateId) -> Option<ControllerId> {
        let catalog = Arc::clone(&self.catalog);
        let template = catalog.template_by_id(id)?;
        let layout = self.layout_for(&template.sets).ok()?;
        let spawned = self.initialise(Some(id), template, layout, None, None);
        self.put_in_place(spawned, template, &[]);
        Some(spawned)
    }

    /// Creates a controller by the six steps of §4.3, with its events: values, abilities, tags, initial
    /// effects. Effects and abilities that are active from the start follow in `put_in_place`.
    fn initialise(
        &mut self,
        template_id: Option<TemplateId>,
        template: &Template,
        layout: u32,
        owner: Option<ActorId>,
        avatar: Option<ActorId>,
    ) -> ControllerId {
        let slots = &self.state.layouts[layout as usize].slots;
        let fresh = |base| Value { base, current: 0.0 };
        let mut values: Vec<Value> =
            slots.iter().map(|slot| fresh(slot.attribute.def.default_base)).collect();
        for &(attribute, value) in &template.base {
            if let Some(slot) = self.state.layouts[layout as usize].slot_of(attribute) {
                values[usize::from(slot)] = fresh(value);
            }
        }
        let replication = template.def.replication;
        let id = self.create_controller(NewController {
            template: template_id,
            owner,
            avatar,
            replication,
            layout,
            values,
        });
        self.initialise_values(id, |_| true);
        // 4. Initial abilities are granted; 5. initial effects are applied, first the one that grants the
        // tags.
        for grant in &template.abilities {
            self.grant_ability(id, Grant::of(grant, None));
        }
        let own = EffectContext::of(id);
        if !template.tags.is_empty()
            && let Ok(mut spec) = self.spec(self.catalog.internal.tags, 1.0, own.clone())
        {
            // K1: owned tags of an ability that is active from the start come and go with it.
            let active = template.abilities.iter().filter(|grant| grant.is_active);
            let active = active.filter(|grant| template.owns_tags_of(&self.catalog, grant));
            let active = active.filter_map(|grant| self.catalog.ability_by_id(grant.ability));
            let owned: TagSet = TagSet::new(active.flat_map(|ability| ability.owned_tags.iter()));
            spec.parts
                .make_mut()
                .granted_tags
                .extend(template.tags.iter().copied().filter(|tag| !owned.contains(*tag)));
            let _ = self.apply_one(&mut spec, id);
        }
        for &(effect, level) in &template.effects {
            self.flush();
            if let Ok(mut spec) = self.spec(effect, level, own.clone()) {
                let _ = self.apply_one(&mut spec, id);
            }
        }
        // 6. Replication is configured: the mode is part of the controller.
        id
    }

    /// Inserts a controller and emits `ControllerSpawned`: the first steps of §4.3. 1. the controller is
    /// instantiated; 2. its attribute sets are registered, with base values and without current values; 3.
    /// owner and avatar are set.
    pub(super) fn create_controller(&mut self, new: NewController) -> ControllerId {
        let NewController { template, owner, avatar, replication, layout, values } = new;
        let ordinal = self.state.ordinal;
        self.state.ordinal += 1;
        let id = self.state.controllers.insert(Controller {
            ordinal,
            template,
            owner,
            avatar,
            replication,
            layout,
            values,
            ..Controller::bare(InputBuffer::new(self.catalog.input_buffer))
        });
        self.state.owners.extend(owner.map(|owner| (owner, id)));
        self.state.avatars.extend(avatar.map(|avatar| (avatar, id)));
        self.emit(EventKind::ControllerSpawned { controller: id });
        id
    }

    /// Removes a controller from the simulation (§4.3): its effects are removed without expiration effects,
    /// its abilities revoked. Effects that it applied to others stay, with the last values that they read of
    /// it (M5).
    ///
    /// # Errors
    /// If the controller does not exist (any more).
    pub fn despawn(&mut self, controller: ControllerId) -> Result<(), RefusalReason> {
        if !self.state.controllers.contains(controller) {
            return Err(RefusalReason::UnknownController(controller));
        }
        self.operate(|sim| sim.destroy(controller));
        Ok(())
    }

    /// Despawns a controller inside a running operation; does nothing if it is gone. Ends its activations,
    /// removes its effects, abilities and tags, and emits `ControllerDespawned` last.
    pub(super) fn destroy(&mut self, id: ControllerId) {
        if !self.state.controllers.contains(id) {
            return;
        }
        // Values are updated first, so that others remember its true last values.
        self.flush();
        self.remember_source(id);
        let runs = self.activations_where(id, |_, _| true);
        self.end_activations(runs, EndReason::Revoked);
        while let Some(last) = self.state.controllers.get(id).and_then(|controller| controller.effects.last())
        {
            let last: ActiveEffectId = *last;
            self.remove_active(last, RemovalReason::TargetGone);
        }
        let abilities: Vec<GrantedAbilityId> = self
            .state
            .controllers
            .get(id)
            .map(|controller| controller.ability_data.abilities.to_vec())
            .unwrap_or_default();
        for handle in abilities {
            self.revoke_ability(handle);
        }
        self.clear_tags(id);
        self.flush();
        let Some(controller) = self.state.controllers.remove(id) else { return };
        if let Some(owner) = controller.owner {
            self.state.owners.remove(&(owner, id));
        }
        if let Some(avatar) = controller.avatar {
            self.state.avatars.remove(&(avatar, id));
        }
        if let Some(summon) = controller.summon() {
            self.forget_summon(id, summon);
        }
        self.emit(EventKind::ControllerDespawned { controller: id });
    }

    /// Saves the tags and the read values of a source that is about to go in the effects that it applied to
    /// others (M5).
    fn remember_source(&mut self, id: ControllerId) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        let outgoing: SmallVec<[ActiveEffectId; 8]> =
            controller.interactions.outgoing.iter().map(|&(_, id)| id).collect();
        for active in outgoing {
            let Some(controller) = self.state.controllers.get(id) else { return };
            let Some((_, effect)) = self.state.effect_of(&self.catalog, active) else { continue };
            let value = |&attribute: &crate::id::AttributeId| {
                let slot = usize::from(self.state.layout(controller).slot_of(attribute)?);
                Some((attribute, controller.values[slot].base, controller.values[slot].current))
            };
            let last = LastSource {
                tags: controller.tags.bits().clone(),
                values: effect.source_reads.iter().filter_map(value).collect(),
            };
            if let Some(active) = self.state.effects.get_mut(active) {
                active.parts.make_mut().last_source = Some(Box::new(last));
            }
        }
    }

    /// Sets or removes the avatar of a controller (§4.3). Its effects are re-evaluated, and active abilities
    /// whose requirements no longer hold are cancelled.
    ///
    /// # Errors
    /// If the controller does not exist (any more).
    pub fn set_avatar(
        &mut self,
        controller: ControllerId,
        avatar: Option<ActorId>,
    ) -> Result<(), RefusalReason> {
        let state = &mut self.state;
        let Some(known) = state.controllers.get_mut(controller) else {
            return Err(RefusalReason::UnknownController(controller));
        };
        let old = core::mem::replace(&mut known.avatar, avatar);
        if let Some(old) = old {
            state.avatars.remove(&(old, controller));
        }
        state.avatars.extend(avatar.map(|avatar| (avatar, controller)));
        self.operate(|sim| {
            sim.emit(EventKind::AvatarChanged { controller, old, new: avatar });
            sim.refresh_all(controller);
            sim.revalidate_abilities(controller);
        });
        Ok(())
    }

    /// Sets or removes the owner of a controller (§4.2).
    ///
    /// # Errors
    /// If the controller does not exist (any more).
    pub fn set_owner(
        &mut self,
        controller: ControllerId,
        owner: Option<ActorId>,
    ) -> Result<(), RefusalReason> {
        let state = &mut self.state;
        let Some(known) = state.controllers.get_mut(controller) else {
            return Err(RefusalReason::UnknownController(controller));
        };
        let old = core::mem::replace(&mut known.owner, owner);
        if let Some(old) = old {
            state.owners.remove(&(old, controller));
        }
        state.owners.extend(owner.map(|owner| (owner, controller)));
        self.operate(|sim| sim.emit(EventKind::OwnerChanged { controller, old, new: owner }));
        Ok(())
    }

    /// Activates or deactivates a controller (K1). An inactive controller refuses activations, input, events
    /// and applications with [`RefusalReason::ControllerInactive`]; its clocks keep running.
    ///
    /// # Errors
    /// If the controller does not exist (any more).
    pub fn set_active(&mut self, controller: ControllerId, active: bool) -> Result<(), RefusalReason> {
        let Some(known) = self.state.controllers.get_mut(controller) else {
            return Err(RefusalReason::UnknownController(controller));
        };
        known.inactive = !active;
        Ok(())
    }

    /// Queues a refresh of every effect on a controller.
    fn refresh_all(&mut self, id: ControllerId) {
        let count = self.state.controllers.get(id).map_or(0, |controller| controller.effects.len());
        for at in 0..count {
            let active =
                self.state.controllers.get(id).and_then(|controller| controller.effects.get(at).copied());
            if let Some(active) = active {
                self.enqueue_refresh(active);
            }
        }
    }

    /// Evaluates the slots for which `is_new` holds for the first time, without `AttributeChanged`: bases are
    /// normalised to their bounds once (B0). Effects that read them are refreshed; a slot that cannot be
    /// evaluated keeps its base as its value and emits `EvaluationFailed`.
    pub(super) fn initialise_values(&mut self, id: ControllerId, is_new: impl Fn(u16) -> bool) {
        let Some(controller) = self.state.controllers.get(id) else { return };
        let layout = Arc::clone(&self.state.layouts[controller.layout as usize]);
        for slot in (0..layout.slots.len() as u16).filter(|&slot| is_new(slot)) {
            let at = usize::from(slot);
            let Some(controller) = self.state.controllers.get(id) else { return };
            let base = super::State::base_of(&self.catalog, controller, &layout, slot);
            let failed = base.is_err();
            let (min, max) = super::State::bounds(controller, &layout.slots[at]);
            let mut base = base.unwrap_or(controller.values[at].base);
            // The base of a derived attribute comes from its expression, from the start (B2).
            if layout.slots[at].attribute.derived.is_none() {
                base = super::values::clamp(base, min, max);
            }
            let evaluated = self.state.evaluate_slot(&self.catalog, id, controller, slot, base);
            let failed = failed || evaluated.is_none();
            let current = evaluated.map_or(base, |evaluated| evaluated.value);
            if let Some(controller) = self.state.controllers.get_mut(id) {
                controller.values[at].base = base + 0.0;
                controller.values[at].current = current;
            }
            let attribute = layout.attribute_at(slot);
            if failed {
                self.emit(EventKind::EvaluationFailed { controller: id, attribute });
            }
            self.notify(id, WatchSubject::Attribute(attribute));
        }
    }
}
