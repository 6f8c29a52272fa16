//! Target selection: the best of the candidates that fit.

use core::cmp::Ordering;
use std::sync::Arc;

use super::data::{Target, TargetData};
use super::def::{Affiliation, Origin, Targeting};
use super::geometry::{Area, Shape, subtract};
use super::placement::{Attitude, AttitudeRule, Placement, Team};
use crate::effect::Vector3;
use crate::handle::ControllerId;
use crate::tag::TagContainer;
use crate::time::Time;

/// A controller that may be targeted.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The controller.
    pub controller: ControllerId,
    /// Number in the order of spawning, which decides between equally near targets.
    pub ordinal: u64,
    /// Its placement, if the host set one. A controller without a placement is in no area.
    pub placement: Option<Placement>,
    /// Its team.
    pub team: Option<&'a Team>,
    /// Its tags.
    pub tags: &'a TagContainer,
}

/// A native condition on targets (GASD §4.11.3). Must be a deterministic function of its arguments (I1).
pub type TargetFilter = dyn Fn(&Candidate<'_>, &TargetQuery<'_>) -> bool + Send + Sync;

/// A targeting query: the targeting, its owner and its surroundings.
#[derive(Clone, Copy)]
pub struct TargetQuery<'a> {
    /// The targeting.
    pub targeting: &'a Targeting,
    /// The controller that is targeting.
    pub owner: ControllerId,
    /// Placement of the owner.
    pub owner_placement: Option<Placement>,
    /// Team of the owner.
    pub owner_team: Option<&'a Team>,
    /// The activation's target.
    pub activation_target: Option<ControllerId>,
    /// Placement of the activation's target.
    pub target_placement: Option<Placement>,
    /// The targeted location.
    pub location: Option<Vector3>,
    /// Attitude between teams: [`Attitude::by_team`] or the host's rule.
    pub attitude: &'a AttitudeRule,
    /// The native filter that the targeting names. If it names one and this is `None`, nothing fits: a
    /// condition that cannot be evaluated must not admit everything.
    pub filter: Option<&'a TargetFilter>,
    /// The host's world.
    pub space: &'a dyn Space,
    /// Time of the simulation, which the host's world is asked for.
    pub now: Time,
}

impl<'a> TargetQuery<'a> {
    /// Creates a query of `owner` without a placement, in open space.
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
            now: Time::ZERO,
        }
    }

    /// The area that is searched; `None` if its origin is unknown.
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
        // Without a range, a chain searches its first target within the distance of a jump.
        let range = match shape {
            Shape::Chain { radius, .. } if self.activation_target.is_none() => range.or(Some(radius)),
            _ => range,
        };
        Some(Area { shape, origin, range })
    }

    /// Whether the relation of the candidate to the owner is the wanted one. The owner counts as its own
    /// ally.
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

    /// Whether a candidate passes tags, affiliation and the host's filter; its place is not tested. A named
    /// filter that is not registered rejects all.
    pub(crate) fn filters_fit(&self, candidate: &Candidate<'_>) -> bool {
        let Targeting { require, exclude, query, filter, .. } = self.targeting;
        candidate.tags.has_all(require)
            && candidate.tags.has_none(exclude)
            && query.matches(candidate.tags.bits())
            && self.affiliation_fits(candidate)
            && (filter.is_none() || self.filter.is_some_and(|filter| filter(candidate, self)))
    }

    /// Whether the candidate is where the shape searches. `answered` is the sorted answer of the host's
    /// world, which replaces the geometric test of area shapes.
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
            // The distance of each jump is tested from target to target.
            Shape::Chain { .. } => candidate.controller != self.owner || self.includes_owner(),
            _ => match answered {
                Some(found) => found.binary_search(&candidate.controller).is_ok(),
                None => inside(),
            },
        }
    }

    /// Whether a chain may jump to the owner: only with the affiliations `Allied` and `SelfOnly`.
    fn includes_owner(&self) -> bool {
        matches!(self.targeting.affiliation, Affiliation::Allied | Affiliation::SelfOnly)
    }

    /// Index of the first target of a chain: the activation target if there is one, else the nearest in the
    /// area, in sight.
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
        // Candidates are sorted by their distance from the origin.
        ranked.iter().position(|ranked| fits(ranked) && self.is_seen(ranked, area))
    }

    /// Appends the targets of a chain to `out`: each the nearest within a jump of the one before, equally
    /// near ones by ordinal. Ends at the limit or without a next target.
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
                if is_nearer
                    && (!self.targeting.line_of_sight || self.space.line_of_sight(self.now, from, position))
                {
                    next = Some((distance, index));
                }
            }
            let Some((_, index)) = next else { return };
            at = index;
        }
    }

    /// Whether the candidate is in sight of the origin. `true` for the owner and if sight is not required;
    /// `false` if a position is unknown.
    fn is_seen(&self, ranked: &Ranked, area: Option<&Area>) -> bool {
        if !self.targeting.line_of_sight || ranked.controller == self.owner {
            return true;
        }
        match (area, ranked.position) {
            (Some(area), Some(position)) => {
                self.space.line_of_sight(self.now, area.origin.position(), position)
            }
            _ => false,
        }
    }
}

/// Answer of the host's world to an area query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpaceAnswer {
    /// Use the built-in query over all placements.
    UsePlacements,
    /// The controllers in the list are in the area, and no others.
    Found,
}

/// The host's world, for queries that placements alone cannot answer. Every simulation may have its own
/// ([`Simulation::set_space`](crate::simulation::Simulation::set_space)), so that rooms with different walls share one
/// catalog.
///
/// Its answers influence the simulation, so they must be the same on every machine that runs the same
/// simulation, and the same again when a time is simulated a second time after a rollback. Where an engine cannot
/// guarantee that, the authority decides and sends the target data.
/// [`Simulation`](crate::simulation::Simulation) documents what a panic leads to.
///
/// ```
/// # use ugas_core::catalog::Catalog;
/// # use ugas_core::effect::Vector3;
/// # use ugas_core::simulation::{Config, Simulation};
/// # use ugas_core::targeting::Space;
/// # use ugas_core::time::Time;
/// # use std::sync::Arc;
/// /// A wall at x = 5 whose gate opens after a minute.
/// struct Gatehouse;
///
/// impl Space for Gatehouse {
///     fn line_of_sight(&self, now: Time, from: Vector3, to: Vector3) -> bool {
///         (from[0] < 5.0) == (to[0] < 5.0) || now >= Time::from_seconds(60.0)
///     }
/// }
///
/// let catalog = Catalog::builder().build()?;
/// let mut room = Simulation::new(catalog, Config::default());
/// room.set_space(Some(Arc::new(Gatehouse)));
/// assert!(!room.space().line_of_sight(room.now(), [0.0; 3], [9.0, 0.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Space {
    /// Whether there is a line of sight between two points at the time `now` of the simulation; true by default.
    fn line_of_sight(&self, now: Time, from: Vector3, to: Vector3) -> bool {
        let _ = (now, from, to);
        true
    }

    /// Adds the controllers in the area to `found`, which is empty, in any order and each once. By default
    /// the placements of all controllers are searched instead.
    ///
    /// Only called for shapes with an extent: not for the owner alone, nor for the activation's target. The
    /// filters, the order by distance and the count apply to the answer too.
    fn candidates(&self, now: Time, area: &Area, found: &mut Vec<ControllerId>) -> SpaceAnswer {
        let _ = (now, area, found);
        SpaceAnswer::UsePlacements
    }
}

/// A [`Space`] that simulations and catalogs share.
pub type SharedSpace = Arc<dyn Space + Send + Sync>;

/// A world without walls, with placements only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OpenSpace;

impl Space for OpenSpace {}

/// Reusable memory of [`select`](fn@select), so that a warm selection does not allocate (I6).
#[derive(Clone, Debug, Default)]
pub struct SelectionBuffers {
    ranked: Vec<Ranked>,
    found: Vec<ControllerId>,
}

#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Square of the distance from the origin; infinite without a placement.
    distance: f64,
    ordinal: u64,
    controller: ControllerId,
    position: Option<Vector3>,
    /// Whether a chain has reached it.
    reached: bool,
}

impl Ranked {
    /// Order of candidates: by distance, then by ordinal.
    fn order(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.ordinal.cmp(&other.ordinal))
    }
}

/// Replaces `out` by the candidates that fit: the nearest to the origin first, equally near ones by ordinal,
/// at most as many as the targeting wants. The order of the candidates has no influence.
///
/// A controller without a placement is in no area. The line of sight is tested last and only until there are
/// enough targets, because it is the most expensive test for an engine.
pub fn select<'c>(
    candidates: impl IntoIterator<Item = Candidate<'c>>,
    query: &TargetQuery<'_>,
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
            query.space.candidates(query.now, area, found)
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
