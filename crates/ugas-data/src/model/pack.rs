//! `pack.yaml`: settings of a pack.

use super::input::InputBufferDoc;
use super::{DeathAttributeName, Name};
use crate::decode::{Field, List, NamedMap, Number, Raw, Text, record};
use crate::diagnostics::Sink;
use crate::node::Node;

record! {
    /// Settings that hold in the whole pack.
    GlobalsDoc, "globals" {
        death_attribute: optional DeathAttributeName = "DeathAttribute", "Attribute whose fall to the threshold is death, which cancels all abilities without SurvivesDeath (default: Health, if there is one). None disables death.";
        death_threshold: optional Number = "DeathThreshold", "The threshold (default: the attribute's Min, 0 if it has none).";
        input_buffer: optional InputBufferDoc = "InputBuffer", "Buffer for early inputs.";
    }
}

record! {
    /// Settings of a pack.
    PackDoc, "pack" {
        name: optional Text = "Name", "Name of the pack.";
        version: optional Raw = "Version", "Its version.";
        description: optional Text = "Description", "Description of the pack.";
        globals: optional GlobalsDoc = "Globals", "Settings that hold in the whole pack.";
        host_tasks: list Name = "HostTasks", "Task types that the host carries out.";
        native_calculations: list Name = "NativeCalculations", "Calculations that native code provides.";
        host_curves: list Name = "HostCurves", "Curves that the host provides.";
        layers: optional Raw = "Layers", "Names of the evaluation layers 0 to 9, for people.";
        silence: list Name = "Silence", "Codes of warnings and lints that are not reported.";
        metadata: optional NamedMap<Name, Raw> = "Metadata", "Anything else.";
    }
}

impl PackDoc {
    /// Decodes a `pack.yaml`. A file in the form of the public packs (`id`, `scope`, `signatureMechanic`) is
    /// plain metadata, which accepts any field. A file that cannot be decoded at all gives default settings.
    pub(crate) fn of(node: &Node, sink: &mut Sink) -> Self {
        if ["id", "scope", "signatureMechanic"].iter().any(|key| node.get(key).is_some()) {
            let unknown = node.entries().iter().filter(|entry| entry.key.value != "$schema");
            return Self { span: node.head(), unknown: unknown.cloned().collect(), ..Self::default() };
        }
        Self::decode(node, sink).unwrap_or_default()
    }

    /// Codes that the pack silences, valid or not.
    pub fn silenced(&self) -> &List<Name> {
        &self.silence
    }
}
