//! Hot reload: new rules for a running server.

use std::sync::Arc;

use ugas_core::catalog::Catalog;
use ugas_core::reload::{ReloadError, ReloadReport};

use super::{Host, PeerId, Server, ServerEvent};
use crate::message::ByeReason;
use crate::wire::Dictionary;

impl<H: Host> Server<H> {
    /// Replaces the rules between ticks. The state goes on under them, as
    /// [`Simulation::reload`](ugas_core::simulation::Simulation::reload) describes. `dictionary` is the game's own
    /// quantisation for the new rules; the default one if `None`.
    ///
    /// Clients predict with their own copy of the rules, so all sessions end with [`ByeReason::Shutdown`], as at a
    /// restart. A client with the new rules is admitted again; one with other rules is refused with
    /// [`RefusedReason::Catalog`](crate::message::RefusedReason::Catalog). Controllers have no owners until the
    /// host [gives](Self::give) them again, and [visibilities](Self::add_visibility) of the game's own are forgotten,
    /// because they name attributes and tags of the old rules. A host that records begins a new recording.
    ///
    /// # Errors
    /// As [`Simulation::reload`](ugas_core::simulation::Simulation::reload); nothing has changed then.
    pub fn reload(
        &mut self,
        catalog: Arc<Catalog>,
        dictionary: Option<Dictionary>,
    ) -> Result<ReloadReport, ReloadError> {
        // Events before the reload name ids of the old rules, and are emitted before it.
        self.take_events();
        let report = self.simulation.reload(catalog)?;
        self.events.push_back(ServerEvent::Reloaded);
        let peers: Vec<PeerId> = self.sessions.keys().copied().collect();
        for peer in peers {
            self.end_session(peer, Some(ByeReason::Shutdown));
        }
        self.dictionary = dictionary.unwrap_or_else(|| Dictionary::of(self.simulation.catalog()));
        self.visibilities.clear();
        self.visibility_overrides.clear();
        self.cue_bursts.clear();
        self.too_large.clear();
        // The reloaded state does not track touches yet.
        self.simulation.watch_touches();
        if self.touched.is_some() {
            self.watch_touches();
        }
        Ok(report)
    }
}
