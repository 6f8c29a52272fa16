//! Where controllers are and on whose side, and who is found there (GASD §4.11).

use super::Simulation;
use crate::controller::Controller;
use crate::handle::{ControllerId, TaskId};
use crate::id::AbilityId;
use crate::refusal::RefusalReason;
use crate::targeting::{Candidate, Placement, Query, SelectionBuffers, TargetData, Targeting, Team, select};
use crate::task::Wait;

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
        known.ok_or(RefusalReason::UnknownController(controller))?.set_placement(placement);
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
        known.ok_or(RefusalReason::UnknownController(controller))?.set_team(team.as_ref());
        Ok(())
    }

    /// Who is found by a targeting of `owner`, given the targets that there are already: the nearest first.
    pub fn find_targets(&self, targeting: &Targeting, owner: ControllerId, given: &TargetData) -> TargetData {
        let mut found = TargetData::new();
        self.select_into(targeting, owner, given, &mut SelectionBuffers::default(), &mut found);
        found
    }

    /// Whether a task that waits for targets may be given these: no more than its targeting wants, and each with the tags,
    /// on the side and past the filter that it asks for. Where they are is not judged: a server judges that by where they
    /// were when its client saw them (§13.7).
    ///
    /// A host chooses freely; this is for whoever takes a stranger's choice.
    pub fn may_be_given(&self, task: TaskId, targets: &TargetData) -> bool {
        let Some(Wait::TargetData { targeting, .. }) = self.wait_of(task) else { return false };
        let activation =
            self.state.tasks.get(task).and_then(|task| self.state.activations.get(task.activation));
        let Some(activation) = activation else { return false };
        let Some(query) = self.query(targeting, activation.controller, &activation.targets) else {
            return false;
        };
        let fits = |id: ControllerId| {
            let known = self.state.controllers.get(id);
            known.is_some_and(|known| query.filters_fit(&candidate((id, known))))
        };
        targets.iter().count() <= targeting.limit() && targets.controllers().all(fits)
    }

    /// How far the targeting of a task reaches that waits for targets, if it says so.
    pub fn range_of(&self, task: TaskId) -> Option<f64> {
        match self.wait_of(task)? {
            Wait::TargetData { targeting, .. } => targeting.range,
            _ => None,
        }
    }

    /// Whether a target has the tags that an ability asks of its targets, and none of those that it refuses (§8.4).
    /// Activation asks that of the first only, which is the one that it is about.
    pub fn accepts_target(&self, ability: AbilityId, target: ControllerId) -> bool {
        let ability = self.catalog.ability_by_id(ability);
        let target = self.state.controllers.get(target);
        ability.zip(target).is_some_and(|(ability, target)| ability.target.is_met_by(&target.tags))
    }

    pub(super) fn select_into(
        &self,
        targeting: &Targeting,
        owner: ControllerId,
        given: &TargetData,
        buffers: &mut SelectionBuffers,
        found: &mut TargetData,
    ) {
        let Some(query) = self.query(targeting, owner, given) else { return found.clear() };
        select(self.state.controllers.iter().map(candidate), &query, buffers, found);
    }

    fn query<'a>(
        &'a self,
        targeting: &'a Targeting,
        owner: ControllerId,
        given: &TargetData,
    ) -> Option<Query<'a>> {
        let own = self.state.controllers.get(owner)?;
        let target = given.first_controller();
        let filter = targeting.filter.as_deref().and_then(|name| self.catalog.target_filter(name));
        Some(Query {
            owner_placement: own.extras.placement,
            owner_team: own.extras.team.as_ref(),
            activation_target: target,
            target_placement: target
                .and_then(|target| self.state.controllers.get(target))
                .and_then(|target| target.extras.placement),
            location: given.first_location(),
            attitude: &*self.catalog.attitude,
            filter: filter.map(|filter| &**filter),
            space: &*self.catalog.space,
            ..Query::new(targeting, owner)
        })
    }
}

fn candidate((controller, known): (ControllerId, &Controller)) -> Candidate<'_> {
    Candidate {
        controller,
        ordinal: known.ordinal,
        placement: known.extras.placement,
        team: known.extras.team.as_ref(),
        tags: &known.tags,
    }
}
