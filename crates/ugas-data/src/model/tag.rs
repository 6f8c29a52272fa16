//! Tag registries (§7.6).

use crate::decode::{Flag, Text, record};

use super::Name;

record! {
    /// A tag of the registry.
    TagDoc, "tag definition" {
        tag: required Name = "Tag", "The tag in dot notation.";
        description: optional Text = "Description", "Meaning of the tag.";
        allow_multiple: optional Flag = "AllowMultiple", "Whether several instances can exist (default: false).";
        comment: optional Text = "DevComment", "Notes for developers.";
    }
}

record! {
    /// A tag registry (§7.6).
    TagRegistryDoc, "tag registry" {
        tags: list TagDoc = "Tags", "The tags.";
    }
}
