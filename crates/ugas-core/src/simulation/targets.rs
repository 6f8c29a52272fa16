//! Where controllers are and on whose side, and who is found there (GASD §4.11).

use super::Simulation;
use crate::handle::ControllerId;
use crate::refusal::RefusalReason;
use crate::targeting::{Candidate, Placement, Query, SelectionBuffers, TargetData, Targeting, Team, select};

impl Simulation {
    /// The host says where a controller is; `None` takes it out of the world.
    ///
    /// # Errors
    /// If the controller does not exist (any more).
    pub fn set_placement(
        &mut self,
        controller: ControllerId,
        placement: Option<Placement>,
    ) -> Result<(), RefusalReason> {
        let known = self.state.controllers.get_mut(controller);
        known.ok_or(RefusalReason::UnknownController(controller))?.placement = placement;
        Ok(())
    }

    /// The host says on whose side a controller is.
    ///
    /// # Errors
    /// If the controller does not exist (any more), or the side's name is too long.
    pub fn set_team(&mut self, controller: ControllerId, team: Option<Team>) -> Result<(), RefusalReason> {
        if let Some(team) = &team {
            self.check_name(team.name()).map_err(RefusalReason::LimitReached)?;
        }
        let known = self.state.controllers.get_mut(controller);
        known.ok_or(RefusalReason::UnknownController(controller))?.team = team;
        Ok(())
    }

    /// Who is found by a targeting of `owner`, given the targets that there are already: the nearest first.
    pub fn find_targets(&self, targeting: &Targeting, owner: ControllerId, given: &TargetData) -> TargetData {
        let mut found = TargetData::new();
        self.select_into(targeting, owner, given, &mut SelectionBuffers::default(), &mut found);
        found
    }

    pub(super) fn select_into(
        &self,
        targeting: &Targeting,
        owner: ControllerId,
        given: &TargetData,
        buffers: &mut SelectionBuffers,
        found: &mut TargetData,
    ) {
        let Some(own) = self.state.controllers.get(owner) else { return found.clear() };
        let target = given.first_controller();
        let filter = targeting.filter.as_deref().and_then(|name| self.catalog.target_filter(name));
        let query = Query {
            owner_placement: own.placement,
            owner_team: own.team.as_ref(),
            activation_target: target,
            target_placement: target
                .and_then(|target| self.state.controllers.get(target))
                .and_then(|target| target.placement),
            location: given.first_location(),
            attitude: &*self.catalog.attitude,
            filter: filter.map(|filter| &**filter),
            space: &*self.catalog.space,
            ..Query::new(targeting, owner)
        };
        let candidates = self.state.controllers.iter().map(|(controller, known)| Candidate {
            controller,
            ordinal: known.ordinal,
            placement: known.placement,
            team: known.team.as_ref(),
            tags: &known.tags,
        });
        select(candidates, &query, buffers, found);
    }
}
