//! Tag metadata of registries (T5).

use ugas_data::{Loader, Pack};

const PLAIN: &str =
    "$schema: x/schemas/gameplay_tag.json\nTags: [ { Tag: State.Wet }, { Tag: State.Dry } ]\n";
const DESCRIBED: &str = "\
$schema: x/schemas/gameplay_tag.json
Tags:
  - { Tag: State.Wet, Description: Conducts lightning., DevComment: Ask the weather., AllowMultiple: true }
  - { Tag: State.Dry }
";

#[track_caller]
fn load(text: &str) -> Pack {
    Loader::new().text("tags.yaml", text).load().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn t5_tag_metadata_is_kept_for_tools_and_does_not_count_for_the_hash() {
    let (plain, described) = (load(PLAIN).catalog, load(DESCRIBED).catalog);
    let tags = described.tags();
    let wet = tags.metadata(tags.id("State.Wet").unwrap()).unwrap();
    assert_eq!(wet.description.as_deref(), Some("Conducts lightning."));
    assert_eq!(wet.dev_comment.as_deref(), Some("Ask the weather."));
    assert!(wet.allow_multiple);
    assert_eq!(tags.metadata(tags.id("State.Dry").unwrap()), None);
    assert_eq!(plain.hash(), described.hash());
}
