//! The tables of §7.3 and §7.4 line by line, and the container against a model of string-keyed maps.

use std::collections::BTreeMap;

use super::*;
use crate::hash::StateHasher;
use proptest::prelude::*;

const MAGIC: &str = "State.Debuff.Stunned.Magic";

/// A container with names instead of ids.
struct Fixture {
    registry: TagRegistry,
    container: TagContainer,
}

impl Fixture {
    fn new() -> Self {
        let names = [MAGIC, "State.Debuff.Stunned.Physical", "Status.Burning", "Status.Frozen"];
        Self { registry: TagRegistry::from_names(names).unwrap(), container: TagContainer::default() }
    }

    /// The container of the examples in §7.3.
    fn of_section_7_3() -> Self {
        let mut fixture = Self::new();
        fixture.add(MAGIC);
        fixture.add("Status.Burning");
        fixture
    }

    fn id(&self, name: &str) -> TagId {
        self.registry.id(name).unwrap()
    }

    fn set(&self, names: &[&str]) -> TagSet {
        names.iter().map(|name| self.id(name)).collect()
    }

    fn add(&mut self, name: &str) -> Vec<&str> {
        let mut crossed = Vec::new();
        let tag = self.id(name);
        self.container.add(&self.registry, tag, &mut crossed).unwrap();
        self.names(crossed)
    }

    fn remove(&mut self, name: &str) -> Vec<&str> {
        let mut crossed = Vec::new();
        let tag = self.id(name);
        self.container.remove(&self.registry, tag, &mut crossed).unwrap();
        self.names(crossed)
    }

    fn names(&self, tags: Vec<TagId>) -> Vec<&str> {
        tags.into_iter().map(|tag| self.registry.name(tag)).collect()
    }

    /// The explicit count of the leaf, then the cumulative ones from the leaf to the root.
    fn counts_of_section_7_4(&self) -> (u32, [u32; 4]) {
        let names = [MAGIC, "State.Debuff.Stunned", "State.Debuff", "State"];
        (
            self.container.count(self.id(MAGIC)),
            names.map(|name| self.container.cumulative_count(self.id(name))),
        )
    }
}

#[test]
fn section_7_3_matches_tag_finds_parents_of_present_tags() {
    let fixture = Fixture::of_section_7_3();
    let matches = |name| fixture.container.matches(fixture.id(name));
    assert!(matches("State.Debuff.Stunned"));
    assert!(matches(MAGIC));
    assert!(!matches("State.Debuff.Stunned.Physical"));
}

#[test]
fn section_7_3_matches_tag_exact_ignores_the_hierarchy() {
    let fixture = Fixture::of_section_7_3();
    assert!(!fixture.container.matches_exact(fixture.id("State.Debuff.Stunned")));
    assert!(fixture.container.matches_exact(fixture.id(MAGIC)));
}

#[test]
fn section_7_3_get_tag_count_is_explicit_and_zero_if_absent() {
    let mut fixture = Fixture::of_section_7_3();
    fixture.add("Status.Burning");
    assert_eq!(fixture.container.count(fixture.id("Status.Burning")), 2);
    assert_eq!(fixture.container.count(fixture.id("Status")), 0);
    assert_eq!(fixture.container.count(fixture.id("Status.Frozen")), 0);
}

#[test]
fn section_7_3_has_any_needs_one() {
    let fixture = Fixture::of_section_7_3();
    assert!(fixture.container.has_any(&fixture.set(&["Status.Frozen", "Status.Burning"])));
    assert!(fixture.container.has_any(&fixture.set(&["Status.Frozen", "State"])));
    assert!(!fixture.container.has_any(&fixture.set(&["Status.Frozen"])));
    assert!(!fixture.container.has_any(&fixture.set(&[])));
}

#[test]
fn section_7_3_has_all_needs_every_one() {
    let fixture = Fixture::of_section_7_3();
    assert!(fixture.container.has_all(&fixture.set(&[MAGIC, "Status.Burning"])));
    assert!(!fixture.container.has_all(&fixture.set(&["Status.Burning", "Status.Frozen"])));
    assert!(fixture.container.has_all(&fixture.set(&[])));
}

#[test]
fn section_7_3_has_none_fails_if_one_is_present() {
    let fixture = Fixture::of_section_7_3();
    assert!(fixture.container.has_none(&fixture.set(&["Status.Frozen"])));
    assert!(!fixture.container.has_none(&fixture.set(&["Status.Frozen", "State.Debuff"])));
    assert!(fixture.container.has_none(&fixture.set(&[])));
}

#[test]
fn section_7_4_grants_count_up_and_down_through_the_ancestors() {
    let mut fixture = Fixture::new();
    let path = [MAGIC, "State.Debuff.Stunned", "State.Debuff", "State"];

    assert_eq!(fixture.add(MAGIC), path);
    assert_eq!(fixture.counts_of_section_7_4(), (1, [1, 1, 1, 1]));

    assert!(fixture.add(MAGIC).is_empty());
    assert_eq!(fixture.counts_of_section_7_4(), (2, [2, 2, 2, 2]));

    assert!(fixture.remove(MAGIC).is_empty());
    assert_eq!(fixture.counts_of_section_7_4(), (1, [1, 1, 1, 1]));
    assert!(fixture.container.matches(fixture.id("State.Debuff.Stunned")));

    assert_eq!(fixture.remove(MAGIC), path);
    assert_eq!(fixture.counts_of_section_7_4(), (0, [0, 0, 0, 0]));
    assert!(fixture.container.is_empty() && fixture.container.bits().is_empty());
}

#[test]
fn t2_only_ancestors_that_crossed_zero_are_reported() {
    let mut fixture = Fixture::new();
    fixture.add(MAGIC);
    assert_eq!(fixture.add("State.Debuff.Stunned.Physical"), ["State.Debuff.Stunned.Physical"]);
    // A tag that is present through a descendant becomes explicit without an event.
    assert!(fixture.add("State.Debuff.Stunned").is_empty());
    assert_eq!(fixture.remove(MAGIC), [MAGIC]);
    assert!(fixture.remove("State.Debuff.Stunned").is_empty());
    assert_eq!(
        fixture.remove("State.Debuff.Stunned.Physical"),
        ["State.Debuff.Stunned.Physical", "State.Debuff.Stunned", "State.Debuff", "State"]
    );
}

#[test]
fn section_7_2_underflow_is_an_error_and_changes_nothing() {
    let mut fixture = Fixture::of_section_7_3();
    let before = fixture.container.clone();
    let mut crossed = Vec::new();
    // Present, but not explicitly; absent; unknown.
    let tags = [fixture.id("State.Debuff"), fixture.id("Status.Frozen"), TagId::from_index(u32::MAX)];
    for tag in tags {
        let result = fixture.container.remove(&fixture.registry, tag, &mut crossed);
        assert_eq!(result, Err(TagUnderflow { tag }));
    }
    assert!(crossed.is_empty() && fixture.container == before);
}

#[test]
fn section_7_2_full_count_is_an_error_instead_of_wrapping() {
    let mut fixture = Fixture::of_section_7_3();
    let magic = fixture.id(MAGIC);
    fixture.container.grants = u32::MAX;
    let before = fixture.container.clone();
    let mut crossed = Vec::new();
    let full = fixture.container.add(&fixture.registry, magic, &mut crossed);
    assert_eq!(full, Err(TagGrantError::CountFull(magic)));
    let foreign = TagId::from_index(u32::MAX);
    let unknown = fixture.container.add(&fixture.registry, foreign, &mut crossed);
    assert_eq!(unknown, Err(TagGrantError::UnknownTag(foreign)));
    assert!(crossed.is_empty() && fixture.container == before);
}

#[test]
fn section_7_2_count_is_of_distinct_explicit_tags() {
    let mut fixture = Fixture::of_section_7_3();
    fixture.add(MAGIC);
    assert_eq!((fixture.container.len(), fixture.container.is_empty()), (2, false));
    let explicit: Vec<_> =
        fixture.container.iter().map(|(tag, count)| (fixture.registry.name(tag), count)).collect();
    assert_eq!(explicit, [(MAGIC, 2), ("Status.Burning", 1)]);
}

#[test]
fn section_7_2_clear_reports_every_tag_that_was_present() {
    let mut fixture = Fixture::of_section_7_3();
    let mut crossed = Vec::new();
    fixture.container.clear(&mut crossed);
    assert_eq!(
        fixture.names(crossed),
        ["Status.Burning", "Status", MAGIC, "State.Debuff.Stunned", "State.Debuff", "State"]
    );
    assert_eq!(fixture.container, TagContainer::default());
}

/// The entries of a tag that toggles keep their place, and nothing tells that they are there.
#[test]
fn toggled_tag_keeps_its_entries_and_reads_as_absent() {
    let mut fixture = Fixture::of_section_7_3();
    fixture.container.clear(&mut Vec::new());
    fixture.add("Status.Burning");
    let before = fixture.container.clone();
    fixture.add(MAGIC);
    let (entries, memory) = (fixture.container.counts.len(), fixture.container.counts.as_ptr());
    for _ in 0..100 {
        fixture.remove(MAGIC);
        assert_eq!(fixture.container, before);
        assert_eq!(StateHasher::of(&fixture.container), StateHasher::of(&before));
        assert_eq!(format!("{:?}", fixture.container), format!("{before:?}"));
        assert!(fixture.container.iter().eq(before.iter()) && fixture.container.bits() == before.bits());
        assert_eq!(fixture.counts_of_section_7_4(), (0, [0, 0, 0, 0]));
        assert_eq!((fixture.container.len(), fixture.container.is_empty()), (1, false));
        let mut copy = before.clone();
        copy.clone_from(&fixture.container);
        assert_eq!(copy, before);
        fixture.add(MAGIC);
        assert_eq!(fixture.container.counts.len(), entries);
        assert_eq!(fixture.container.counts.as_ptr(), memory);
    }
}

/// Model of §7.2: two maps from names to counts.
#[derive(Default)]
struct Model {
    explicit: BTreeMap<&'static str, u32>,
    all: BTreeMap<&'static str, u32>,
}

impl Model {
    fn path(name: &'static str) -> impl Iterator<Item = &'static str> {
        core::iter::successors(Some(name), |name| name.rsplit_once('.').map(|(parent, _)| parent))
    }

    fn add(&mut self, name: &'static str) -> Vec<&'static str> {
        *self.explicit.entry(name).or_default() += 1;
        for above in Self::path(name) {
            *self.all.entry(above).or_default() += 1;
        }
        Self::path(name).filter(|above| self.all[above] == 1).collect()
    }

    fn remove(&mut self, name: &'static str) -> Option<Vec<&'static str>> {
        let count = self.explicit.get_mut(name).filter(|count| **count > 0)?;
        *count -= 1;
        for above in Self::path(name) {
            *self.all.get_mut(above).unwrap() -= 1;
        }
        Some(Self::path(name).filter(|above| self.all[above] == 0).collect())
    }
}

const NAMES: [&str; 9] = ["A", "A.B", "A.B.C", "A.B.C.D", "A.B.E", "A.F", "G", "G.H", "G.H.I"];

#[derive(Clone, Debug)]
enum Step {
    Add(&'static str),
    Remove(&'static str),
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    let name = || prop::sample::select(NAMES.as_slice());
    prop_oneof![8 => name().prop_map(Step::Add), 8 => name().prop_map(Step::Remove), 1 => Just(Step::Clear)]
}

proptest! {
    #[test]
    fn t2_container_agrees_with_the_model(steps in prop::collection::vec(step(), 0..40)) {
        let registry = TagRegistry::from_names(NAMES).unwrap();
        let mut container = TagContainer::default();
        let mut model = Model::default();
        for step in steps {
            let mut crossed = Vec::new();
            let expected = match step {
                Step::Add(name) => {
                    let tag = registry.id(name).unwrap();
                    prop_assert!(container.add(&registry, tag, &mut crossed).is_ok());
                    model.add(name)
                }
                Step::Remove(name) => {
                    let tag = registry.id(name).unwrap();
                    let result = container.remove(&registry, tag, &mut crossed);
                    let expected = model.remove(name);
                    prop_assert_eq!(result.is_ok(), expected.is_some());
                    expected.unwrap_or_default()
                }
                Step::Clear => {
                    container.clear(&mut crossed);
                    let all = std::mem::take(&mut model).all;
                    all.into_iter().rev().filter(|(_, count)| *count > 0).map(|(name, _)| name).collect()
                }
            };
            prop_assert_eq!(crossed.into_iter().map(|tag| registry.name(tag)).collect::<Vec<_>>(), expected);
            let mut rebuilt = TagContainer::default();
            for name in NAMES {
                let tag = registry.id(name).unwrap();
                let explicit = model.explicit.get(name).copied().unwrap_or(0);
                let all = model.all.get(name).copied().unwrap_or(0);
                prop_assert_eq!(container.count(tag), explicit);
                prop_assert_eq!(container.cumulative_count(tag), all);
                prop_assert_eq!(container.matches(tag), all > 0);
                prop_assert_eq!(container.matches_exact(tag), explicit > 0);
                for _ in 0..explicit {
                    rebuilt.add(&registry, tag, &mut Vec::new()).unwrap();
                }
            }
            // The state is a function of the grants, not of their history.
            prop_assert_eq!(StateHasher::of(&rebuilt), StateHasher::of(&container));
            prop_assert_eq!(rebuilt, container.clone());
        }
    }
}

proptest! {
    #[test]
    fn removed_tags_leave_no_trace_among_many(
        steps in prop::collection::vec((0u32..300, any::<bool>()), 0..800),
    ) {
        let names: Vec<String> = (0..300).map(|at| format!("Group{}.T{at}", at / 16)).collect();
        let registry = TagRegistry::from_names(names.iter().map(String::as_str)).unwrap();
        let (mut container, mut crossed) = (TagContainer::default(), Vec::new());
        let mut granted: BTreeMap<TagId, u32> = BTreeMap::new();
        for (at, adds) in steps {
            let tag = registry.id(&names[at as usize]).unwrap();
            let count = granted.entry(tag).or_default();
            if adds {
                container.add(&registry, tag, &mut crossed).unwrap();
                *count += 1;
            } else {
                prop_assert_eq!(container.remove(&registry, tag, &mut crossed).is_ok(), *count > 0);
                *count = count.saturating_sub(1);
            }
        }
        granted.retain(|_, count| *count > 0);
        prop_assert!(container.iter().eq(granted.iter().map(|(tag, count)| (*tag, *count))));
        let mut rebuilt = TagContainer::default();
        for (&tag, &count) in &granted {
            (0..count).for_each(|_| rebuilt.add(&registry, tag, &mut Vec::new()).unwrap());
        }
        prop_assert_eq!(StateHasher::of(&rebuilt), StateHasher::of(&container));
        prop_assert_eq!(rebuilt.bits(), container.bits());
        prop_assert_eq!(rebuilt.len(), container.len());
        prop_assert!(container.counts.len() <= SPARE + 1 + 2 * rebuilt.counts.len());
        prop_assert_eq!(format!("{rebuilt:?}"), format!("{container:?}"));
        prop_assert_eq!(&rebuilt, &container);
        let gone = |container: &mut TagContainer| {
            let mut gone = Vec::new();
            container.clear(&mut gone);
            gone
        };
        prop_assert_eq!(gone(&mut rebuilt), gone(&mut container));
        prop_assert!(container.is_empty());
    }
}
