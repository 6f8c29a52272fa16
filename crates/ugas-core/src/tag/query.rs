//! Nested tag queries (T4), stored flat so that no depth of nesting can exhaust the stack.

use smallvec::SmallVec;

use super::bits::TagView;
use super::set::TagRequirement;
use crate::codec::StateRecord;
use crate::id::TagId;

/// A condition on tags: `{ All: […], Any: […], None: […] }` over tags and further queries (T4).
///
/// All three lists must be satisfied; a list that is missing or empty imposes nothing. The empty query
/// therefore matches everything; where that would be dangerous (remove by query), check
/// [`is_empty`](Self::is_empty) first.
///
/// ```
/// use ugas_core::tag::{TagBits, TagQuery, TagQueryItem, TagRegistry};
///
/// let registry = TagRegistry::from_names(["Undead", "Demon", "Immune.Holy", "Boss"]).unwrap();
/// let [undead, demon, immune, boss] = ["Undead", "Demon", "Immune.Holy", "Boss"].map(|name| registry.id(name).unwrap());
///
/// // { Any: [Undead, Demon], None: [Immune.Holy, { All: [Boss, Demon] }] }
/// let query = TagQuery::any([undead, demon])
///     .and(TagQuery::none([TagQueryItem::from(immune), TagQuery::all([boss, demon]).into()]));
///
/// assert!(query.matches(&TagBits::closed(&registry, [demon])));
/// assert!(!query.matches(&TagBits::closed(&registry, [demon, boss])));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, StateRecord)]
#[state(check = TagQuery::check)]
pub struct TagQuery {
    /// The tree in postfix order, each list after its items and the root last. Evaluation that reaches a list
    /// in order knows that none of its items has decided it, so it needs neither recursion nor a stack.
    nodes: Vec<Node>,
}

impl TagQuery {
    /// Every item must hold. Empty items impose nothing here and are skipped.
    pub fn all(items: impl IntoIterator<Item: Into<TagQueryItem>>) -> Self {
        let items = items.into_iter().map(Into::into);
        Self::list(
            Rule::All,
            items.filter(|item| !matches!(item, TagQueryItem::Query(query) if query.is_empty())),
        )
    }

    /// At least one item must hold; no items at all impose nothing.
    pub fn any(items: impl IntoIterator<Item: Into<TagQueryItem>>) -> Self {
        Self::list(Rule::Any, items.into_iter().map(Into::into))
    }

    /// No item may hold.
    pub fn none(items: impl IntoIterator<Item: Into<TagQueryItem>>) -> Self {
        Self::list(Rule::None, items.into_iter().map(Into::into))
    }

    /// Both queries must match. Combines the three lists of one query.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            Self::all([self, other])
        }
    }

    /// Whether the query imposes nothing and matches everything.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Evaluates the query. Tags match as by [`TagView::matches`]: a parent is present if a descendant is.
    pub fn matches<V: TagView + ?Sized>(&self, view: &V) -> bool {
        let mut position = 0;
        while let Some(node) = self.nodes.get(position) {
            let mut holds = match node.test {
                Test::Tag(tag) => view.matches(tag),
                Test::List(rule) => rule.outcome_when_undecided(),
            };
            // Go up as long as the outcome decides the containing list.
            loop {
                let Some((list, rule)) = self.list_of(position) else {
                    return holds;
                };
                if holds != rule.deciding_item() {
                    break;
                }
                holds = !rule.outcome_when_undecided();
                position = list;
            }
            position += 1;
        }
        true
    }

    /// Every tag in the query, possibly with repetitions: a change of any of them can change the outcome.
    pub fn tags(&self) -> impl Iterator<Item = TagId> + Clone {
        self.nodes.iter().filter_map(|node| match node.test {
            Test::Tag(tag) => Some(tag),
            Test::List(_) => None,
        })
    }

    /// Position and rule of the list that contains the node at `position`; `None` for the root.
    fn list_of(&self, position: usize) -> Option<(usize, Rule)> {
        let to_list = self.nodes.get(position)?.to_list;
        let list = position.checked_add(to_list as usize)?;
        match self.nodes.get(list)?.test {
            Test::List(rule) if to_list > 0 => Some((list, rule)),
            _ => None,
        }
    }

    /// Checks that each node but the last, the root, is an item of a later list.
    fn check(&self) -> Result<(), &'static str> {
        let Some(root) = self.nodes.len().checked_sub(1) else { return Ok(()) };
        let is_sound = |at: usize| self.list_of(at).is_some() == (at != root);
        if (0..=root).all(is_sound) { Ok(()) } else { Err("the lists of a tag query are not in order") }
    }

    /// A query over items by one rule. Nodes are in postfix order: items before their list, the root last.
    /// Without items, the empty query.
    fn list(rule: Rule, items: impl Iterator<Item = TagQueryItem>) -> Self {
        let mut nodes = Vec::new();
        let mut roots: SmallVec<[usize; 8]> = SmallVec::new();
        for item in items {
            match item {
                TagQueryItem::Tag(tag) => nodes.push(Node::root(Test::Tag(tag))),
                // A list without items holds, as the empty query does.
                TagQueryItem::Query(query) if query.is_empty() => {
                    nodes.push(Node::root(Test::List(Rule::All)))
                }
                // Reusing the first query's nodes keeps the construction of a deep nest linear.
                TagQueryItem::Query(query) if nodes.is_empty() => nodes = query.nodes,
                TagQueryItem::Query(query) => nodes.extend(query.nodes),
            }
            roots.push(nodes.len() - 1);
        }
        let list = nodes.len();
        for root in &roots {
            nodes[*root].to_list = u32::try_from(list - root).unwrap_or(u32::MAX);
        }
        if !roots.is_empty() {
            nodes.push(Node::root(Test::List(rule)));
        }
        Self { nodes }
    }
}

impl From<TagId> for TagQuery {
    fn from(tag: TagId) -> Self {
        Self::all([tag])
    }
}

impl From<&TagRequirement> for TagQuery {
    fn from(requirement: &TagRequirement) -> Self {
        Self::all(requirement.require.iter()).and(Self::none(requirement.ignore.iter()))
    }
}

/// An item of a list of a [`TagQuery`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TagQueryItem {
    /// Holds if the tag or a descendant is present.
    Tag(TagId),
    /// Holds if the query matches.
    Query(TagQuery),
}

impl From<TagId> for TagQueryItem {
    fn from(tag: TagId) -> Self {
        Self::Tag(tag)
    }
}

impl From<TagQuery> for TagQueryItem {
    fn from(query: TagQuery) -> Self {
        Self::Query(query)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, StateRecord)]
struct Node {
    /// Distance to its list in nodes; 0 for the root.
    to_list: u32,
    test: Test,
}

impl Node {
    /// A node that is in no list yet.
    fn root(test: Test) -> Self {
        Self { to_list: 0, test }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, StateRecord)]
enum Test {
    Tag(TagId),
    List(Rule),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, StateRecord)]
enum Rule {
    All,
    Any,
    None,
}

impl Rule {
    /// The outcome of an item that decides the list, to the opposite of [`Self::outcome_when_undecided`].
    fn deciding_item(self) -> bool {
        !matches!(self, Self::All)
    }

    /// The outcome of the list if no item decided it.
    fn outcome_when_undecided(self) -> bool {
        !matches!(self, Self::Any)
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::TagBits;
    use super::super::registry::TagRegistry;
    use super::super::set::TagSet;
    use super::*;
    use crate::hash::StateHasher;
    use proptest::prelude::*;

    /// Roots `A` to `F` as the tags 0 to 5.
    fn registry() -> TagRegistry {
        TagRegistry::from_names(["A", "B", "C", "D", "E", "F"]).unwrap()
    }

    fn tag(index: u32) -> TagId {
        TagId::from_index(index)
    }

    /// The tags whose bits are set in `pattern`.
    fn view(pattern: u32) -> TagBits {
        TagBits::closed(&registry(), (0..6).filter(|bit| pattern >> bit & 1 == 1).map(tag))
    }

    #[track_caller]
    fn check(query: &TagQuery, present: &[u32], expected: bool) {
        let pattern = present.iter().fold(0, |pattern, index| pattern | 1 << index);
        assert_eq!(query.matches(&view(pattern)), expected, "{query:?} with {present:?}");
    }

    #[test]
    fn t4_each_list_has_its_rule() {
        let all = TagQuery::all([tag(0), tag(1)]);
        check(&all, &[0, 1, 2], true);
        check(&all, &[0], false);
        let any = TagQuery::any([tag(0), tag(1)]);
        check(&any, &[1], true);
        check(&any, &[2], false);
        let none = TagQuery::none([tag(0), tag(1)]);
        check(&none, &[2], true);
        check(&none, &[1, 2], false);
        let together = all.and(TagQuery::any([tag(2), tag(3)])).and(TagQuery::none([tag(4)]));
        check(&together, &[0, 1, 3], true);
        check(&together, &[0, 1], false);
        check(&together, &[0, 1, 3, 4], false);
        assert!(together.tags().map(TagId::index).eq([0, 1, 2, 3, 4]));
    }

    #[test]
    fn t4_empty_lists_impose_nothing() {
        let no_items: [TagId; 0] = [];
        for query in [TagQuery::all(no_items), TagQuery::any(no_items), TagQuery::none(no_items)] {
            assert!(query.is_empty() && query == TagQuery::default());
            check(&query, &[], true);
        }
        let empty = TagQuery::default();
        assert!(TagQuery::all([empty.clone()]).is_empty());
        assert_eq!(empty.clone().and(TagQuery::from(tag(1))), TagQuery::from(tag(1)).and(empty.clone()));
        // As an item the empty query holds, like any query that matches.
        check(&TagQuery::any([empty.clone().into(), TagQueryItem::from(tag(0))]), &[], true);
        check(&TagQuery::none([empty]), &[], false);
    }

    #[test]
    fn requirement_converts_to_a_query() {
        let requirement =
            TagRequirement { require: TagSet::new([tag(0), tag(2)]), ignore: TagSet::new([tag(1)]) };
        let query = TagQuery::from(&requirement);
        for pattern in 0..64 {
            assert_eq!(query.matches(&view(pattern)), requirement.is_met_by(&view(pattern)));
        }
        assert!(TagQuery::from(&TagRequirement::default()).is_empty());
    }

    #[test]
    fn i10_deeply_nested_query_evaluates_without_recursion() {
        let depth = 200_000;
        let mut query = TagQuery::from(tag(0));
        for _ in 0..depth {
            query = TagQuery::none([query]);
        }
        // An even number of negations.
        check(&query.clone(), &[0], true);
        check(&query, &[], false);
    }

    #[test]
    fn query_hash_distinguishes_rules_and_nesting() {
        let queries = [
            TagQuery::all([tag(0), tag(1)]),
            TagQuery::any([tag(0), tag(1)]),
            TagQuery::none([tag(0), tag(1)]),
            TagQuery::all([TagQueryItem::from(tag(0)), TagQuery::from(tag(1)).into()]),
            TagQuery::default(),
        ];
        let mut hashes: Vec<u64> = queries.iter().map(StateHasher::of).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), queries.len());
    }

    /// Recursive model of T4.
    #[derive(Clone, Debug)]
    enum Model {
        Tag(u32),
        Query { all: Vec<Self>, any: Vec<Self>, none: Vec<Self> },
    }

    impl Model {
        fn holds(&self, pattern: u32) -> bool {
            match self {
                Self::Tag(index) => pattern >> index & 1 == 1,
                Self::Query { all, any, none } => {
                    all.iter().all(|item| item.holds(pattern))
                        && (any.is_empty() || any.iter().any(|item| item.holds(pattern)))
                        && !none.iter().any(|item| item.holds(pattern))
                }
            }
        }

        fn item(&self) -> TagQueryItem {
            match self {
                Self::Tag(index) => tag(*index).into(),
                Self::Query { all, any, none } => TagQuery::all(all.iter().map(Self::item))
                    .and(TagQuery::any(any.iter().map(Self::item)))
                    .and(TagQuery::none(none.iter().map(Self::item)))
                    .into(),
            }
        }
    }

    fn model() -> impl Strategy<Value = Model> {
        (0u32..6).prop_map(Model::Tag).prop_recursive(4, 40, 3, |inner| {
            let list = || prop::collection::vec(inner.clone(), 0..3);
            (list(), list(), list()).prop_map(|(all, any, none)| Model::Query { all, any, none })
        })
    }

    proptest! {
        #[test]
        fn t4_flat_query_agrees_with_the_recursive_model(model in model()) {
            let query = TagQuery::all([model.item()]);
            for pattern in 0..64 {
                prop_assert_eq!(query.matches(&view(pattern)), model.holds(pattern));
            }
        }
    }
}
