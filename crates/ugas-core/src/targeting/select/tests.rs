use super::*;
use crate::id::TagId;
use crate::tag::{TagQuery, TagRegistry, TagSet};
use crate::targeting::HalfAngle;
use proptest::prelude::*;

fn controller(number: u64) -> ControllerId {
    ControllerId::from_bits(1 << 32 | number).unwrap()
}

fn numbers(data: &TargetData) -> Vec<u64> {
    data.controllers().map(|controller| controller.to_bits().get() & 0xFFFF_FFFF).collect()
}

/// A small battlefield. Number 0 is the owner, at the origin, looking along x, of the red team.
struct Field {
    registry: TagRegistry,
    units: Vec<Unit>,
}

struct Unit {
    placement: Option<Placement>,
    team: Option<Team>,
    tags: TagContainer,
}

impl Field {
    fn new() -> Self {
        let registry = TagRegistry::from_names(["State.Dead", "Unit.Beast"]).unwrap();
        let mut field = Self { registry, units: Vec::new() };
        field.unit([0.0, 0.0], Some("Red"), &[]);
        field
    }

    fn unit(&mut self, at: [f64; 2], team: Option<&str>, tags: &[&str]) {
        let placement = Placement::new([at[0], at[1], 0.0], [1.0, 0.0, 0.0]).ok();
        let mut container = TagContainer::default();
        for tag in tags {
            container.add(&self.registry, self.tag(tag), &mut Vec::new()).unwrap();
        }
        self.units.push(Unit { placement, team: team.map(Team::from), tags: container });
    }

    fn tag(&self, name: &str) -> TagId {
        self.registry.id(name).unwrap()
    }

    fn candidates(&self) -> impl DoubleEndedIterator<Item = Candidate<'_>> {
        self.units.iter().enumerate().map(|(at, unit)| Candidate {
            controller: controller(at as u64),
            ordinal: at as u64,
            placement: unit.placement,
            team: unit.team.as_ref(),
            tags: &unit.tags,
        })
    }

    fn query<'a>(&'a self, targeting: &'a Targeting) -> TargetQuery<'a> {
        TargetQuery {
            owner_placement: self.units[0].placement,
            owner_team: self.units[0].team.as_ref(),
            ..TargetQuery::new(targeting, controller(0))
        }
    }

    fn ask(&self, query: &TargetQuery<'_>) -> Vec<u64> {
        let (mut buffers, mut out) = (SelectionBuffers::default(), TargetData::from([7.0; 3]));
        select(self.candidates(), query, &mut buffers, &mut out);
        let forwards = numbers(&out);
        select(self.candidates().rev(), query, &mut buffers, &mut out);
        assert_eq!(numbers(&out), forwards, "the order of candidates has no influence");
        forwards
    }

    fn select(&self, targeting: &Targeting) -> Vec<u64> {
        self.ask(&self.query(targeting))
    }
}

fn wanted(shape: Shape, range: impl Into<Option<f64>>) -> Targeting {
    Targeting { shape, range: range.into(), ..Targeting::default() }
}

/// 1 blue at 3, 2 red at 4, 3 blue at 5 (3-4-5), 4 without a team at 2 behind, 5 without a placement.
fn skirmish() -> Field {
    let mut field = Field::new();
    field.unit([3.0, 0.0], Some("Blue"), &["Unit.Beast"]);
    field.unit([0.0, 4.0], Some("Red"), &[]);
    field.unit([3.0, -4.0], Some("Blue"), &["State.Dead"]);
    field.unit([-2.0, 0.0], None, &["Unit.Beast", "State.Dead"]);
    field.unit([0.0, 0.0], Some("Blue"), &[]);
    field.units[5].placement = None;
    field
}

#[test]
fn radius_selects_all_within_range_nearest_first() {
    let field = skirmish();
    assert_eq!(field.select(&wanted(Shape::Radius, 5.0)), [0, 4, 1, 2, 3]);
    assert_eq!(field.select(&wanted(Shape::Radius, 4.0)), [0, 4, 1, 2]);
    assert_eq!(field.select(&wanted(Shape::Radius, 0.0)), [0]);
    assert_eq!(field.select(&Targeting { count: 2, ..wanted(Shape::Radius, 5.0) }), [0, 4]);
}

#[test]
fn nearest_never_selects_the_owner() {
    let field = skirmish();
    assert_eq!(field.select(&wanted(Shape::Nearest, None)), [4]);
    assert_eq!(field.select(&Targeting { count: 2, ..wanted(Shape::Nearest, None) }), [4, 1]);
    assert_eq!(field.select(&wanted(Shape::Nearest, 1.9)), [0u64; 0]);
}

#[test]
fn self_and_activation_target_need_no_placement() {
    let mut field = skirmish();
    field.units[0].placement = None;
    assert_eq!(field.select(&wanted(Shape::SelfOnly, None)), [0]);
    let targeting = wanted(Shape::ActivationTarget, None);
    let query = TargetQuery { activation_target: Some(controller(5)), ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [5]);
    assert_eq!(field.select(&targeting), [0u64; 0]);
    assert_eq!(field.select(&wanted(Shape::Radius, None)), [0u64; 0], "an owner who is nowhere has no area");
}

#[test]
fn activation_target_must_be_within_range() {
    let field = skirmish();
    for (target, range, fits) in [(2, 4.0, true), (2, 3.9, false), (5, 100.0, false)] {
        let targeting = wanted(Shape::ActivationTarget, range);
        let query = TargetQuery { activation_target: Some(controller(target)), ..field.query(&targeting) };
        assert_eq!(!field.ask(&query).is_empty(), fits, "{target} within {range}");
    }
}

#[test]
fn cones_and_lines_follow_the_facing_of_the_origin() {
    let field = skirmish();
    assert_eq!(field.select(&wanted(Shape::Cone(HalfAngle::from_degrees(45.0)), 10.0)), [0, 1]);
    // (3, -4) is 53.13° off the axis.
    assert_eq!(field.select(&wanted(Shape::Cone(HalfAngle::from_degrees(54.0)), 10.0)), [0, 1, 3]);
    assert_eq!(field.select(&wanted(Shape::Line { width: 8.0 }, 3.0)), [0, 1, 2, 3]);
    assert_eq!(field.select(&wanted(Shape::Line { width: 7.9 }, 3.0)), [0, 1]);
    assert_eq!(field.select(&wanted(Shape::Box { half_extents: [2.0, 4.0, 0.0] }, None)), [0, 4, 2]);
}

#[test]
fn areas_start_at_their_origin() {
    let field = skirmish();
    let targeting = Targeting { origin: Origin::ActivationTarget, ..wanted(Shape::Radius, 4.0) };
    let query = TargetQuery { target_placement: field.units[1].placement, ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [1, 0, 3]);
    let targeting = Targeting { origin: Origin::TargetLocation, ..wanted(Shape::Radius, 1.0) };
    assert_eq!(field.select(&targeting), [0u64; 0]);
    let query = TargetQuery { location: Some([3.0, -3.0, 0.0]), ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [3]);
    // A line from a place goes on in the direction from the owner to it: from (0, 2) along y.
    let targeting = Targeting { origin: Origin::TargetLocation, ..wanted(Shape::Line { width: 1.0 }, 5.0) };
    let query = TargetQuery { location: Some([0.0, 2.0, 0.0]), ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [2]);
    let query = TargetQuery { location: Some([0.0, f64::NAN, 0.0]), ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [0u64; 0]);
}

#[test]
fn gasd_4_11_3_tags_filter() {
    let field = skirmish();
    let (beast, dead) = (field.tag("Unit.Beast"), field.tag("State.Dead"));
    let all = wanted(Shape::Radius, None);
    assert_eq!(field.select(&Targeting { require: TagSet::new([beast]), ..all.clone() }), [4, 1]);
    assert_eq!(field.select(&Targeting { exclude: TagSet::new([dead]), ..all.clone() }), [0, 1, 2]);
    let query = TagQuery::any([beast]).and(TagQuery::none([dead]));
    assert_eq!(field.select(&Targeting { query, ..all }), [1]);
}

#[test]
fn affiliation_is_relative_to_the_owner() {
    let field = skirmish();
    for (affiliation, expected) in [
        (Affiliation::Any, &[0, 4, 1, 2, 3][..]),
        (Affiliation::Allied, &[0, 2]),
        (Affiliation::OtherAllied, &[2]),
        (Affiliation::Hostile, &[1, 3]),
        (Affiliation::Neutral, &[4]),
        (Affiliation::SelfOnly, &[0]),
        (Affiliation::ExcludeSelf, &[4, 1, 2, 3]),
    ] {
        let targeting = Targeting { affiliation, ..wanted(Shape::Radius, None) };
        assert_eq!(field.select(&targeting), expected, "{affiliation:?}");
    }
}

#[test]
fn host_attitude_rule_replaces_the_default() {
    let field = skirmish();
    let targeting = Targeting { affiliation: Affiliation::Hostile, ..wanted(Shape::Radius, None) };
    let everyone_for_himself: &AttitudeRule = &|_, _| Attitude::Hostile;
    let query = TargetQuery { attitude: everyone_for_himself, ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [4, 1, 2, 3], "but nobody is his own enemy");
}

#[test]
fn gasd_4_11_3_native_filter_decides_and_a_missing_one_admits_nothing() {
    let field = skirmish();
    let targeting = Targeting { filter: Some("Even".into()), ..wanted(Shape::Radius, None) };
    assert_eq!(field.select(&targeting), [0u64; 0]);
    let even: &TargetFilter = &|candidate, _| candidate.ordinal % 2 == 0;
    let query = TargetQuery { filter: Some(even), ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [0, 4, 2]);
}

struct Walls;

impl Space for Walls {
    fn line_of_sight(&self, _: Time, _: Vector3, to: Vector3) -> bool {
        to[0] >= 0.0
    }
}

#[test]
fn hidden_candidates_do_not_count_towards_the_limit() {
    let field = skirmish();
    let targeting = Targeting { line_of_sight: true, count: 2, ..wanted(Shape::Nearest, None) };
    let query = TargetQuery { space: &Walls, ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [1, 2]);
    assert_eq!(field.select(&targeting), [4, 1], "in open space everything is seen");
}

struct Engine;

impl Space for Engine {
    fn candidates(&self, _: Time, area: &Area, found: &mut Vec<ControllerId>) -> SpaceAnswer {
        assert_eq!((area.shape, area.range), (Shape::Radius, Some(1.0)));
        found.extend([controller(3), controller(5), controller(1)]);
        SpaceAnswer::Found
    }
}

#[test]
fn engine_answer_replaces_placements() {
    let field = skirmish();
    let targeting = wanted(Shape::Radius, 1.0);
    let query = TargetQuery { space: &Engine, ..field.query(&targeting) };
    assert_eq!(field.ask(&query), [1, 3, 5], "who is nowhere comes last");
}

#[test]
fn ties_are_broken_by_ordinal() {
    let mut field = Field::new();
    for at in [[0.0, 2.0], [2.0, 0.0], [-2.0, 0.0], [0.0, -2.0]] {
        field.unit(at, None, &[]);
    }
    let targeting = Targeting { count: 3, ..wanted(Shape::Nearest, None) };
    assert_eq!(field.select(&targeting), [1, 2, 3]);
}

#[test]
fn i6_warm_buffers_are_reused() {
    let field = skirmish();
    let targeting = wanted(Shape::Radius, None);
    let (mut buffers, mut out) = (SelectionBuffers::default(), TargetData::new());
    select(field.candidates(), &field.query(&targeting), &mut buffers, &mut out);
    let before = (buffers.ranked.as_ptr(), out.0.as_ptr());
    select(field.candidates(), &field.query(&targeting), &mut buffers, &mut out);
    assert_eq!((buffers.ranked.as_ptr(), out.0.as_ptr()), before);
}

proptest! {
    #[test]
    fn selection_is_the_sorted_list_of_candidates_in_range(
        points in prop::collection::vec([-9i32..9, -9i32..9], 0..20), range in 0i32..14, count in 0u32..6,
    ) {
        let mut field = Field::new();
        for [x, y] in &points {
            field.unit([f64::from(*x), f64::from(*y)], None, &[]);
        }
        let mut expected: Vec<(i32, u64)> = (1..).zip(&points).map(|(at, [x, y])| (x * x + y * y, at)).collect();
        expected.retain(|(square, _)| *square <= range * range);
        expected.sort_unstable();
        if count > 0 {
            expected.truncate(count as usize);
        }
        let targeting = Targeting {
            affiliation: Affiliation::ExcludeSelf,
            count,
            ..wanted(Shape::Radius, f64::from(range))
        };
        let expected: Vec<u64> = expected.into_iter().map(|(_, at)| at).collect();
        prop_assert_eq!(field.select(&targeting), expected);
    }
}
