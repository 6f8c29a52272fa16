//! Rules as assets: packs are loaded, checked, and hot-reloaded.

mod loader;
mod watch;

use bevy_app::{App, Plugin, PreStartup, PreUpdate};
use bevy_asset::{Asset, AssetApp, AssetEvent, AssetPath, AssetPlugin, AssetServer, Assets, Handle};
use bevy_ecs::change_detection::DetectChanges;
use bevy_ecs::prelude::{Commands, Event, Message, MessageReader, Res, Resource, World};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::world::DeferredWorld;
use bevy_platform::sync::Arc;
use bevy_reflect::TypePath;
use ugas::{Catalog, CatalogDiff, ReloadReport};
use ugas_data::Pack;

pub use loader::{PackLoadError, PackLoader, RulesExtensions, load_pack};

use crate::GameplaySystems;
use crate::controller::create_controller;
use crate::world::GameplayWorld;
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
    /// From code.
    Catalog(Arc<Catalog>),
}

/// Loads packs and installs their rules.
#[derive(Clone, Default)]
pub struct UgasRulesPlugin {
    /// Source of the rules.
    pub source: RulesSource,
}

impl Plugin for UgasRulesPlugin {
    /// Rules from the source: installed at once from a pack or a catalog, loaded at startup from an asset.
    /// Without `AssetPlugin`, an asset is an error in the log, and there is no reloading.
    fn build(&self, app: &mut App) {
        app.init_resource::<GameplayWorld>().init_resource::<RulesExtensions>();
        app.add_message::<RulesInstalled>().add_message::<RulesReloaded>();
        app.add_systems(PreUpdate, create_waiting.in_set(GameplaySystems::Rules));
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
            app.add_systems(PreUpdate, install_assets.before(create_waiting).in_set(GameplaySystems::Rules));
        }
        match &self.source {
            RulesSource::Later => {}
            RulesSource::Asset(path) if has_assets => {
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
                tracing::error!(
                    "{path} cannot be loaded without assets: add Bevy's `AssetPlugin` before `UgasPlugins`"
                );
            }
            RulesSource::Pack(pack) => install(app.world_mut(), pack.catalog.clone(), Some(pack.clone())),
            RulesSource::Catalog(catalog) => install(app.world_mut(), catalog.clone(), None),
        }
    }
}

/// Installs rules, or reloads them into a running game, and emits [`RulesInstalled`] or [`RulesReloaded`]. On
/// an error, which is logged, the previous rules and pack stay.
pub(crate) fn install(world: &mut World, catalog: Arc<Catalog>, pack: Option<Arc<Pack>>) {
    let mut game = world.resource_mut::<GameplayWorld>();
    let installed = game.install(catalog);
    if installed.is_ok() {
        game.pack = pack;
    }
    match installed {
        Ok(None) => {
            world.write_message(RulesInstalled);
            world.trigger(RulesInstalled);
        }
        Ok(Some(report)) => {
            for line in report.to_string().lines() {
                tracing::info!("rules reloaded: {line}");
            }
            let reloaded = RulesReloaded { report: Arc::new(report) };
            world.write_message(reloaded.clone());
            world.trigger(reloaded);
        }
        Err(error) if world.resource::<GameplayWorld>().is_in_play() => {
            tracing::error!("the new rules were not installed, the old ones stay in force: {error}");
        }
        Err(error) => tracing::error!("the rules could not be installed: {error}"),
    }
}

/// Installs the pack of [`RulesHandle`] when the handle changes, or its asset is loaded or reloaded.
fn install_assets(
    mut events: MessageReader<'_, '_, AssetEvent<PackAsset>>,
    handle: Option<Res<'_, RulesHandle>>,
    assets: Res<'_, Assets<PackAsset>>,
    game: Res<'_, GameplayWorld>,
    mut commands: Commands<'_, '_>,
) {
    let Some(handle) = handle else { return events.clear() };
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

/// Creates the controllers that wait for rules, each time the rules change.
fn create_waiting(world: &mut World, mut tried_version: bevy_ecs::system::Local<'_, u32>) {
    let mut game = world.resource_mut::<GameplayWorld>();
    if game.rules_version == *tried_version {
        return;
    }
    *tried_version = game.rules_version;
    let waiting = core::mem::take(&mut game.waiting);
    for entity in waiting {
        create_controller(&mut DeferredWorld::from(&mut *world), entity);
    }
    world.flush();
}
