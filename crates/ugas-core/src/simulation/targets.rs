//! Placement and teams of controllers, and target selection (GASD §4.11).

use super::Simulation;
use crate::controller::Controller;
use crate::handle::{ControllerId, GrantedAbilityId, TaskId};
use crate::id::AbilityId;
use crate::refusal::RefusalReason;
use crate::targeting::{
    Area, Candidate, Placement, SelectionBuffers, Shape, SharedSpace, Space, TargetData, TargetQuery,
    Targeting, Team, select,
};
use crate::task::Wait;

impl Simulation {
    /// Sets the placement of a controller; `None` removes it from the world.
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

    /// Sets the team of a controller.
    ///
    /// # Errors
    /// If the controller does not exist (any more), or the team's name is too long.
    pub fn set_team(&mut self, controller: ControllerId, team: Option<Team>) -> Result<(), RefusalReason> {
        if let Some(team) = &team {
            self.check_name(team.name()).map_err(RefusalReason::LimitReached)?;
        }
        let known = self.state.controllers.get_mut(controller);
        known.ok_or(RefusalReason::UnknownController(controller))?.set_team(team.as_ref());
        Ok(())
    }

    /// Sets the world of this simulation: its answers to line-of-sight and area queries. `None` is the
    /// [catalog's](crate::catalog::CatalogBuilder::space). It is native code, not part of the state: a snapshot or a
    /// recording does not contain it, and [`Self::restore`] keeps it.
    pub fn set_space(&mut self, space: Option<SharedSpace>) {
        self.space = space;
    }

    /// The world that targeting asks: that of the simulation, or else that of its catalog.
    pub fn space(&self) -> &dyn Space {
        &**self.space.as_ref().unwrap_or(&self.catalog.space)
    }

    /// The world of this simulation; `None` if it has that of its catalog.
    pub fn own_space(&self) -> Option<&SharedSpace> {
        self.space.as_ref()
    }

    /// Targets that a targeting of `owner` selects, nearest first, starting from `given`.
    pub fn find_targets(&self, targeting: &Targeting, owner: ControllerId, given: &TargetData) -> TargetData {
        let mut found = TargetData::new();
        self.select_into(targeting, owner, given, &mut SelectionBuffers::default(), &mut found);
        found
    }

    /// Whether the owner of an ability may choose these targets for an activation: no more than it
    /// [may name](crate::ability::Ability::most_named_targets), each with the required tags and team and accepted by its
    /// filter. Without targeting it is one target of any kind. Positions are not checked: a server judges
    /// them by the positions that its client saw (§13.7).
    ///
    /// For hosts that receive targets from an untrusted client; a host may activate on any targets itself.
    pub fn can_choose_targets(&self, ability: GrantedAbilityId, targets: &TargetData) -> bool {
        let Some((granted, ability)) = self.granted(ability) else { return false };
        let accepts = |targeting| self.are_accepted(targeting, granted.controller(), targets, targets);
        targets.len() <= ability.most_named_targets() && ability.targeting().is_none_or(accepts)
    }

    /// Whether a task that waits for targets accepts these, by the same rules as
    /// [`Self::can_choose_targets`] with the targeting of the task.
    pub fn can_provide_targets(&self, task: TaskId, targets: &TargetData) -> bool {
        let Some(targeting) = self.awaited_targeting(task) else { return false };
        let activation =
            self.state.tasks.get(task).and_then(|task| self.state.activations.get(task.activation));
        let Some(activation) = activation else { return false };
        targets.len() <= targeting.choice_limit()
            && self.are_accepted(targeting, activation.controller, &activation.targets, targets)
    }

    /// Targeting of a task that waits for targets; `None` if it waits for something else.
    pub fn awaited_targeting(&self, task: TaskId) -> Option<&Targeting> {
        match self.wait_of(task)? {
            Wait::TargetData { targeting, .. } => Some(targeting),
            _ => None,
        }
    }

    /// The area that a targeting of `owner` searches, starting from `given`; `None` if its origin is unknown.
    pub fn targeting_area(
        &self,
        targeting: &Targeting,
        owner: ControllerId,
        given: &TargetData,
    ) -> Option<Area> {
        self.query(targeting, owner, given)?.area()
    }

    /// Whether a target has the tags that an ability requires of its targets, and none that it blocks (§8.4).
    /// Activation checks only the first target.
    pub fn accepts_target(&self, ability: AbilityId, target: ControllerId) -> bool {
        let ability = self.catalog.ability_by_id(ability);
        let target = self.state.controllers.get(target);
        ability.zip(target).is_some_and(|(ability, target)| ability.target.is_met_by(&target.tags))
    }

    /// Replaces `found` by the targets that a targeting of `owner` selects, starting from `given`; empty if
    /// the owner does not exist. `buffers` is working memory.
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

    /// Whether every controller among the targets passes the filters of a targeting. With
    /// [`Shape::SelfOnly`] it must be the owner.
    fn are_accepted(
        &self,
        targeting: &Targeting,
        owner: ControllerId,
        given: &TargetData,
        targets: &TargetData,
    ) -> bool {
        let Some(query) = self.query(targeting, owner, given) else { return false };
        let fits = |id: ControllerId| {
            let known = self.state.controllers.get(id);
            known.is_some_and(|known| query.filters_fit(&candidate((id, known))))
                && (targeting.shape != Shape::SelfOnly || id == owner)
        };
        targets.controllers().all(fits)
    }

    /// Query of a targeting: the owner's placement and team, and the first target and location of `given`.
    /// `None` if the owner does not exist. A named filter that the catalog lacks accepts nobody.
    fn query<'a>(
        &'a self,
        targeting: &'a Targeting,
        owner: ControllerId,
        given: &TargetData,
    ) -> Option<TargetQuery<'a>> {
        let own = self.state.controllers.get(owner)?;
        let target = given.first_controller();
        let filter = targeting.filter.as_deref().and_then(|name| self.catalog.target_filter(name));
        Some(TargetQuery {
            owner_placement: own.interactions.placement,
            owner_team: own.interactions.team.as_ref(),
            activation_target: target,
            target_placement: target
                .and_then(|target| self.state.controllers.get(target))
                .and_then(|target| target.interactions.placement),
            location: given.first_location(),
            attitude: &*self.catalog.attitude,
            filter: filter.map(|filter| &**filter),
            space: self.space(),
            now: self.now(),
            ..TargetQuery::new(targeting, owner)
        })
    }
}

/// View of a controller for target selection.
fn candidate((controller, known): (ControllerId, &Controller)) -> Candidate<'_> {
    Candidate {
        controller,
        ordinal: known.ordinal,
        placement: known.interactions.placement,
        team: known.interactions.team.as_ref(),
        tags: &known.tags,
    }
}
