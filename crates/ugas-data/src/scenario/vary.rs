//! Variation of a scenario: replaces values, as a sweep does.
//!
//! A value is addressed by a path of keys, `Controllers.hero.Base.Strength`. It must be in the scenario, or
//! be allowed there by the JSON Schema of scenarios, so that new fields need no code here.

use serde_json::Value as Json;
use thiserror::Error;
use ugas_core::nearest::nearest;

use super::Scenario;
use crate::decode::Field;
use crate::diagnostics::{Report, Sink};
use crate::loader::LoadError;
use crate::model::scenario::ScenarioDoc;
use crate::node::{Entry, Node, Value};
use crate::source::Spanned;

/// Path to a value of a scenario that exists or could be added.
#[derive(Clone, PartialEq, Debug)]
pub struct ValuePath {
    path: Vec<Segment>,
    kind: ValueKind,
}

/// Type of the value at a [`ValuePath`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// A number.
    Number,
    /// A text, such as the name of an effect.
    Text,
}

/// Error of a path that does not lead to a value.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum ValuePathError {
    /// A segment of the path does not exist.
    #[error("there is no `{segment}` in {parent}{}", help(.nearest.as_deref(), .known))]
    Unknown {
        /// The unknown segment.
        segment: String,
        /// Path of the mapping or list without the segment.
        parent: String,
        /// The nearest existing key.
        nearest: Option<String>,
        /// All existing keys.
        known: Vec<String>,
    },
    /// The path ends at a list or mapping.
    #[error("`{path}` is not a single number or text{}", help(None, .known))]
    NotAValue {
        /// The path.
        path: String,
        /// The keys inside.
        known: Vec<String>,
    },
    /// The path continues after a single value.
    #[error("`{path}` is a single value, there is no `{segment}` in it")]
    TooLong {
        /// The path of the value.
        path: String,
        /// The segment after it.
        segment: String,
    },
}

/// Most keys that a message lists.
const MOST_LISTED: usize = 16;

/// End of a message about a path: the nearest key, else the known keys if they are few.
fn help(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None if known.is_empty() || known.len() > MOST_LISTED => String::new(),
        None => format!("; there is {}", known.join(", ")),
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Segment {
    Key(String),
    Item(usize),
}

impl ValuePath {
    /// Type of the value.
    pub fn kind(&self) -> ValueKind {
        self.kind
    }

    /// Top-level field of the scenario, such as `Seed` or `Steps`.
    pub fn field(&self) -> &str {
        match self.path.first() {
            Some(Segment::Key(key)) => key,
            _ => "",
        }
    }
}

impl Scenario {
    /// Path of keys and positions to a number or text of the scenario, which [`Self::with_values`] replaces.
    /// The value may be missing in the file if the schema allows it.
    ///
    /// Segments are separated by dots: keys, and in lists positions from 0 or the `Name` of the item. A key
    /// that contains dots itself (a tag) is written as it is. `hero.Strength` is short for
    /// `Controllers.hero.Base.Strength`.
    ///
    /// # Errors
    /// If there is no such value, with the nearest key.
    pub fn value_path(&self, path: &str) -> Result<ValuePath, ValuePathError> {
        let schema = crate::schema::json_schema("scenario").unwrap_or_default();
        let parts: Vec<&str> = path.split('.').collect();
        let mut search = Search { schema: &schema, path: Vec::new(), walked: Vec::new() };
        let full = match parts.split_first() {
            Some((&controller, rest)) if !rest.is_empty() && self.has_controller(controller) => {
                let is_field = search.properties(&schema).iter().any(|(name, _)| *name == controller);
                (!is_field).then(|| [&["Controllers", controller, "Base"], rest].concat())
            }
            _ => None,
        };
        let found = search.walk(Some(&self.node), Some(&schema), full.as_deref().unwrap_or(&parts));
        let kind = found.map_err(|error| self.with_controllers(error))?;
        Ok(ValuePath { path: search.path, kind })
    }

    /// Copy of the scenario with other values at some paths.
    ///
    /// # Errors
    /// If the scenario is invalid with a value.
    pub fn with_values(&self, values: &[(&ValuePath, Value)]) -> Result<Self, LoadError> {
        let mut node = self.node.clone();
        for (place, value) in values {
            set(&mut node, &place.path, value);
        }
        let mut sink = Sink::default();
        let doc = ScenarioDoc::decode(&node, &mut sink);
        match doc {
            Some(doc) if sink.errors() == 0 => {
                Ok(Self { file: self.file, doc, node, source_map: self.source_map.clone() })
            }
            _ => Err(LoadError { report: Report::new(self.source_map.clone(), sink, &Default::default()) }),
        }
    }

    /// Adds the controllers to the known keys of the first segment, which may be the short form.
    fn with_controllers(&self, error: ValuePathError) -> ValuePathError {
        match error {
            ValuePathError::Unknown { segment, parent, nearest: None, mut known } if parent == ROOT => {
                known.extend(self.controllers().map(|(name, _)| name.to_owned()));
                let nearest = nearest(&segment, known.iter().map(String::as_str)).map(str::to_owned);
                ValuePathError::Unknown { segment, parent, nearest, known }
            }
            error => error,
        }
    }
}

/// Name of the whole document in messages.
const ROOT: &str = "the scenario";

struct Search<'a> {
    /// The whole schema, for references into it.
    schema: &'a Json,
    path: Vec<Segment>,
    walked: Vec<String>,
}

impl<'a> Search<'a> {
    /// Follows the rest of a path through the document and its schema at once, and collects its segments.
    /// `node` is `None` where the document ends and only the schema continues.
    fn walk(
        &mut self,
        node: Option<&Node>,
        schema: Option<&'a Json>,
        parts: &[&str],
    ) -> Result<ValueKind, ValuePathError> {
        let schema = schema.map(|schema| self.resolved(schema));
        let properties = schema.map(|schema| self.properties(schema)).unwrap_or_default();
        let Some((&part, rest)) = parts.split_first() else {
            return self.leaf(node, schema, &properties);
        };
        if let Some(Node { value: Value::List(items), .. }) = node {
            return self.item(items, schema, part, rest);
        }
        // The longest existing key, so that tags can be written as they are.
        let entries = node.map(Node::entries).unwrap_or_default();
        for length in (1..=parts.len()).rev() {
            let (key, rest) = parts.split_at(length);
            let key = key.join(".");
            if let Some(entry) = entries.iter().find(|entry| entry.key.value == key) {
                let property = properties.iter().find(|(name, _)| *name == key).map(|(_, schema)| *schema);
                let below = property.or_else(|| schema.and_then(|schema| self.open(schema)));
                self.push(Segment::Key(key));
                return self.walk(Some(&entry.value), below, rest);
            }
        }
        if let Some((_, below)) = properties.iter().find(|(name, _)| *name == part) {
            let below = *below;
            self.push(Segment::Key(part.to_owned()));
            return self.walk(None, Some(below), rest);
        }
        let open = schema.and_then(|schema| self.open(schema)).map(|open| self.resolved(open));
        if let Some(kind) = open.and_then(scalar) {
            self.push(Segment::Key(parts.join(".")));
            return Ok(kind);
        }
        let is_value = matches!(node, Some(node) if !matches!(node.value, Value::Map(_)));
        if is_value || schema.and_then(scalar).is_some() {
            return Err(ValuePathError::TooLong { path: self.walked.join("."), segment: part.to_owned() });
        }
        let mut known: Vec<String> = entries.iter().map(|entry| entry.key.value.clone()).collect();
        let others = properties.iter().filter(|(name, _)| !known.iter().any(|known| known == name));
        let others: Vec<String> = others.map(|(name, _)| (*name).to_owned()).collect();
        known.extend(others);
        Err(self.unknown(part, known))
    }

    /// Follows a segment into a list: a position, or the `Name` of an item.
    fn item(
        &mut self,
        items: &[Node],
        schema: Option<&'a Json>,
        part: &str,
        rest: &[&str],
    ) -> Result<ValueKind, ValuePathError> {
        let name = |item: &Node| item.get("Name").and_then(Node::text).map(str::to_owned);
        let position = match part.parse() {
            Ok(position) => Some(position),
            Err(_) => items.iter().position(|item| name(item).as_deref() == Some(part)),
        };
        let Some((position, item)) =
            position.and_then(|position: usize| Some((position, items.get(position)?)))
        else {
            let mut known: Vec<String> = items.iter().filter_map(name).collect();
            if known.is_empty() && !items.is_empty() {
                known.push(format!("0 to {}", items.len().saturating_sub(1)));
            }
            return Err(self.unknown(part, known));
        };
        self.path.push(Segment::Item(position));
        self.walked.push(part.to_owned());
        self.walk(Some(item), schema.and_then(|schema| schema.get("items")), rest)
    }

    /// Type of the value at the end of a path. A list or mapping is an error.
    fn leaf(
        &self,
        node: Option<&Node>,
        schema: Option<&Json>,
        properties: &[(&'a str, &'a Json)],
    ) -> Result<ValueKind, ValuePathError> {
        let written = node.and_then(|node| match node.value {
            Value::Number(_) => Some(ValueKind::Number),
            Value::Text(_) => Some(ValueKind::Text),
            _ => None,
        });
        // The schema takes precedence, because a number may be written as a text by mistake.
        schema.and_then(scalar).or(written).ok_or_else(|| {
            let mut known: Vec<String> = properties.iter().map(|(name, _)| (*name).to_owned()).collect();
            if known.is_empty() {
                let entries = node.map(Node::entries).unwrap_or_default();
                known.extend(entries.iter().map(|entry| entry.key.value.clone()));
            }
            ValuePathError::NotAValue { path: self.walked.join("."), known }
        })
    }

    /// Adds a segment to the path and to the messages.
    fn push(&mut self, segment: Segment) {
        if let Segment::Key(key) = &segment {
            self.walked.push(key.clone());
        }
        self.path.push(segment);
    }

    /// Error for an unknown segment of the path.
    fn unknown(&self, segment: &str, known: Vec<String>) -> ValuePathError {
        let parent = match self.walked.as_slice() {
            [] => ROOT.to_owned(),
            walked => format!("`{}`", walked.join(".")),
        };
        let nearest = nearest(segment, known.iter().map(String::as_str)).map(str::to_owned);
        ValuePathError::Unknown { segment: segment.to_owned(), parent, nearest, known }
    }

    /// Follows a reference into the schema, if this is one.
    fn resolved(&self, schema: &'a Json) -> &'a Json {
        let target = schema.get("$ref").and_then(Json::as_str);
        let target = target.and_then(|target| target.strip_prefix('#'));
        target.and_then(|target| self.schema.pointer(target)).unwrap_or(schema)
    }

    /// Fields of a schema, including its `allOf` parts.
    fn properties(&self, schema: &'a Json) -> Vec<(&'a str, &'a Json)> {
        let schema = self.resolved(schema);
        let own = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
        let mut all: Vec<(&str, &Json)> = own.map(|(name, schema)| (name.as_str(), schema)).collect();
        for part in schema.get("allOf").and_then(Json::as_array).into_iter().flatten() {
            all.extend(self.properties(part));
        }
        all
    }

    /// Schema of fields with user-defined names; `None` if the record has only fixed fields.
    fn open(&self, schema: &'a Json) -> Option<&'a Json> {
        ["additionalProperties", "unevaluatedProperties"]
            .into_iter()
            .filter_map(|key| schema.get(key))
            .find(|open| open.is_object())
    }
}

/// Type of a single value that a schema allows; `None` for lists, mappings and unions of types.
fn scalar(schema: &Json) -> Option<ValueKind> {
    match schema.get("type").and_then(Json::as_str) {
        Some("number" | "integer") => Some(ValueKind::Number),
        Some("string") => Some(ValueKind::Text),
        _ => None,
    }
}

/// Sets the value at a path, and creates missing mappings along it. A position that the list does not have is
/// ignored.
fn set(node: &mut Node, path: &[Segment], value: &Value) {
    let span = node.head();
    match path.split_first() {
        None => node.value = value.clone(),
        Some((Segment::Item(position), rest)) => {
            if let Value::List(items) = &mut node.value
                && let Some(item) = items.get_mut(*position)
            {
                set(item, rest, value);
            }
        }
        Some((Segment::Key(key), rest)) => {
            if !matches!(node.value, Value::Map(_)) {
                node.value = Value::Map(Vec::new());
            }
            let Value::Map(entries) = &mut node.value else { return };
            let position = entries.iter().position(|entry| entry.key.value == *key);
            let position = position.unwrap_or_else(|| {
                // Problems of a new value are reported at its parent.
                let value = Node { span, ..Node::default() };
                entries.push(Entry { key: Spanned { value: key.clone(), span }, value });
                entries.len() - 1
            });
            if let Some(entry) = entries.get_mut(position) {
                set(&mut entry.value, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Options, Runner};

    const TALE: &str = "
Name: tale
Definitions:
  - $schema: https://example.org/schemas/attribute_set.json
    Name: Vitals
    Attributes: [ { Name: Health, DefaultBaseValue: 100 } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Hit
    DurationPolicy: Instant
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: SetByCaller, DataTag: Data.Damage } } ]
  - $schema: https://example.org/schemas/gameplay_effect.json
    Name: GE_Heal
    DurationPolicy: Instant
    Modifiers: [ { Attribute: Health, Operation: Add, Magnitude: { Type: ScalableFloat, Value: 5 } } ]
Controllers:
  wolf: { AttributeSets: [Vitals] }
Steps:
  - Apply: { Effect: GE_Hit, Target: wolf, SetByCaller: { Data.Damage: -10 } }
  - Apply: { Effect: GE_Heal, Target: wolf }
";

    fn tale() -> Scenario {
        Scenario::from_text("tale.yaml", TALE).unwrap().remove(0)
    }

    /// Health in the end, with a value of the scenario changed.
    #[track_caller]
    fn check(path: &str, value: Value, expected: f64) {
        let tale = tale();
        let place = tale.value_path(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let varied = tale.with_values(&[(&place, value)]).unwrap();
        let mut runner = Runner::new(&varied, varied.catalog().unwrap(), Options::default()).unwrap();
        runner.run(|_| {});
        let (wolf, sim) = (runner.controller("wolf").unwrap(), runner.simulation());
        assert_eq!(sim.current(wolf, sim.catalog().attribute("Health").unwrap()), Some(expected), "{path}");
    }

    #[test]
    fn values_are_found_where_they_are_written() {
        // 100 - damage + 5
        check("Steps.0.Apply.SetByCaller.Data.Damage", Value::Number(-20.0), 85.0);
        check("Definitions.GE_Heal.Modifiers.0.Magnitude.Value", Value::Number(7.0), 97.0);
        check("Definitions.2.Modifiers.0.Magnitude.Value", Value::Number(8.0), 98.0);
        check("Steps.0.Apply.Effect", Value::Text("GE_Heal".to_owned()), 110.0);
    }

    #[test]
    fn values_that_could_be_written_are_found_too() {
        check("Controllers.wolf.Base.Health", Value::Number(50.0), 45.0);
        check("wolf.Health", Value::Number(60.0), 55.0);
        check("Steps.1.Apply.Level", Value::Number(2.0), 95.0);
        let tale = tale();
        let seed = tale.value_path("Seed").unwrap();
        assert_eq!((seed.kind(), seed.field()), (ValueKind::Number, "Seed"));
        assert_eq!(tale.with_values(&[(&seed, Value::Number(9.0))]).unwrap().seed(), 9);
    }

    #[track_caller]
    fn check_error(path: &str, expected: &str) {
        assert_eq!(tale().value_path(path).unwrap_err().to_string(), expected);
    }

    #[test]
    fn wrong_paths_say_what_was_meant() {
        check_error("Sed", "there is no `Sed` in the scenario; did you mean `Seed`?");
        check_error("wlf.Health", "there is no `wlf` in the scenario; did you mean `wolf`?");
        check_error(
            "Controllers.wlf.Base.Health",
            "there is no `wlf` in `Controllers`; did you mean `wolf`?",
        );
        check_error(
            "Controllers.wolf.Bse.Health",
            "there is no `Bse` in `Controllers.wolf`; did you mean `Base`?",
        );
        check_error("Steps.7.Advance", "there is no `7` in `Steps`; there is 0 to 1");
        check_error(
            "Definitions.GE_Hael.Period",
            "there is no `GE_Hael` in `Definitions`; did you mean `GE_Heal`?",
        );
        check_error("Seed.Seed", "`Seed` is a single value, there is no `Seed` in it");
        check_error(
            "Steps.0.Remove",
            "`Steps.0.Remove` is not a single number or text; there is Effect, Target, Stacks",
        );
        check_error(
            "",
            "there is no `` in the scenario; there is Name, Definitions, Controllers, Steps, Clause, \
             Description, Pack, ExpectLoad, Seed, Role, Config, State, wolf",
        );
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let tale = tale();
        let place = tale.value_path("Seed").unwrap();
        let error = tale.with_values(&[(&place, Value::Number(-1.0))]).unwrap_err();
        assert!(error.to_string().contains("UG015"), "{error}");
    }
}
