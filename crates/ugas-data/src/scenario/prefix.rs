//! Prefixes of a scenario: the documents that lead to a moment of it.

use ugas_core::time::{Span, Time};

use super::Scenario;
use crate::model::scenario::ActionDoc;
use crate::node::{Entry, Node, Value};
use crate::source::Spanned;

impl Scenario {
    /// Documents of the scenario up to a time. There are several if steps run at exactly that time: one
    /// before all of them, and one after each.
    pub fn until(&self, time: Time) -> Vec<Node> {
        let mut now = self.begins_at();
        let mut cuts = Vec::new();
        let steps = self.steps();
        for (count, step) in steps.iter().enumerate() {
            let after = after(now, &step.action);
            if after > time {
                cuts.push(self.prefix(count, (now < time).then_some(time)));
                return cuts;
            }
            if now == time {
                cuts.push(self.prefix(count, None));
            }
            now = after;
        }
        cuts.push(self.prefix(steps.len(), (now < time).then_some(time)));
        cuts
    }

    /// Time after its last step, if it does not stop earlier.
    pub fn ends_at(&self) -> Time {
        self.steps().iter().fold(self.begins_at(), |now, step| after(now, &step.action))
    }

    /// Document with the first `count` steps, and an `At` step up to `until`. `None` adds no step.
    fn prefix(&self, count: usize, until: Option<Time>) -> Node {
        let mut node = self.node.clone();
        let Value::Map(entries) = &mut node.value else { return node };
        let steps = entries.iter_mut().find(|entry| entry.key.value == "Steps");
        if let Some(Entry { value: Node { value: Value::List(steps), .. }, .. }) = steps {
            steps.truncate(count);
            if let Some(time) = until {
                let span = node.span;
                let value = Node::synthetic(Value::Number(time.as_seconds()));
                let key = Spanned { value: "At".to_owned(), span };
                steps.push(Node::synthetic(Value::Map(vec![Entry { key, value }])));
            }
        }
        node
    }
}

/// Time after an action. An `At` in the past does not go back.
fn after(now: Time, action: &ActionDoc) -> Time {
    match action {
        ActionDoc::Advance(seconds) => now + Span::seconds(*seconds),
        ActionDoc::At(seconds) => now.max(Time::from_seconds(*seconds)),
        _ => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str = "
Name: a story
Steps:
  - Advance: 1
  - Despawn: wolf
  - Despawn: ogre
  - Advance: 2
  - At: 5
";

    /// How many steps each document has, and how the last step of each begins.
    #[track_caller]
    fn check(seconds: f64, expected: &[(usize, &str)]) {
        let story = Scenario::from_text("story.yaml", STORY).unwrap().remove(0);
        let documents = story.until(Time::from_seconds(seconds));
        let found: Vec<(usize, String)> = documents
            .iter()
            .map(|document| {
                let steps = document.get("Steps").map(Node::items).unwrap_or_default();
                let last = steps.last().and_then(|step| step.entries().first());
                (steps.len(), last.map(|entry| entry.key.value.clone()).unwrap_or_default())
            })
            .collect();
        let found: Vec<(usize, &str)> = found.iter().map(|(count, last)| (*count, last.as_str())).collect();
        assert_eq!(found, expected, "{seconds}");
    }

    #[test]
    fn prefixes_end_at_the_given_time() {
        check(0.0, &[(0, "")]);
        // Inside the first advance.
        check(0.5, &[(1, "At")]);
        // Before, between and after what happens at that time.
        check(1.0, &[(1, "Advance"), (2, "Despawn"), (3, "Despawn")]);
        check(2.0, &[(4, "At")]);
        check(3.0, &[(4, "Advance")]);
        check(5.0, &[(5, "At")]);
        // Nothing happens after the end, but time passes.
        check(9.0, &[(6, "At")]);
        let story = Scenario::from_text("story.yaml", STORY).unwrap().remove(0);
        assert_eq!(story.ends_at(), Time::from_seconds(5.0));
    }
}
