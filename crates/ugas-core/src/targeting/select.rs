//! The selection: candidates in, the best of those that fit out.

use core::cmp::Ordering;

use super::data::{Target, TargetData};
use super::def::{Affiliation, Origin, Targeting};
use super::geometry::{Area, Shape, subtract};
use super::placement::{Attitude, AttitudeRule, Placement, Team};
use crate::effect::Vector3;
use crate::handle::ControllerId;
use crate::tag::TagContainer;

/// Somebody who might be targeted.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Who.
    pub controller: ControllerId,
    /// Number in the order of spawning, which decides between equally good targets.
    pub ordinal: u64,
    /// Where, if the host said so. Whoever is nowhere is in no area.
    pub placement: Option<Placement>,
    /// On whose side.
    pub team: Option<&'a Team>,
    /// With which tags.
    pub tags: &'a TagContainer,
}

/// A native condition on targets (GASD §4.11.3). Must be a deterministic function of its arguments (I1).
pub type TargetFilter = dyn Fn(&Candidate<'_>, &Query<'_>) -> bool + Send + Sync;

/// What is wanted, by whom and from where.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// What is wanted.
    pub targeting: &'a Targeting,
    /// Who is targeting.
    pub owner: ControllerId,
    /// Where the owner is.
    pub owner_placement: Option<Placement>,
    /// The owner's side.
    pub owner_team: Option<&'a Team>,
    /// The target that the activation was given.
    pub activation_target: Option<ControllerId>,
    /// Where that target is.
    pub target_placement: Option<Placement>,
    /// The place that was targeted.
    pub location: Option<Vector3>,
    /// How sides stand to each other: [`Attitude::by_team`] or the host's own.
    pub attitude: &'a AttitudeRule,
    /// The native filter that the targeting names. If it names one and there is none here, nobody fits: a condition
    /// that cannot be judged must not let everybody through.
    pub filter: Option<&'a TargetFilter>,
    /// The host's world.
    pub space: &'a dyn Space,
}

impl<'a> Query<'a> {
    /// A question of `owner`, who is nowhere yet, in open space.
    pub fn new(targeting: &'a Targeting, owner: ControllerId) -> Self {
        Self {
            targeting,
            owner,
            owner_placement: None,
            owner_team: None,
            activation_target: None,
            target_placement: None,
            location: None,
            attitude: &Attitude::by_team,
            filter: None,
            space: &OpenSpace,
        }
    }

    /// The area that is searched, if it is known where that is.
    pub fn area(&self) -> Option<Area> {
        let Targeting { shape, range, origin, .. } = *self.targeting;
        let origin = match origin {
            Origin::Owner => self.owner_placement?,
            Origin::ActivationTarget => self.target_placement?,
            Origin::TargetLocation => {
                let location = self.location?;
                let from = self.owner_placement.map_or(location, |owner| owner.position());
                Placement::new(location, subtract(location, from)).ok()?
            }
        };
        // A chain that looks for its first target looks no farther than it jumps, unless it says how far.
        let range = match shape {
            Shape::Chain { radius, .. } if self.activation_target.is_none() => range.or(Some(radius)),
            _ => range,
        };
        Some(Area { shape, origin, range })
    }

    fn affiliation_fits(&self, candidate: &Candidate<'_>) -> bool {
        let is_owner = candidate.controller == self.owner;
        let attitude = || match is_owner {
            true => Attitude::Allied,
            false => (self.attitude)(self.owner_team, candidate.team),
        };
        match self.targeting.affiliation {
            Affiliation::Any => true,
            Affiliation::SelfOnly => is_owner,
            Affiliation::ExcludeSelf => !is_owner,
            Affiliation::Allied => attitude() == Attitude::Allied,
            Affiliation::OtherAllied => !is_owner && attitude() == Attitude::Allied,
            Affiliation::Hostile => attitude() == Attitude::Hostile,
            Affiliation::Neutral => attitude() == Attitude::Neutral,
        }
    }

    pub(crate) fn filters_fit(&self, candidate: &Candidate<'_>) -> bool {
        let Targeting { require, exclude, query, filter, .. } = self.targeting;
        candidate.tags.has_all(require)
            && candidate.tags.has_none(exclude)
            && query.matches(candidate.tags.bits())
            && self.affiliation_fits(candidate)
            && (filter.is_none() || self.filter.is_some_and(|filter| filter(candidate, self)))
    }

    /// Whether the candidate is where the targeting looks; `answered` is an engine's answer, sorted.
    fn place_fits(
        &self,
        candidate: &Candidate<'_>,
        area: Option<&Area>,
        answered: Option<&[ControllerId]>,
    ) -> bool {
        let inside = || match (area, candidate.placement) {
            (Some(area), Some(placement)) => area.contains(placement.position()),
            _ => false,
        };
        match self.targeting.shape {
            Shape::SelfOnly => candidate.controller == self.owner,
            Shape::ActivationTarget => {
                let reachable = self.targeting.range.is_none() || inside();
                Some(candidate.controller) == self.activation_target && reachable
            }
            Shape::Nearest if candidate.controller == self.owner => false,
            // Where each jump leads is judged from target to target.
            Shape::Chain { .. } => candidate.controller != self.owner || self.includes_owner(),
            _ => match answered {
                Some(found) => found.binary_search(&candidate.controller).is_ok(),
                None => inside(),
            },
        }
    }

    fn includes_owner(&self) -> bool {
        matches!(self.targeting.affiliation, Affiliation::Allied | Affiliation::SelfOnly)
    }

    /// Where a chain begins, among those that fit.
    fn first_of_chain(&self, ranked: &[Ranked], area: Option<&Area>) -> Option<usize> {
        let is_inside = |ranked: &Ranked| match (area, ranked.position) {
            (Some(area), Some(position)) => area.contains(position),
            _ => false,
        };
        let fits = |ranked: &Ranked| match self.activation_target {
            Some(given) => {
                ranked.controller == given && (self.targeting.range.is_none() || is_inside(ranked))
            }
            None => ranked.controller != self.owner && is_inside(ranked),
        };
        // They are sorted by their distance from the origin.
        ranked.iter().position(|ranked| fits(ranked) && self.is_seen(ranked, area))
    }

    /// Goes from target to target, each the nearest to the one before, equally near ones by ordinal.
    fn follow_chain(&self, ranked: &mut [Ranked], area: Option<&Area>, out: &mut TargetData) {
        let Shape::Chain { radius, repeat, .. } = self.targeting.shape else { return };
        let Some(mut at) = self.first_of_chain(ranked, area) else { return };
        loop {
            out.0.push(Target::Controller(ranked[at].controller));
            ranked[at].reached = true;
            if out.0.len() >= self.targeting.limit() {
                return;
            }
            let Some(from) = ranked[at].position else { return };
            let here = Area {
                shape: Shape::Radius,
                origin: Placement::at(from).unwrap_or_default(),
                range: Some(radius),
            };
            let mut next: Option<(f64, usize)> = None;
            for (index, other) in ranked.iter().enumerate() {
                let Some(position) = other.position else { continue };
                if index == at || (other.reached && !repeat) || !here.contains(position) {
                    continue;
                }
                let distance = here.distance_squared(position);
                let is_nearer = next.is_none_or(|(nearest, best)| {
                    distance < nearest || (distance == nearest && other.ordinal < ranked[best].ordinal)
                });
                if is_nearer && (!self.targeting.line_of_sight || self.space.line_of_sight(from, position)) {
                    next = Some((distance, index));
                }
            }
            let Some((_, index)) = next else { return };
            at = index;
        }
    }

    fn is_seen(&self, ranked: &Ranked, area: Option<&Area>) -> bool {
        if !self.targeting.line_of_sight || ranked.controller == self.owner {
            return true;
        }
        match (area, ranked.position) {
            (Some(area), Some(position)) => self.space.line_of_sight(area.origin.position(), position),
            _ => false,
        }
    }
}

/// Who answers what is in an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpaceAnswer {
    /// The built-in query over all placements is to be used.
    UsePlacements,
    /// Those in the list are in the area, and nobody else is.
    Found,
}

/// The host's world, asked about what positions alone do not tell.
///
/// What it answers becomes part of the simulation's course. It must be the same on every machine that computes the
/// same course; where an engine cannot promise that, the authority decides and sends the target data.
pub trait Space {
    /// Whether one point is seen from another. By default everything is.
    fn line_of_sight(&self, from: Vector3, to: Vector3) -> bool {
        let _ = (from, to);
        true
    }

    /// Puts into `found`, which is empty, the controllers in the area, in any order and each once. By default the
    /// placements of all controllers are searched instead.
    ///
    /// Asked for shapes with an extent only: not for the owner alone, nor for the activation's target. The filters,
    /// the order by distance and the count apply to the answer just the same.
    fn candidates(&self, area: &Area, found: &mut Vec<ControllerId>) -> SpaceAnswer {
        let _ = (area, found);
        SpaceAnswer::UsePlacements
    }
}

/// A world without walls, where placements are all there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenSpace;

impl Space for OpenSpace {}

/// Memory of [`select`](fn@select), kept so that a warm selection allocates nothing (I6).
#[derive(Clone, Debug, Default)]
pub struct SelectionBuffers {
    ranked: Vec<Ranked>,
    found: Vec<ControllerId>,
}

#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Square of the distance from the origin; infinite for who is nowhere.
    distance: f64,
    ordinal: u64,
    controller: ControllerId,
    position: Option<Vector3>,
    /// Whether a chain has been there.
    reached: bool,
}

impl Ranked {
    fn order(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.ordinal.cmp(&other.ordinal))
    }
}

/// Replaces `out` by the candidates that fit: the nearest to the origin first, equally near ones by ordinal, at most as
/// many as the targeting wants. The order of the candidates has no influence.
///
/// Whoever has no placement is in no area and never selected by one. The line of sight is asked for last and only until
/// there are enough targets, as it is what costs an engine most.
pub fn select<'c>(
    candidates: impl IntoIterator<Item = Candidate<'c>>,
    query: &Query<'_>,
    buffers: &mut SelectionBuffers,
    out: &mut TargetData,
) {
    out.clear();
    let SelectionBuffers { ranked, found } = buffers;
    ranked.clear();
    found.clear();
    let area = query.area();
    let answer = match &area {
        Some(area) if area.shape.is_spatial() && !matches!(area.shape, Shape::Chain { .. }) => {
            query.space.candidates(area, found)
        }
        _ => SpaceAnswer::UsePlacements,
    };
    found.sort_unstable();
    let answered = (answer == SpaceAnswer::Found).then_some(found.as_slice());
    for candidate in candidates {
        if !query.place_fits(&candidate, area.as_ref(), answered) || !query.filters_fit(&candidate) {
            continue;
        }
        let position = candidate.placement.map(|placement| placement.position());
        let distance = match (&area, position) {
            (Some(area), Some(position)) => area.distance_squared(position),
            _ => f64::INFINITY,
        };
        ranked.push(Ranked {
            distance,
            ordinal: candidate.ordinal,
            controller: candidate.controller,
            position,
            reached: false,
        });
    }
    ranked.sort_unstable_by(Ranked::order);
    if matches!(query.targeting.shape, Shape::Chain { .. }) {
        return query.follow_chain(ranked, area.as_ref(), out);
    }
    let seen = ranked.iter().filter(|ranked| query.is_seen(ranked, area.as_ref()));
    out.0.extend(seen.take(query.targeting.limit()).map(|ranked| Target::Controller(ranked.controller)));
}

#[cfg(test)]
mod tests;
