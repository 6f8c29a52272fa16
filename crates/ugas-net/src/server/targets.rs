//! Targets that a client names: which of them it may name, and where they may be (§13.7, 3).

use ugas_core::ability::{Ability, GameplayEvent};
use ugas_core::effect::Vector3;
use ugas_core::handle::{ControllerId, GrantedAbilityId, TaskId};
use ugas_core::id::AbilityId;
use ugas_core::targeting::{Area, Origin, Shape, Target, TargetData, Targeting};

use super::host::{distance, seen_position};
use super::kick::Denied;
use super::{Host, PeerId, Reach, Server};
use crate::message::Rejection;

/// An action of a client whose targets are checked.
struct TargetedAction<'a> {
    instigator: ControllerId,
    ability: AbilityId,
    /// Targeting of the ability or of the task that waits for targets.
    targeting: Option<&'a Targeting>,
    /// Targets that the targeting starts from.
    given: &'a TargetData,
}

impl<H: Host> Server<H> {
    /// Rejects controllers that the client does not see, as [`Rejection::NotReachable`], unless the ability's
    /// targeting or the host lets the ability target them.
    pub(super) fn sees(
        &self,
        peer: PeerId,
        ability: AbilityId,
        named: impl Iterator<Item = ControllerId>,
    ) -> Result<(), Rejection> {
        let targeting = self.catalog().ability_by_id(ability).and_then(Ability::targeting);
        self.sees_targets(peer, ability, targeting, named)
    }

    /// As [`Self::sees`], with the targeting that the controllers are chosen by.
    fn sees_targets(
        &self,
        peer: PeerId,
        ability: AbilityId,
        targeting: Option<&Targeting>,
        mut named: impl Iterator<Item = ControllerId>,
    ) -> Result<(), Rejection> {
        let session = self.sessions.get(&peer).ok_or(Rejection::NotOwner)?;
        let allows_unseen = targeting.is_some_and(|targeting| targeting.allow_unseen);
        let is_allowed = |id: ControllerId| {
            session.sees(id)
                || self.simulation.controller(id).is_some()
                    && (allows_unseen
                        || self.host.may_target_unseen(&self.simulation, session.client, ability))
        };
        named.all(is_allowed).then_some(()).ok_or(Rejection::NotReachable)
    }

    /// Checks the ability's requirements of every target, not only of the first; otherwise
    /// [`Rejection::NotReachable`].
    pub(super) fn accepts(&self, ability: AbilityId, targets: &TargetData) -> Result<(), Rejection> {
        let mut targets = targets.controllers();
        let accepts = targets.all(|target| self.simulation.accepts_target(ability, target));
        accepts.then_some(()).ok_or(Rejection::NotReachable)
    }

    /// Checks targets that a client provides to a task: it must see them, the task's targeting and the
    /// ability must accept them, and they must be within reach.
    pub(super) fn may_provide(
        &self,
        peer: PeerId,
        (instigator, ability): (ControllerId, AbilityId),
        task: TaskId,
        targets: &TargetData,
    ) -> Result<(), Denied> {
        // A late answer: the branch has gone on since.
        let targeting = self.simulation.awaited_targeting(task).ok_or(Rejection::NothingWaits)?;
        // First: any other answer would reveal a target that the client does not see.
        self.sees_targets(peer, ability, Some(targeting), targets.controllers())?;
        // Not forged: the answer may have been for an earlier wait of the branch, which allowed more targets.
        if targets.len() > targeting.choice_limit() || !self.simulation.can_provide_targets(task, targets) {
            return Err(Rejection::NotReachable.into());
        }
        self.accepts(ability, targets)?;
        let run = self.simulation.task(task).and_then(|task| self.simulation.activation(task.activation()));
        let given = run.ok_or(Rejection::NotGranted)?.targets();
        let given = if given.is_empty() { targets } else { given };
        let action = TargetedAction { instigator, ability, targeting: Some(targeting), given };
        Ok(self.reachable(peer, &action, targets)?)
    }

    /// Checks targets that a client names for an activation: no more, and no others, than the ability's
    /// targeting lets it choose, all within reach.
    pub(super) fn may_activate_on(
        &self,
        peer: PeerId,
        ability: GrantedAbilityId,
        targets: &TargetData,
    ) -> Result<(), Denied> {
        let action = self.activation_of(ability, targets)?;
        let limit = self.catalog().ability_by_id(action.ability).map_or(0, Ability::most_named_targets);
        check_number(targets, limit)?;
        if !self.simulation.can_choose_targets(ability, targets) {
            return Err(Rejection::NotReachable.into());
        }
        Ok(self.reachable(peer, &action, targets)?)
    }

    /// Checks the targets and the origin of an event that a client names, as those of an activation. The
    /// controllers in it were checked by [`Self::sees`].
    pub(super) fn may_trigger(
        &self,
        peer: PeerId,
        ability: GrantedAbilityId,
        event: &GameplayEvent,
    ) -> Result<(), Denied> {
        if let Some(targets) = event.targets() {
            self.may_activate_on(peer, ability, &targets)?;
        }
        match event.details.as_ref().and_then(|details| details.origin) {
            Some(origin) => {
                let origin = TargetData::from(origin);
                Ok(self.reachable(peer, &self.activation_of(ability, &origin)?, &origin)?)
            }
            None => Ok(()),
        }
    }

    /// An activation of a granted ability, whose targeting starts from its own targets.
    fn activation_of<'a>(
        &'a self,
        ability: GrantedAbilityId,
        targets: &'a TargetData,
    ) -> Result<TargetedAction<'a>, Rejection> {
        let granted = self.simulation.ability(ability).ok_or(Rejection::NotGranted)?;
        let (instigator, ability) = (granted.controller(), granted.ability());
        let targeting = self.catalog().ability_by_id(ability).and_then(|ability| ability.targeting());
        Ok(TargetedAction { instigator, ability, targeting, given: targets })
    }

    /// Checks that the client may choose these targets together, and that the instigator reaches every place
    /// in them (§13.7, 3) as the client saw it; otherwise [`Rejection::NotReachable`]. Places are the
    /// position of a controller, the location of a hit and a location.
    fn reachable(
        &self,
        peer: PeerId,
        action: &TargetedAction<'_>,
        targets: &TargetData,
    ) -> Result<(), Rejection> {
        let session = self.sessions.get(&peer).ok_or(Rejection::NotOwner)?;
        let (client, simulation) = (session.client, &self.simulation);
        if !self.host.may_choose(simulation, client, action.ability, targets) {
            return Err(Rejection::NotReachable);
        }
        let area = action
            .targeting
            .and_then(|targeting| simulation.targeting_area(targeting, action.instigator, action.given));
        let mut judged = Vec::new();
        for target in targets.iter() {
            let reach = Reach {
                client,
                instigator: action.instigator,
                ability: action.ability,
                target,
                range: self.range_of(action, area.as_ref()),
                seen: session.inbound.seen,
                line_of_sight: action.targeting.is_some_and(|targeting| targeting.line_of_sight),
                tolerance: 0.0,
            };
            let reach = Reach { tolerance: self.host.tolerance(simulation, reach), ..reach };
            let is_reached = self.host.reaches(simulation, &self.positions, reach)
                && self.is_in_sight(reach)
                && area.as_ref().is_none_or(|area| self.is_inside(area, reach));
            if !is_reached {
                return Err(Rejection::NotReachable);
            }
            judged.push(reach);
        }
        match action.targeting.map(|targeting| targeting.shape) {
            Some(Shape::Chain { radius, .. }) if !self.is_chain(radius, &judged) => {
                Err(Rejection::NotReachable)
            }
            _ => Ok(()),
        }
    }

    /// The smaller of the ranges of the ability and of the targeting; `None` if neither has one. The range of
    /// a targeting that starts elsewhere is the extent of its area.
    fn range_of(&self, action: &TargetedAction<'_>, area: Option<&Area>) -> Option<f64> {
        let of_ability = self.catalog().ability_by_id(action.ability).and_then(|known| known.def().max_range);
        let from_owner = |targeting: &&Targeting| targeting.origin == Origin::Owner || area.is_none();
        let of_targeting = action.targeting.filter(from_owner).and_then(|targeting| targeting.range);
        [of_ability, of_targeting].into_iter().flatten().min_by(f64::total_cmp)
    }

    /// Whether the host sees every place of a target from the instigator. True while the instigator has no
    /// position.
    fn is_in_sight(&self, reach: Reach<'_>) -> bool {
        let known = self.simulation.controller(reach.instigator);
        let Some(from) = known.and_then(|known| known.placement()) else { return true };
        self.places(reach).all(|place| self.host.in_sight(&self.simulation, reach, from.position(), place))
    }

    /// Whether a target is in the area that the targeting searches. Only areas limit it: other shapes are
    /// limited by range and number.
    fn is_inside(&self, area: &Area, reach: Reach<'_>) -> bool {
        if !matches!(area.shape, Shape::Radius | Shape::Cone(_) | Shape::Line { .. } | Shape::Box { .. })
            || matches!(reach.target, Target::Custom(_))
        {
            return true;
        }
        // A controller without a position is in no area.
        let mut places = self.places(reach).peekable();
        places.peek().is_some() && places.all(|place| is_near(area, place, reach.tolerance))
    }

    /// Whether each target is within a jump of the one before it. Targets without a position break a chain.
    fn is_chain(&self, radius: f64, targets: &[Reach<'_>]) -> bool {
        targets.windows(2).all(|pair| {
            let [from, to] = [pair[0], pair[1]].map(|reach| self.places(reach).next());
            from.zip(to).is_some_and(|(from, to)| distance(from, to) <= radius + pair[1].tolerance)
        })
    }

    /// The places of a target: the position at which the client saw its controller, and its location.
    fn places(&self, reach: Reach<'_>) -> impl Iterator<Item = Vector3> {
        let seen = reach.target.controller();
        let seen = seen.and_then(|id| seen_position(&self.simulation, &self.positions, id, reach.seen));
        [seen, reach.target.location()].into_iter().flatten()
    }
}

/// Checks the number of targets, which an unmodified client does too.
fn check_number(targets: &TargetData, most: usize) -> Result<(), Denied> {
    if targets.len() > most { Err(Denied::forged(Rejection::NotReachable)) } else { Ok(()) }
}

/// Whether a point is inside an area, or can be moved inside by at most `tolerance`, towards its origin or
/// its axis.
fn is_near(area: &Area, point: Vector3, tolerance: f64) -> bool {
    if area.contains(point) || tolerance == f64::INFINITY {
        return true;
    }
    let (origin, axis) = (area.origin.position(), area.origin.facing());
    let dot = |one: Vector3, other: Vector3| -> f64 { (0..3).map(|at| one[at] * other[at]).sum() };
    let offset = [0, 1, 2].map(|at: usize| point[at] - origin[at]);
    let length = dot(axis, axis);
    let along = if length > 0.0 { (dot(offset, axis) / length).max(0.0) } else { 0.0 };
    let foot = [0, 1, 2].map(|at: usize| origin[at] + axis[at] * along);
    [origin, foot].into_iter().any(|goal| area.contains(moved(point, goal, tolerance)))
}

/// A point moved towards another by at most a distance.
fn moved(point: Vector3, goal: Vector3, by: f64) -> Vector3 {
    let share = (by / distance(point, goal).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    [0, 1, 2].map(|at: usize| point[at] + (goal[at] - point[at]) * share)
}

#[cfg(test)]
mod tests {
    use ugas_core::targeting::{HalfAngle, Placement};

    use super::*;

    #[test]
    fn tolerance_extends_an_area_towards_its_origin_and_axis() {
        let origin = Placement::new([0.0; 3], [1.0, 0.0, 0.0]).unwrap();
        let near =
            |shape, point, tolerance| is_near(&Area { shape, origin, range: Some(10.0) }, point, tolerance);
        assert!(near(Shape::Radius, [0.0, 11.0, 0.0], 1.0));
        assert!(!near(Shape::Radius, [0.0, 11.5, 0.0], 1.0));
        let line = Shape::Line { width: 2.0 };
        assert!(near(line, [5.0, 1.5, 0.0], 0.5)); // half the width is 1
        assert!(!near(line, [5.0, 1.75, 0.0], 0.5));
        let cone = Shape::Cone(HalfAngle::from_degrees(45.0));
        assert!(near(cone, [4.0, 5.0, 0.0], 1.0)); // at 4 along the axis it is 4 wide
        assert!(!near(cone, [4.0, 5.5, 0.0], 1.0));
        assert!(!near(cone, [-4.0, 0.0, 0.0], 1.0)); // behind
        assert!(near(cone, [-4.0, 0.0, 0.0], f64::INFINITY));
    }
}
