//! Scenes of the later drafts (§18): placements of controllers, and regions that grant tags.

use super::effect::Affiliation;
use super::{AttributeName, EffectName, GrantedTag, MetadataDoc, Name, SceneName, Tag, TemplateName};
use crate::decode::{
    Choice, Flag, Integer, List, NamedMap, NonNegative, Number, Raw, Vector, choice, record,
};

/// The shape of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegionShape {
    /// A ball.
    Sphere,
    /// A box.
    Box,
    /// A capsule.
    Capsule,
}

choice! {
    RegionShape { "Sphere" => Self::Sphere, "Box" => Self::Box, "Capsule" => Self::Capsule }
}

record! {
    /// A controller in the world.
    PlacementDoc, "placement" {
        controller: required TemplateName = "Controller", "The controller template.";
        id: optional Name = "InstanceId", "Unique name of the instance.";
        position: optional Vector<3> = "Position", "Position.";
        rotation: optional Raw = "Rotation", "How it is turned.";
        tags: list GrantedTag = "StartupTags", "Tags that it begins with.";
        effects: list EffectName = "StartupEffects", "Effects that it begins with.";
        overrides: optional NamedMap<AttributeName, Number> = "AttributeOverrides", "Base values that differ.";
        enabled: optional Flag = "Enabled", "Whether it is there at the start (default: true).";
    }
}

record! {
    /// Filter of the controllers that a region affects.
    RegionFilterDoc, "region filter" {
        require_tags: list Tag = "RequireTags", "The controller must have all of these.";
        exclude_tags: list Tag = "ExcludeTags", "The controller must have none of these.";
        affiliation: optional Choice<Affiliation> = "Affiliation", "Team relation of the controller.";
        max_results: optional Integer<0, 4294967295> = "MaxResults", "Most controllers; 0 is no limit.";
    }
}

record! {
    /// A region that grants tags.
    RegionDoc, "region" {
        name: required Name = "Name", "Unique name of the region.";
        shape: required Choice<RegionShape> = "Shape", "Its shape.";
        origin: required Vector<3> = "Origin", "Its centre.";
        granted_tags: required List<GrantedTag> = "GrantedTags", "Tags granted inside.";
        radius: optional NonNegative = "Radius", "Radius of a sphere or capsule.";
        half_extents: optional Vector<3> = "HalfExtents", "Half the edges of a box.";
        orientation: optional Vector<4> = "Orientation", "How a box is turned.";
        p0: optional Vector<3> = "P0", "One end of a capsule.";
        p1: optional Vector<3> = "P1", "The other end of a capsule.";
        filter: optional RegionFilterDoc = "Filter", "Filter of the affected controllers.";
    }
}

record! {
    /// Position at which controllers can spawn.
    SpawnPointDoc, "spawn point" {
        name: required Name = "Name", "Name of the point.";
        position: optional Vector<3> = "Position", "Position of the point.";
        rotation: optional Raw = "Rotation", "How it is turned.";
        tags: list Tag = "Tags", "Tags that describe it.";
    }
}

record! {
    /// A scene (§18).
    SceneDoc, "scene" {
        name: required Name = "Name", "Unique name of the scene.";
        placements: required List<PlacementDoc> = "Placements", "Controllers of the scene with their positions.";
        extends: list SceneName = "Extends", "Scenes that this one adds to.";
        regions: list RegionDoc = "Regions", "Regions that grant tags.";
        spawn_points: list SpawnPointDoc = "SpawnPoints", "Positions at which controllers can spawn.";
        metadata: optional MetadataDoc = "Metadata", "Text for people.";
    }
}
