//! Rules as assets: packs are loaded, checked, and hot-reloaded.

mod loader;
mod watch;

use bevy_app::{App, Plugin, PostStartup, PreStartup, PreUpdate};
use bevy_asset::{
    Asset, AssetApp, AssetEvent, AssetLoadFailedEvent, AssetPath, AssetPlugin, AssetServer, Assets, Handle,
    LoadState,
};
use bevy_ecs::change_detection::{DetectChanges, DetectChangesMut};
use bevy_ecs::prelude::{Commands, Event, Message, MessageReader, Res, Resource, World};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::system::SystemState;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::sync::Arc;
use bevy_reflect::TypePath;
use ugas::{Catalog, CatalogDiff, ReloadReport};
use ugas_data::{Loader, Pack};

pub use loader::{PackLoadError, PackLoader, RulesExtensions, load_pack};

use crate::GameplaySystems;
use crate::controller::{GameplayController, create_controller};
use crate::handler::Handlers;
use crate::instance::GameplayInstances;
use crate::world::{GameplayWorld, InstallOutcome};
use watch::{LastRead, watch_folder};

/// A pack: rules, and the files they were read from.
///
/// The asset of a pack is its manifest, `pack.yaml`: everything in its folder and below is loaded with it,
/// and where files are watched, a changed, added or removed file reloads the current pack. Any other file is
/// loaded by itself, without the definitions that it refers to.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct PackAsset {
    /// The loaded pack.
    pub pack: Arc<Pack>,
}

/// The current pack of the game. Insert another one to change the rules: the running game is carried over as
/// by a hot reload.
#[derive(Resource, Clone, Debug)]
pub struct RulesHandle(pub Handle<PackAsset>);

/// The rules are loaded and the game begins. Emitted for observers and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct RulesInstalled;

/// The rules were reloaded. Emitted for observers and as a message. Ids must be looked up again.
#[derive(Event, Message, Clone, Debug)]
pub struct RulesReloaded {
    /// Changed definitions, losses of the state, and the translation of ids.
    pub report: Arc<ReloadReport>,
}

impl RulesReloaded {
    /// Differences between the old and the new rules.
    pub fn diff(&self) -> &CatalogDiff {
        &self.report.diff
    }
}

/// Source of the rules.
#[derive(Clone, Default)]
pub enum RulesSource {
    /// No rules yet: insert a [`RulesHandle`], or call [`GameplayWorld::install`].
    #[default]
    Later,
    /// From the assets of the game: a path like `packs/hero/pack.yaml`.
    Asset(AssetPath<'static>),
    /// From a pack that was loaded already.
    Pack(Arc<Pack>),
    /// From a catalog that was built already.
    Catalog(Arc<Catalog>),
    /// From the extensions of the app alone ([`UgasAppExt`](crate::UgasAppExt)): built in `PreStartup`, after
    /// all of them are registered.
    Code,
}

/// State of the rules: [`GameplayWorld::rules_state`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RulesState {
    /// There are no rules, and no source of any: insert a [`RulesHandle`], or call [`GameplayWorld::install`].
    Missing,
    /// The rules are being loaded or built.
    Loading,
    /// The rules are installed and the game runs.
    Installed,
    /// The rules could not be loaded, built or installed: see [`GameplayWorld::problem`].
    Failed,
}

/// Rules could not be loaded, built or installed. Rules that were installed before stay. Emitted for
/// observers and as a message.
#[derive(Event, Message, Clone, Debug)]
pub struct RulesFailed {
    /// The mistake, and how to fix it.
    pub problem: String,
}

/// Loads packs and installs their rules.
#[derive(Clone, Default)]
pub struct UgasRulesPlugin {
    /// Source of the rules.
    pub source: RulesSource,
}

impl Plugin for UgasRulesPlugin {
    /// Rules from the source: installed at once from a pack or a catalog, built or loaded in `PreStartup` from
    /// code or an asset. Without `AssetPlugin`, an asset is a problem, and there is no reloading.
    fn build(&self, app: &mut App) {
        GameplayWorld::init(app);
        app.init_resource::<RulesExtensions>();
        app.add_message::<RulesInstalled>().add_message::<RulesReloaded>().add_message::<RulesFailed>();
        app.add_systems(PreUpdate, (follow_rules, create_waiting).chain().in_set(GameplaySystems::Rules));
        let has_assets = app.is_plugin_added::<AssetPlugin>();
        if has_assets {
            let extensions = app.world().resource::<RulesExtensions>().clone();
            let server = app.world().resource::<AssetServer>().clone();
            let is_watched = server.watching_for_changes();
            let read = app.world_mut().get_resource_or_init::<LastRead>().clone();
            let loader = PackLoader::new(server, extensions).with_last_read(read);
            app.init_asset::<PackAsset>().register_asset_loader(loader);
            if is_watched {
                app.add_systems(
                    PreUpdate,
                    watch_folder.before(install_assets).in_set(GameplaySystems::Rules),
                );
            }
            app.add_systems(PreUpdate, install_assets.before(follow_rules).in_set(GameplaySystems::Rules));
        } else {
            let is_new =
                |handle: Option<Res<'_, RulesHandle>>| handle.is_some_and(|handle| handle.is_added());
            app.add_systems(PreUpdate, fail_without_assets.run_if(is_new).in_set(GameplaySystems::Rules));
        }
        let is_extended = app.world().resource::<RulesExtensions>().len() > 0;
        if is_extended && matches!(self.source, RulesSource::Pack(_) | RulesSource::Catalog(_)) {
            tracing::error!(
                "the rules were built without the app's attribute sets, calculations and other extensions: \
                 use `UgasPlugins::from_code` or `from_asset`, or build the pack with `RulesExtensions::extend`"
            );
        }
        match &self.source {
            RulesSource::Later => {
                app.add_systems(PostStartup, warn_of_missing);
            }
            RulesSource::Code => {
                app.world_mut().resource_mut::<GameplayWorld>().is_loading = true;
                app.add_systems(PreStartup, build_code);
            }
            RulesSource::Asset(path) if has_assets => {
                app.world_mut().resource_mut::<GameplayWorld>().is_loading = true;
                let path = path.clone();
                // Loaded when the app starts: until then, calculations may still be registered.
                app.add_systems(
                    PreStartup,
                    move |server: Res<'_, AssetServer>, mut commands: Commands<'_, '_>| {
                        commands.insert_resource(RulesHandle(server.load(path.clone())));
                    },
                );
            }
            RulesSource::Asset(path) => {
                let problem = format!(
                    "{path} cannot be loaded without assets: add Bevy's `AssetPlugin` before `UgasPlugins`"
                );
                fail(app.world_mut(), problem);
            }
            RulesSource::Pack(pack) => install(app.world_mut(), pack.catalog.clone(), Some(pack.clone())),
            RulesSource::Catalog(catalog) => install(app.world_mut(), catalog.clone(), None),
        }
    }
}

/// Installs rules, or reloads them into a running game, and emits [`RulesInstalled`], [`RulesReloaded`] or
/// [`RulesFailed`]. On an error, which is logged, the previous rules and pack stay.
pub(crate) fn install(world: &mut World, catalog: Arc<Catalog>, pack: Option<Arc<Pack>>) {
    let mut game = world.resource_mut::<GameplayWorld>();
    if game.install(catalog).is_ok() {
        game.pack = pack;
    }
    emit_outcomes(world);
}

/// Emits the outcomes of installations.
fn emit_outcomes(world: &mut World) {
    let mut game = world.resource_mut::<GameplayWorld>();
    for outcome in core::mem::take(&mut game.bypass_change_detection().outcomes) {
        match outcome {
            InstallOutcome::Installed => {
                world.write_message(RulesInstalled);
                world.trigger(RulesInstalled);
            }
            InstallOutcome::Reloaded(report) => {
                for line in report.to_string().lines() {
                    tracing::info!("rules reloaded: {line}");
                }
                let reloaded = RulesReloaded { report };
                world.write_message(reloaded.clone());
                world.trigger(reloaded);
            }
            InstallOutcome::Failed(problem) => emit_failure(world, problem),
        }
    }
}

/// Reports that rules could not be loaded, built or installed: in the log, as [`GameplayWorld::problem`], as
/// the problem of the controllers that wait, and as [`RulesFailed`].
pub(crate) fn fail(world: &mut World, problem: String) {
    let mut game = world.resource_mut::<GameplayWorld>();
    game.problem = Some(problem.clone());
    game.is_loading = false;
    emit_failure(world, problem);
}

/// Reports a problem of the game that is set already.
fn emit_failure(world: &mut World, problem: String) {
    tracing::error!("{problem}");
    for entity in world.resource::<GameplayWorld>().waiting.clone() {
        if let Some(mut controller) = world.get_mut::<GameplayController>(entity) {
            controller.problem = Some(problem.clone());
        }
    }
    let failed = RulesFailed { problem };
    world.write_message(failed.clone());
    world.trigger(failed);
}

/// Builds rules from the extensions of the app alone, and installs them.
fn build_code(world: &mut World) {
    let extensions = world.resource::<RulesExtensions>().clone();
    if extensions.len() == 0 {
        let problem =
            "the rules in code are empty: call `add_attribute_set` or `extend_rules` before the app runs";
        return fail(world, problem.to_owned());
    }
    match extensions.extend(Loader::new()).load() {
        Ok(pack) => {
            loader::log(&pack.source_map, &pack.diagnostics);
            install(world, pack.catalog, None);
        }
        Err(error) => fail(world, format!("the rules in code have errors: {}", error.report)),
    }
}

/// Reports a [`RulesHandle`] in an app that cannot load it.
fn fail_without_assets(world: &mut World) {
    let problem =
        "a `RulesHandle` cannot be loaded without assets: add Bevy's `AssetPlugin` before `UgasPlugins`";
    fail(world, problem.to_owned());
}

/// Warns of an app without rules, and without a source of any.
fn warn_of_missing(game: Res<'_, GameplayWorld>, handle: Option<Res<'_, RulesHandle>>) {
    if game.rules_state() == RulesState::Missing && handle.is_none() {
        tracing::warn!(
            "there are no rules: use `UgasPlugins::from_asset`, `from_code` or another source, insert a \
             `RulesHandle`, or call `GameplayWorld::install`"
        );
    }
}

/// Installs the pack of [`RulesHandle`] when the handle changes, or its asset is loaded or reloaded.
fn install_assets(
    mut events: MessageReader<'_, '_, AssetEvent<PackAsset>>,
    mut failures: MessageReader<'_, '_, AssetLoadFailedEvent<PackAsset>>,
    handle: Option<Res<'_, RulesHandle>>,
    assets: Res<'_, Assets<PackAsset>>,
    server: Res<'_, AssetServer>,
    game: Res<'_, GameplayWorld>,
    mut commands: Commands<'_, '_>,
) {
    let Some(handle) = handle else {
        failures.clear();
        return events.clear();
    };
    let mut has_failed = false;
    for failure in failures.read().filter(|failure| failure.id == handle.0.id()) {
        has_failed = true;
        let problem = format!("{} could not be loaded: {}", failure.path, failure.error);
        commands.queue(move |world: &mut World| fail(world, problem));
    }
    if handle.is_changed() && !has_failed && assets.get(&handle.0).is_none() {
        let path = handle.0.path().map(ToString::to_string).unwrap_or_default();
        let state = server.load_state(&handle.0);
        commands.queue(move |world: &mut World| match state {
            // It failed before the handle was inserted.
            LoadState::Failed(error) => fail(world, format!("{path} could not be loaded: {error}")),
            LoadState::NotLoaded | LoadState::Loading | LoadState::Loaded => {
                let mut game = world.resource_mut::<GameplayWorld>();
                (game.is_loading, game.problem) = (true, None);
            }
        });
    }
    let mut is_new = handle.is_changed();
    for event in events.read() {
        is_new |= match event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } => *id == handle.0.id(),
            AssetEvent::Removed { .. }
            | AssetEvent::Unused { .. }
            | AssetEvent::LoadedWithDependencies { .. } => false,
        };
    }
    // A fast load is available before its event: do not install the same pack twice.
    let is_known = |pack: &Arc<Pack>| game.pack().is_some_and(|known| Arc::ptr_eq(known, pack));
    if is_new
        && let Some(asset) = assets.get(&handle.0)
        && !is_known(&asset.pack)
    {
        let pack = asset.pack.clone();
        commands.queue(move |world: &mut World| install(world, pack.catalog.clone(), Some(pack)));
    }
}

/// Emits the outcomes of [`GameplayWorld::install`], and warns of handlers that can never be called.
fn follow_rules(world: &mut World) {
    emit_outcomes(world);
    let game = world.resource::<GameplayWorld>();
    let Some((catalog, serial)) = game.catalog().cloned().map(|catalog| (catalog, game.rules_serial)) else {
        return;
    };
    if let Some(mut handlers) = world.get_resource_mut::<Handlers>() {
        handlers.bypass_change_detection().warn_of_unknown(&catalog, serial);
    }
}

/// Creates the controllers that wait for rules, each time the rules of a simulation change.
fn create_waiting(world: &mut World, games: &mut SystemState<GameplayInstances<'_, '_>>) {
    let Ok(mut games) = games.get_mut(world) else { return };
    let mut waiting = Vec::new();
    for (_, game) in games.iter_mut() {
        if game.tried_version != game.rules_version {
            game.tried_version = game.rules_version;
            // Those of the app are emitted by now, and those of instances have no events.
            game.outcomes.clear();
            waiting.append(&mut game.waiting);
        }
    }
    for entity in waiting {
        create_controller(&mut DeferredWorld::from(&mut *world), entity);
    }
    world.flush();
}
