//! `GameplayWorld`: the resource that holds the game.

mod act;
mod read;
mod save;

use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::collections::BTreeMap;

use bevy_app::App;
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::{Entity, Resource};
use bevy_platform::sync::Arc;
use ugas::{
    ActorId, Catalog, Config, ControllerId, EventType, Placement, ReloadReport, Simulation, Span, Spawn, Team,
};
use ugas_data::Pack;

pub use act::Activated;
pub use save::GameplaySnapshot;

use crate::backend::Backend;
use crate::components::Names;
use crate::controller::Origin;
use crate::error::GameplayError;

/// The game: its rules, its state, and the controllers of entities.
///
/// Systems take it as [`Gameplay`](crate::Gameplay) to act, or as [`GameplayView`](crate::GameplayView) to
/// read, which runs beside other readers; exclusive systems and tests take the resource.
#[derive(Resource)]
pub struct GameplayWorld {
    pub(crate) backend: Option<Backend>,
    pub(crate) config: Config,
    pub(crate) names: Names,
    pub(crate) pack: Option<Arc<Pack>>,
    /// Why the newest rules could not be loaded, built or installed.
    pub(crate) problem: Option<String>,
    /// Outcomes of installations that were not emitted as events yet.
    pub(crate) outcomes: Vec<InstallOutcome>,
    /// Whether the rules are being loaded or built.
    pub(crate) is_loading: bool,
    /// Entities whose controllers wait for rules with their templates.
    pub(crate) waiting: Vec<Entity>,
    /// Entities with new controllers that have no placement yet.
    unplaced: Vec<Entity>,
    /// Whether the transform plugin handles `unplaced`.
    pub(crate) follows_transforms: bool,
    /// Number of times the rules were installed or reloaded.
    pub(crate) rules_version: u32,
    /// Number of this state of the rules among all of the process. Unlike the version, it differs between the
    /// simulations of an app, and after one was replaced by another.
    pub(crate) rules_serial: u64,
    /// Number of restored snapshots.
    pub(crate) restores: u64,
    /// Version of the rules for which waiting controllers were last tried.
    pub(crate) tried_version: u32,
    /// Remainder of the elapsed time below a microsecond, in nanoseconds.
    carry: u32,
    by_entity: EntityHashMap<ControllerId>,
    by_controller: BTreeMap<ControllerId, Entity>,
    /// Entities of controllers that were unlinked since the last [`Apply`](crate::GameplaySystems::Apply), for
    /// the events of their despawn.
    departed: BTreeMap<ControllerId, Departed>,
    /// The same of the step before that, for cues that are shown after `Apply`.
    departed_before: BTreeMap<ControllerId, Departed>,
    /// Creates a networked backend instead of a local one.
    pub(crate) backend_factory: Option<BackendFactory>,
    /// Whether the ids in components may be outdated.
    pub(crate) relink: bool,
}

/// A controller that is no longer linked.
#[derive(Clone, Copy)]
struct Departed {
    entity: Entity,
    placement: Option<Placement>,
}

/// Outcome of an installation of rules.
pub(crate) enum InstallOutcome {
    Installed,
    Reloaded(Arc<ReloadReport>),
    /// With the problem.
    Failed(String),
}

/// Creates the backend when the rules are loaded.
pub(crate) type BackendFactory =
    Box<dyn FnMut(Arc<Catalog>, &Config) -> Result<Backend, GameplayError> + Send + Sync>;

/// Actor id of an entity in the simulation (§4.2).
pub fn actor_of(entity: Entity) -> ActorId {
    ActorId(entity.to_bits())
}

/// Entity of an actor id, which is the entity's bits; `None` if the id was made otherwise.
pub fn entity_of(actor: ActorId) -> Option<Entity> {
    Entity::try_from_bits(actor.0)
}

/// Parameters of the controller to create for an entity.
pub(crate) struct SpawnRequest<'a> {
    pub(crate) entity: Entity,
    pub(crate) origin: &'a Origin,
    pub(crate) sets: &'a [String],
    pub(crate) avatar: Option<Entity>,
    pub(crate) team: Option<&'a str>,
}

/// Last number of [`GameplayWorld::rules_serial`].
static RULES_SERIAL: AtomicU64 = AtomicU64::new(0);

impl GameplayWorld {
    /// A game without rules.
    pub(crate) fn empty() -> Self {
        Self {
            backend: None,
            config: Config::default(),
            names: Names::default(),
            pack: None,
            problem: None,
            outcomes: Vec::new(),
            is_loading: false,
            waiting: Vec::new(),
            unplaced: Vec::new(),
            follows_transforms: false,
            rules_version: 0,
            rules_serial: 0,
            restores: 0,
            tried_version: 0,
            carry: 0,
            by_entity: EntityHashMap::default(),
            by_controller: BTreeMap::new(),
            departed: BTreeMap::new(),
            departed_before: BTreeMap::new(),
            backend_factory: None,
            relink: false,
        }
    }

    /// Adds the resource to an app, unless another plugin did.
    pub(crate) fn init(app: &mut App) {
        if !app.world().contains_resource::<Self>() {
            app.insert_resource(Self::empty());
        }
    }

    /// Installs rules: the first call starts the game, later calls are hot reloads, as `ugas::core::reload`
    /// describes. Usually called by the plugin, with rules from an asset. In the simulation of the app,
    /// [`RulesInstalled`](crate::rules::RulesInstalled), [`RulesReloaded`](crate::rules::RulesReloaded) or
    /// [`RulesFailed`](crate::rules::RulesFailed) follows in the next `PreUpdate`.
    ///
    /// # Errors
    /// If the state cannot be carried over to the new rules, a network is connected, or its socket cannot be
    /// opened. The rules and the state are as before then, and the error is [`Self::problem`].
    pub fn install(&mut self, catalog: Arc<Catalog>) -> Result<Option<ReloadReport>, GameplayError> {
        let installed = self.try_install(catalog);
        self.outcomes.push(match &installed {
            Ok(None) => InstallOutcome::Installed,
            Ok(Some(report)) => InstallOutcome::Reloaded(Arc::new(report.clone())),
            Err(error) => {
                let problem = match self.is_in_play() {
                    true => format!("the new rules were not installed, the old ones stay in force: {error}"),
                    false => format!("the rules could not be installed: {error}"),
                };
                (self.problem, self.is_loading) = (Some(problem.clone()), false);
                InstallOutcome::Failed(problem)
            }
        });
        installed
    }

    /// Installs rules without a record of the outcome.
    fn try_install(&mut self, catalog: Arc<Catalog>) -> Result<Option<ReloadReport>, GameplayError> {
        let report = match &mut self.backend {
            #[cfg(feature = "net")]
            Some(Backend::Server(_) | Backend::Client(_)) => return Err(GameplayError::RulesInUse),
            Some(Backend::Local(simulation)) => {
                let report =
                    simulation.reload(catalog).map_err(|error| GameplayError::Reload(error.to_string()))?;
                // The reloaded state has no touch tracking yet. All of it counts as touched.
                simulation.watch_touches();
                Some(report)
            }
            None => {
                self.backend = Some(match &mut self.backend_factory {
                    Some(create) => create(catalog, &self.config)?,
                    None => {
                        let mut simulation = Simulation::new(catalog, self.config.clone());
                        simulation.watch_touches();
                        // Without this event the components of a despawned controller would stay.
                        let events = simulation.config().events.with([EventType::ControllerDespawned]);
                        simulation.set_event_filter(events);
                        Backend::Local(Box::new(simulation))
                    }
                });
                None
            }
        };
        self.names = Names::default();
        (self.problem, self.is_loading) = (None, false);
        // Set by the caller if the rules come from a pack.
        self.pack = None;
        self.rules_version = self.rules_version.wrapping_add(1);
        self.rules_serial = RULES_SERIAL.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(report)
    }

    /// Sets the backend factory. A local backend without controllers is replaced, with its rules; if the
    /// network cannot start, there are no rules, as if the factory had been set before them.
    #[cfg(feature = "net")]
    pub(crate) fn set_backend_factory(&mut self, mut factory: BackendFactory) -> Result<(), GameplayError> {
        if self.backend_factory.is_some() {
            return Err(GameplayError::SecondNetwork);
        }
        let created = match &self.backend {
            None => None,
            Some(Backend::Local(simulation)) if self.by_entity.is_empty() => {
                Some(factory(simulation.catalog().clone(), &self.config))
            }
            Some(_) => return Err(GameplayError::GameAlreadyStarted),
        };
        self.backend_factory = Some(factory);
        match created {
            None => Ok(()),
            Some(Ok(backend)) => {
                self.backend = Some(backend);
                Ok(())
            }
            Some(Err(error)) => {
                (self.backend, self.pack) = (None, None);
                Err(error)
            }
        }
    }

    /// The controller of an entity; `None` if it has none, or waits for the rules.
    pub fn controller(&self, entity: Entity) -> Option<ControllerId> {
        self.by_entity.get(&entity).copied()
    }

    /// The entity of a controller; `None` if the host created it without linking it.
    pub fn entity(&self, controller: ControllerId) -> Option<Entity> {
        self.by_controller.get(&controller).copied()
    }

    /// All entities that have controllers, in the order of the controllers.
    pub fn entities(&self) -> impl Iterator<Item = (Entity, ControllerId)> + '_ {
        self.by_controller.iter().map(|(controller, entity)| (*entity, *controller))
    }

    /// Links an entity to an existing controller, for hosts that create controllers or restore states
    /// themselves. Give the entity a [`GameplayController::existing`](crate::GameplayController::existing)
    /// before the next [`GameplaySystems::Apply`](crate::GameplaySystems::Apply), where it gets its id; a
    /// controller without one is despawned.
    pub fn link(&mut self, entity: Entity, controller: ControllerId) {
        self.connect(entity, controller);
        self.relink = true;
    }

    /// Links an entity to a controller that its component has already.
    pub(crate) fn connect(&mut self, entity: Entity, controller: ControllerId) {
        self.unlink(entity);
        if let Some(former) = self.by_controller.insert(controller, entity) {
            self.by_entity.remove(&former);
        }
        self.by_entity.insert(entity, controller);
    }

    /// The entity of a controller, also if it was unlinked since the last `Apply`: for events.
    pub(crate) fn present_or_departed(&self, controller: ControllerId) -> Option<Entity> {
        let departed = || self.departed.get(&controller).map(|departed| departed.entity);
        self.entity(controller).or_else(departed)
    }

    /// Placement of a controller, or the last one of a controller whose events were emitted in this step: for
    /// cues.
    pub(crate) fn last_placement(&self, controller: ControllerId) -> Option<Placement> {
        match self.simulation().and_then(|simulation| simulation.controller(controller)) {
            Some(known) => known.placement(),
            None => self.departed_before.get(&controller).and_then(|departed| departed.placement),
        }
    }

    /// Ends the step of the unlinked controllers: their events are emitted.
    pub(crate) fn forget_departed(&mut self) {
        self.departed_before = core::mem::take(&mut self.departed);
    }

    /// Forgets which controller an entity has, and returns it; the controller itself stays.
    pub(crate) fn unlink(&mut self, entity: Entity) -> Option<ControllerId> {
        let controller = self.by_entity.remove(&entity)?;
        self.by_controller.remove(&controller);
        let known = self.simulation().and_then(|simulation| simulation.controller(controller));
        let placement = known.and_then(|known| known.placement());
        self.departed.insert(controller, Departed { entity, placement });
        Some(controller)
    }

    /// Creates the controller of an entity with its owner, avatar, team and ability sets, and links it. A set
    /// or team that fails is logged and left out. An error if the rules are not installed, this is a client,
    /// or the origin fails.
    pub(crate) fn create_controller(
        &mut self,
        request: &SpawnRequest<'_>,
    ) -> Result<ControllerId, GameplayError> {
        let simulation = match &mut self.backend {
            None => return Err(GameplayError::NoRules),
            Some(backend) => backend.authority().ok_or(GameplayError::NotAuthority)?,
        };
        let (owner, avatar) = (actor_of(request.entity), actor_of(request.avatar.unwrap_or(request.entity)));
        let controller = match request.origin {
            Origin::Template(name) => {
                simulation.spawn_with(Spawn::named(name.as_str()).owner(owner).avatar(avatar))?
            }
            Origin::Def(def) => {
                simulation.spawn_with(Spawn::def((**def).clone()).owner(owner).avatar(avatar))?
            }
            Origin::Character(character) => {
                let options = ugas::RestoreOptions::default().owner(owner).avatar(avatar);
                let (controller, report) = simulation.restore_character(character, &options)?;
                for entry in &report.entries {
                    tracing::warn!("{}: {entry}", request.entity);
                }
                controller
            }
            Origin::Existing => return Err(GameplayError::NoController(request.entity)),
        };
        for set in request.sets {
            if let Err(error) = simulation.grant_set(controller, set) {
                tracing::error!("the ability set {set} could not be granted to {}: {error}", request.entity);
            }
        }
        if let Some(team) = request.team
            && let Err(error) = simulation.set_team(controller, Some(Team::new(team)))
        {
            tracing::error!("the team of {} could not be set: {error}", request.entity);
        }
        self.by_entity.insert(request.entity, controller);
        self.by_controller.insert(controller, request.entity);
        if self.follows_transforms {
            self.unplaced.push(request.entity);
        }
        Ok(controller)
    }

    /// Has an entity placed by its transform, or that of its avatar, at the start of the next step.
    pub(crate) fn place_again(&mut self, entity: Entity) {
        if self.follows_transforms && self.controller(entity).is_some() {
            self.unplaced.push(entity);
        }
    }

    /// Takes the entities that got a controller since the last call, to be placed by their transforms once.
    pub(crate) fn take_unplaced(&mut self) -> Vec<Entity> {
        core::mem::take(&mut self.unplaced)
    }

    /// Despawns the controller of an entity and unlinks it; on a client it only unlinks. The entity no longer
    /// waits for one either.
    pub(crate) fn despawn_controller(&mut self, entity: Entity) {
        self.waiting.retain(|waiting| *waiting != entity);
        let Some(controller) = self.unlink(entity) else { return };
        if let Some(simulation) = self.backend.as_mut().and_then(Backend::authority) {
            // The controller may have been despawned already.
            let _ = simulation.despawn(controller);
        }
    }

    /// Advances the game. The remainder below a microsecond is carried over, so that no time is lost.
    pub(crate) fn step(&mut self, delta: Duration) {
        let Some(backend) = &mut self.backend else { return };
        let nanos = u64::try_from(delta.as_nanos()).unwrap_or(u64::MAX).saturating_add(u64::from(self.carry));
        self.carry = (nanos % 1_000) as u32;
        backend.step(Span::from_micros(i64::try_from(nanos / 1_000).unwrap_or(i64::MAX)));
    }
}
