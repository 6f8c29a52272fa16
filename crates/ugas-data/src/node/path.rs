//! Paths such as `Modifiers[1].Magnitude`, with which the core refers to parts of a definition.

use super::Node;

impl Node {
    /// Value at a path, or the last existing value along the path.
    ///
    /// Keys may contain dots, as tags do. A list of tasks may be written as one task, or as a mapping that
    /// has it under `Tasks`.
    pub fn at_path(&self, path: &str) -> &Self {
        let mut node = self;
        let mut rest = path;
        loop {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            if let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                let Some(item) = index.parse().ok().and_then(|index| node.item(index)) else { return node };
                (node, rest) = (item, after);
                continue;
            }
            let fits = |key: &str| {
                rest.strip_prefix(key).is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
            };
            let entries = node.entries().iter().filter(|entry| !rest.is_empty() && fits(&entry.key.value));
            let Some(entry) = entries.max_by_key(|entry| entry.key.value.len()) else { return node };
            rest = &rest[entry.key.value.len()..];
            node = &entry.value;
        }
    }

    /// Item of a list. A task by itself counts as a list of one, and a mapping with `Tasks` as that list.
    fn item(&self, index: usize) -> Option<&Self> {
        match self.get("Tasks").filter(|_| self.get("Type").is_none()) {
            Some(tasks) => tasks.item(index),
            None if index == 0 && self.get("Type").is_some() => Some(self),
            None => self.items().get(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::Sink;
    use crate::node::parse;
    use crate::source::{Limits, SourceMap};

    #[test]
    fn paths_lead_through_dotted_keys_and_short_forms_of_lists() {
        let text = "Map: { A.B: 1, A: { B: 2 } }\nList: [ { X: 3 } ]\nOne: { Type: T, P: 4 }\nMany: [ { Tasks: [ { Type: T, P: 5 } ] } ]\n";
        let mut map = SourceMap::new();
        let file = map.add("a.yaml", text);
        let node = parse(&map, file, &Limits::default(), &mut Sink::default()).remove(0);
        let number = |path: &str| node.at_path(path).number();
        assert_eq!(number("Map.A.B"), Some(1.0));
        assert_eq!(number("List[0].X"), Some(3.0));
        assert_eq!(number("One[0].P"), Some(4.0));
        assert_eq!(number("Many[0][0].P"), Some(5.0));
        assert_eq!(node.at_path("List[7].X"), node.get("List").unwrap(), "the last that exists");
    }
}
