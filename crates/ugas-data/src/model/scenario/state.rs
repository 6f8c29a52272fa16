//! Initial state of a scenario, and the configuration of its simulation.

use serde_json::{Value as Json, json};
use ugas_core::handle::{ControllerId, Handle};
use ugas_core::simulation::Config;
use ugas_core::time::Span;

use crate::decode::{ActorNumber, Definitions, Field, Flag, Integer, NonNegative, Text, record};
use crate::diagnostics::{Sink, codes};
use crate::node::{Node, Style, Value};
use crate::source::Spanned;

/// Initial state: a snapshot of a simulation, inline or in a file.
#[derive(Clone, PartialEq, Debug)]
pub enum StateDoc {
    /// Its bytes in base64.
    Inline {
        /// The text, with its line breaks.
        text: Spanned<String>,
        /// Quoting style, which determines where its characters are in the file.
        style: Style,
    },
    /// The file that its bytes are in.
    File(StateFileDoc),
}

record! {
    /// A state in a file of its own.
    StateFileDoc, "state" {
        file: required Text = "File", "File with the bytes of a snapshot, relative to this one.";
    }
}

impl StateDoc {
    /// Position for diagnostics: the beginning of the text, which may be long, or the name of the file.
    pub(crate) fn span(&self) -> crate::source::Span {
        match self {
            Self::Inline { text, .. } => crate::source::Span { end: text.span.start, ..text.span },
            Self::File(doc) => doc.file.as_ref().map_or(doc.span, |file| file.0.span),
        }
    }
}

impl Field for StateDoc {
    /// Decodes a mapping with a file, or a text, which is not decoded from base64 here.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        match &node.value {
            Value::Map(_) => StateFileDoc::decode(node, sink).map(Self::File),
            Value::Text(text) => {
                let text = Spanned { value: text.clone(), span: node.span };
                Some(Self::Inline { text, style: node.style })
            }
            _ => {
                sink.push(codes::field::wrong_type(node, "a state in base64, or a mapping with its `File`"));
                None
            }
        }
    }

    fn encode(&self) -> Value {
        match self {
            Self::Inline { text, .. } => Value::Text(text.value.clone()),
            Self::File(doc) => doc.encode(),
        }
    }

    fn schema(definitions: &mut Definitions) -> Json {
        let file = StateFileDoc::schema(definitions);
        let text =
            json!({ "type": "string", "contentEncoding": "base64", "pattern": r"^[A-Za-z0-9+/=\s]+$" });
        json!({ "oneOf": [text, file] })
    }
}

/// Handle of a controller in a state, written as in messages: `controller0v1` is the first controller.
#[derive(Clone, PartialEq, Debug)]
pub struct ControllerHandle(pub Spanned<ControllerId>);

const CONTROLLER: &str = "controller";

impl ControllerHandle {
    /// Parses a handle; `None` for any spelling but the canonical one.
    fn read(text: &str) -> Option<ControllerId> {
        let (index, generation) = text.strip_prefix(CONTROLLER)?.split_once('v')?;
        let id = ControllerId::from_parts(index.parse().ok()?, generation.parse().ok()?);
        // Only the canonical spelling: no signs, no leading zeros.
        (format!("{id:?}") == text).then_some(id)
    }
}

impl Field for ControllerHandle {
    /// Decodes a handle in its canonical spelling; anything else is reported.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let id = node.text().and_then(Self::read);
        if id.is_none() {
            sink.push(codes::field::wrong_type(node, "the handle of a controller, such as `controller0v1`"));
        }
        Some(Self(Spanned { value: id?, span: node.span }))
    }

    fn encode(&self) -> Value {
        Value::Text(format!("{:?}", self.0.value))
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string", "pattern": "^controller[0-9]+v[1-9][0-9]*$" })
    }
}

/// The hash of a state: 16 hexadecimal digits, as `ugas run --format json` prints it.
#[derive(Clone, PartialEq, Debug)]
pub struct StateHash(pub Spanned<u64>);

/// Hexadecimal digits of 64 bits.
const HASH_DIGITS: usize = 16;

impl Field for StateHash {
    /// Decodes exactly 16 hexadecimal digits; anything else is reported.
    fn decode(node: &Node, sink: &mut Sink) -> Option<Self> {
        let is_hash =
            |text: &&str| text.len() == HASH_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hash = node.text().filter(is_hash).and_then(|text| u64::from_str_radix(text, 16).ok());
        if hash.is_none() {
            sink.push(codes::field::wrong_type(
                node,
                "the hash of a state: 16 hexadecimal digits, in quotes",
            ));
        }
        Some(Self(Spanned { value: hash?, span: node.span }))
    }

    fn encode(&self) -> Value {
        Value::Text(format!("{:016x}", self.0.value))
    }

    fn schema(_: &mut Definitions) -> Json {
        json!({ "type": "string", "pattern": "^[0-9a-fA-F]{16}$" })
    }
}

/// A limit of a simulation.
type Limit = Integer<0, 4294967295>;

/// Highest cascade limit that a file can set. Files may be hostile: a loop of four billion operations would
/// run for an hour. Also, so many operations raise fewer events than a simulation keeps until they are
/// polled.
const LONGEST_CASCADE: u32 = 65_536;

/// A limit of cascades.
type CascadeLimit = Integer<0, { LONGEST_CASCADE as i64 }>;

record! {
    /// Configuration of the simulation, where it differs from the default. It is not part of a state.
    ConfigDoc, "configuration" {
        prediction_seed: optional ActorNumber = "PredictionSeed", "Seed of the random streams that client and server share, as a text (default: 0).";
        audit: optional Flag = "Audit", "Whether `BeforeEffectApplied` is raised (§15.4).";
        tag_counts: optional Flag = "TagCounts", "Whether `TagCountChanged` is raised (T6); a scenario that expects such events need not say so.";
        cascade_limit: optional CascadeLimit = "CascadeLimit", "Most operations that one call or timer may lead to (E12), up to 65536.";
        max_controllers: optional Limit = "MaxControllers", "Most controllers.";
        max_effects: optional Limit = "MaxEffectsPerController", "Most effects on one controller.";
        max_abilities: optional Limit = "MaxAbilitiesPerController", "Most abilities of one controller.";
        max_activations: optional Limit = "MaxActivationsPerController", "Most concurrent activations of one controller.";
        max_branches: optional Limit = "MaxBranchesPerActivation", "Most concurrent branches of one activation.";
        max_spawns: optional Limit = "MaxSpawnsPerOperation", "Most controllers that the tasks of abilities spawn in one operation.";
        max_queued: optional Limit = "MaxQueuedOccurrences", "Most occurrences that one wait keeps for later rounds; 0 is as many as `CascadeLimit`.";
        max_stacks: optional Limit = "MaxStacks", "Most stacks of one effect.";
        max_inputs: optional Limit = "MaxInputsPerController", "Most inputs of one controller that are held at once.";
        max_targets: optional Limit = "MaxTargets", "Most targets of one activation that are given from outside.";
        max_extras: optional Limit = "MaxExtras", "Most numbers, and most tags, of one spec or one grant.";
        max_payload_bytes: optional Limit = "MaxPayloadBytes", "Most bytes of one payload and of one name, given from outside.";
        min_period: optional NonNegative = "MinPeriod", "Shortest period of an effect in seconds.";
        max_runtime_effects: optional Limit = "MaxRuntimeEffects", "Most effects created at run time.";
    }
}

impl ConfigDoc {
    /// Applies the fields of the file to a configuration. It does not set the seed, the role and the event
    /// capacity: the first two have their own keys, and a scenario polls its events before any is lost.
    pub(crate) fn apply(&self, mut config: Config) -> Config {
        let limit = |limit: &Option<Limit>, place: &mut u32| {
            if let Some(limit) = limit.as_ref().and_then(|limit| u32::try_from(limit.0.value).ok()) {
                *place = limit;
            }
        };
        if let Some(limit) = self.cascade_limit.as_ref().and_then(|limit| u32::try_from(limit.0.value).ok()) {
            config.cascade_limit = limit;
        }
        limit(&self.max_controllers, &mut config.max_controllers);
        limit(&self.max_effects, &mut config.max_effects_per_controller);
        limit(&self.max_abilities, &mut config.max_abilities_per_controller);
        limit(&self.max_activations, &mut config.max_activations_per_controller);
        limit(&self.max_branches, &mut config.max_branches_per_activation);
        limit(&self.max_spawns, &mut config.max_spawns_per_operation);
        limit(&self.max_queued, &mut config.max_queued_occurrences);
        limit(&self.max_stacks, &mut config.max_stacks);
        limit(&self.max_inputs, &mut config.max_inputs_per_controller);
        limit(&self.max_targets, &mut config.max_targets);
        limit(&self.max_extras, &mut config.max_extras);
        limit(&self.max_payload_bytes, &mut config.max_payload_bytes);
        limit(&self.max_runtime_effects, &mut config.max_runtime_effects);
        if let Some(seed) = &self.prediction_seed {
            config.prediction_seed = seed.0.value;
        }
        if let Some(audit) = &self.audit {
            config.audit = audit.0.value;
        }
        if let Some(tag_counts) = &self.tag_counts {
            config.tag_counts = tag_counts.0.value;
        }
        if let Some(period) = &self.min_period {
            config.min_period = Span::seconds(period.0.value);
        }
        config
    }

    /// Differences of a configuration from the default; `None` if there are none. A higher cascade limit than
    /// a file can set is lowered to that limit.
    pub fn of(config: &Config) -> Option<Self> {
        let default = Config::default();
        fn spanned<T>(value: T) -> Spanned<T> {
            Spanned { value, span: Default::default() }
        }
        let limit = |own: u32, default: u32| (own != default).then(|| Integer(spanned(i64::from(own))));
        let doc = Self {
            prediction_seed: (config.prediction_seed != default.prediction_seed)
                .then(|| ActorNumber(spanned(config.prediction_seed))),
            audit: (config.audit != default.audit).then(|| Flag(spanned(config.audit))),
            tag_counts: (config.tag_counts != default.tag_counts).then(|| Flag(spanned(config.tag_counts))),
            cascade_limit: (config.cascade_limit != default.cascade_limit)
                .then(|| Integer(spanned(i64::from(config.cascade_limit.min(LONGEST_CASCADE))))),
            max_controllers: limit(config.max_controllers, default.max_controllers),
            max_effects: limit(config.max_effects_per_controller, default.max_effects_per_controller),
            max_abilities: limit(config.max_abilities_per_controller, default.max_abilities_per_controller),
            max_activations: limit(
                config.max_activations_per_controller,
                default.max_activations_per_controller,
            ),
            max_branches: limit(config.max_branches_per_activation, default.max_branches_per_activation),
            max_spawns: limit(config.max_spawns_per_operation, default.max_spawns_per_operation),
            max_queued: limit(config.max_queued_occurrences, default.max_queued_occurrences),
            max_stacks: limit(config.max_stacks, default.max_stacks),
            max_inputs: limit(config.max_inputs_per_controller, default.max_inputs_per_controller),
            max_targets: limit(config.max_targets, default.max_targets),
            max_extras: limit(config.max_extras, default.max_extras),
            max_payload_bytes: limit(config.max_payload_bytes, default.max_payload_bytes),
            min_period: (config.min_period != default.min_period)
                .then(|| NonNegative(spanned(config.min_period.as_seconds()))),
            max_runtime_effects: limit(config.max_runtime_effects, default.max_runtime_effects),
            ..Self::default()
        };
        (doc != Self::default()).then_some(doc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Entry;

    #[test]
    fn a_configuration_comes_back_as_it_was() {
        assert_eq!(ConfigDoc::of(&Config::default()), None);
        // One more than the default in every field, so that none takes the place of another.
        let mut config = Config::default();
        config.prediction_seed = u64::MAX;
        config.audit = !config.audit;
        config.tag_counts = !config.tag_counts;
        config.min_period = Span::seconds(0.25);
        let limits = [
            &mut config.cascade_limit,
            &mut config.max_controllers,
            &mut config.max_effects_per_controller,
            &mut config.max_abilities_per_controller,
            &mut config.max_activations_per_controller,
            &mut config.max_branches_per_activation,
            &mut config.max_spawns_per_operation,
            &mut config.max_queued_occurrences,
            &mut config.max_stacks,
            &mut config.max_inputs_per_controller,
            &mut config.max_targets,
            &mut config.max_extras,
            &mut config.max_payload_bytes,
            &mut config.max_runtime_effects,
        ];
        for (number, limit) in (101..).zip(limits) {
            *limit = number;
        }
        let written = Node::synthetic(ConfigDoc::of(&config).unwrap().encode());
        let mut sink = Sink::default();
        let read = ConfigDoc::decode(&written, &mut sink).unwrap();
        assert!(sink.is_empty());
        assert_eq!(read.apply(Config::default()), config);
    }

    #[test]
    fn a_file_asks_for_no_endless_cascade() {
        let config = Config { cascade_limit: u32::MAX, ..Config::default() };
        let written = ConfigDoc::of(&config).unwrap().encode();
        let mut sink = Sink::default();
        let read = ConfigDoc::decode(&Node::synthetic(written), &mut sink).unwrap();
        assert!(sink.is_empty());
        assert_eq!(read.apply(Config::default()).cascade_limit, 65_536);
        let key = Spanned { value: "CascadeLimit".to_owned(), ..Default::default() };
        let more = Entry { key, value: Node::synthetic(Value::Number(65_537.0)) };
        ConfigDoc::decode(&Node::synthetic(Value::Map(vec![more])), &mut sink);
        assert!(!sink.is_empty());
    }

    #[test]
    fn a_handle_is_written_in_one_way() {
        let read = |text: &str| ControllerHandle::read(text).map(|id| format!("{id:?}"));
        for text in ["controller0v1", "controller4294967295v7"] {
            assert_eq!(read(text).as_deref(), Some(text));
        }
        for text in
            ["", "0v1", "controller", "controller0v0", "controller01v1", "controller+1v1", "controller1v"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("controller4294967296v1"), None);
    }
}
