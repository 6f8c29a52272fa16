//! Paths such as `Modifiers[1].Magnitude`, as the core names places in a definition.

use super::Node;

impl Node {
    /// The value at a path, or the last one on the way that exists.
    pub fn at_path(&self, path: &str) -> &Self {
        let mut node = self;
        for step in path.split('.') {
            let (key, indices) = step.split_at(step.find('[').unwrap_or(step.len()));
            let Some(next) = (if key.is_empty() { Some(node) } else { node.get(key) }) else { return node };
            node = next;
            for index in indices.split(['[', ']']).filter(|index| !index.is_empty()) {
                let Some(item) = index.parse().ok().and_then(|index: usize| node.items().get(index)) else {
                    return node;
                };
                node = item;
            }
        }
        node
    }
}
