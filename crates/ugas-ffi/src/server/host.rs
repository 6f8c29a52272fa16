//! Callbacks of a server's host: they receive data, and answer with a number.

use core::ffi::c_void;

use ugas_core::handle::ControllerId;
use ugas_core::id::AbilityId;
use ugas_core::simulation::Simulation;
use ugas_core::targeting::TargetData;
use ugas_net::history::Positions;
use ugas_net::message::{ClientId, Rejection};
use ugas_net::schedule::ActorClass;
use ugas_net::{AfterRejection, Defaults, Host, PeerId, Reach, within_range};

use super::{ugas_client_id, ugas_peer};
use crate::calculation::{UserData, ugas_free};
use crate::catalog::ugas_ability;
use crate::memory::{Plain, SizePrefixed, ugas_bytes};
use crate::net;
use crate::simulation::ugas_controller;
use crate::target::{to_c, ugas_target};

/// Importance of a controller to a client: how often it is updated (§13.6).
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ugas_actor_class {
    /// Controlled by a player.
    Player = 0,
    /// Not controlled by a player, but important.
    ImportantAi = 1,
    /// Far away, or in the background.
    Distant = 2,
    /// Rarely changing: sent whenever it changes.
    Static = 3,
}

/// A client's request to act on a target.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_reach {
    /// sizeof(ugas_reach) of the library.
    pub size: usize,
    /// Controller that acts.
    pub instigator: ugas_controller,
    /// Target of the action.
    pub target: ugas_target,
    /// Maximum range of the ability's targeting; negative if it has none.
    pub range: f64,
    /// Position of the target when the client saw it, if has_seen is not zero.
    pub seen_position: [f64; 3],
    /// Tick that the client displayed when it acted.
    pub seen_tick: u32,
    /// Client that sent the request.
    pub client: ugas_client_id,
    /// Default answer of the library: by distance, as far as it is known. Not zero is yes.
    pub is_within_range: u32,
    /// Whether the position is known.
    pub has_seen: u32,
}

/// Decides whether a connection is accepted: not zero is yes. The credential comes from the client.
pub type ugas_admit =
    Option<unsafe extern "C" fn(user: *mut c_void, peer: ugas_peer, credential: ugas_bytes) -> u32>;

/// Returns one of ugas_actor_class for a controller that the client does not own.
pub type ugas_classify = Option<
    unsafe extern "C" fn(user: *mut c_void, client: ugas_client_id, controller: ugas_controller) -> u32,
>;

/// Decides whether a target can be reached: not zero is yes.
pub type ugas_reaches = Option<unsafe extern "C" fn(user: *mut c_void, reach: *const ugas_reach) -> u32>;

/// Decides whether a client may choose these targets together for an ability: not zero is yes. Each target is
/// visible and reachable. `is_usual` is the default answer of the library: not zero if no target is named
/// twice.
pub type ugas_may_choose = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        client: ugas_client_id,
        ability: ugas_ability,
        targets: *const ugas_target,
        target_count: usize,
        is_usual: u32,
    ) -> u32,
>;

/// Called for every rejected command with its ugas_rejection, and the number of this client's commands
/// rejected for it so far. A result other than zero kicks the client.
pub type ugas_on_rejection = Option<
    unsafe extern "C" fn(user: *mut c_void, client: ugas_client_id, rejection: u32, count: u32) -> u32,
>;

/// Callbacks of a server's host; for a null callback the library uses its default. They must not call this
/// library, and no exception may leave them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ugas_server_host {
    /// sizeof(ugas_server_host).
    pub size: usize,
    /// By default every connection is accepted.
    pub admit: ugas_admit,
    /// By default every controller is UGAS_ACTOR_CLASS_IMPORTANT_AI.
    pub classify: ugas_classify,
    /// By default decided by distance.
    pub reaches: ugas_reaches,
    /// By default no target may be named twice.
    pub may_choose: ugas_may_choose,
    /// By default no client is kicked.
    pub rejected: ugas_on_rejection,
    /// Passed to all callbacks.
    pub user: *mut c_void,
    /// Called with `user` when the server is freed; may be null. If ugas_server_new fails, `user` stays the
    /// host's.
    pub free: ugas_free,
}

// SAFETY: `repr(C)`, numbers and pointers; a null function is `None`.
unsafe impl Plain for ugas_server_host {}
// SAFETY: it begins with its size.
unsafe impl SizePrefixed for ugas_server_host {}

/// [`Host`] that calls the host's callbacks, with defaults for null ones.
pub(crate) struct GameHost {
    admit: ugas_admit,
    classify: ugas_classify,
    reaches: ugas_reaches,
    may_choose: ugas_may_choose,
    rejected: ugas_on_rejection,
    data: UserData,
    resume_from_any_peer: bool,
}

impl GameHost {
    pub(crate) fn new(given: Option<ugas_server_host>, resume_from_any_peer: bool) -> Self {
        let nothing = UserData { user: core::ptr::null_mut(), free: None };
        match given {
            Some(given) => Self {
                admit: given.admit,
                classify: given.classify,
                reaches: given.reaches,
                may_choose: given.may_choose,
                rejected: given.rejected,
                data: UserData { user: given.user, free: given.free },
                resume_from_any_peer,
            },
            None => Self {
                admit: None,
                classify: None,
                reaches: None,
                may_choose: None,
                rejected: None,
                data: nothing,
                resume_from_any_peer,
            },
        }
    }
}

impl Host for GameHost {
    fn readmit(&mut self, peer: PeerId, former: PeerId, client: ClientId) -> Result<(), String> {
        if self.resume_from_any_peer { Ok(()) } else { Defaults.readmit(peer, former, client) }
    }

    fn admit(&mut self, peer: PeerId, credential: &[u8]) -> Result<(), String> {
        let Some(ask) = self.admit else { return Ok(()) };
        // SAFETY: the host's own function with its own data; the bytes are valid during the call.
        let is_admitted = unsafe { ask(self.data.user, peer.0, ugas_bytes::from(credential)) != 0 };
        is_admitted.then_some(()).ok_or_else(|| "denied by the host".to_owned())
    }

    fn class(&self, _: &Simulation, client: ClientId, controller: ControllerId) -> ActorClass {
        let Some(ask) = self.classify else { return ActorClass::ImportantAi };
        // SAFETY: the host's own function with its own data.
        match unsafe { ask(self.data.user, client.0, controller.to_bits().get()) } {
            0 => ActorClass::Player,
            2 => ActorClass::Distant,
            3 => ActorClass::Static,
            _ => ActorClass::ImportantAi,
        }
    }

    fn reaches(&self, simulation: &Simulation, positions: &Positions, reach: Reach<'_>) -> bool {
        let is_within_range = within_range(simulation, positions, reach);
        let (Some(ask), Some(target)) = (self.reaches, to_c(reach.target)) else { return is_within_range };
        let seen = reach.target.controller().and_then(|controller| positions.at(controller, reach.seen));
        let reach = ugas_reach {
            size: size_of::<ugas_reach>(),
            instigator: reach.instigator.to_bits().get(),
            target,
            range: reach.range.unwrap_or(-1.0),
            seen_position: seen.unwrap_or_default(),
            seen_tick: reach.seen.0,
            client: reach.client.0,
            is_within_range: u32::from(is_within_range),
            has_seen: u32::from(seen.is_some()),
        };
        // SAFETY: the host's own function with its own data; the structure is valid during the call.
        unsafe { ask(self.data.user, &raw const reach) != 0 }
    }

    fn may_choose(
        &self,
        simulation: &Simulation,
        client: ClientId,
        ability: AbilityId,
        targets: &TargetData,
    ) -> bool {
        let is_usual = Defaults.may_choose(simulation, client, ability, targets);
        let Some(ask) = self.may_choose else { return is_usual };
        let targets: Vec<ugas_target> = targets.iter().filter_map(to_c).collect();
        let (data, count) = (targets.as_ptr(), targets.len());
        // SAFETY: the host's own function with its own data; the list is valid during the call.
        unsafe { ask(self.data.user, client.0, ability.index(), data, count, u32::from(is_usual)) != 0 }
    }

    fn rejected(&mut self, client: ClientId, rejection: Rejection, count: u32) -> AfterRejection {
        let Some(callback) = self.rejected else { return AfterRejection::Keep };
        let rejection = net::rejection(rejection) as u32;
        // SAFETY: the host's own function with its own data.
        match unsafe { callback(self.data.user, client.0, rejection, count) } {
            0 => AfterRejection::Keep,
            _ => AfterRejection::Kick,
        }
    }
}
