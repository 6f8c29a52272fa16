//! The filter of controllers: by words, by tags, by template.

use ugas_core::catalog::Catalog;
use ugas_core::id::{TagId, TemplateId};
use ugas_core::tag::TagContainer;

use crate::request::{Fields, RequestError};

/// Conditions that a controller must meet.
#[derive(Default)]
pub(crate) struct Filter {
    words: Vec<String>,
    /// All groups must match, each by any of its terms.
    tags: Vec<Vec<(TagId, Wanted)>>,
    template: Option<TemplateId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Present,
    Absent,
}

impl Filter {
    /// Reads `search`, `tags` and `template`. In `tags`, blanks mean "and", `|` means "or", `!` means "not".
    pub(crate) fn read(fields: Fields<'_>, catalog: &Catalog) -> Result<Self, RequestError> {
        let words = fields.text("search")?.unwrap_or_default();
        let words = words.split_whitespace().map(str::to_lowercase).collect();
        let mut tags = Vec::new();
        for group in fields.text("tags")?.unwrap_or_default().split_whitespace() {
            let group: Result<Vec<_>, RequestError> =
                group.split('|').map(|term| tag(term, catalog)).collect();
            tags.push(group?);
        }
        let template = fields.text("template")?.map(|name| catalog.template(name)).transpose();
        let template = template.map_err(|error| RequestError::bad(error.to_string()))?;
        Ok(Self { words, tags, template })
    }

    /// Whether a controller passes: its name has all words, the template is the wanted one, and each group of
    /// tags has one that is present, or absent, as wanted.
    pub(crate) fn admits(&self, name: &str, template: Option<TemplateId>, tags: &TagContainer) -> bool {
        let name = name.to_lowercase();
        self.words.iter().all(|word| name.contains(word))
            && self.template.is_none_or(|wanted| Some(wanted) == template)
            && self.tags.iter().all(|group| {
                group.iter().any(|(tag, wanted)| tags.matches(*tag) == (*wanted == Wanted::Present))
            })
    }
}

/// Tag of a filter term; a `!` before it wants it absent. An unknown tag is an error.
fn tag(term: &str, catalog: &Catalog) -> Result<(TagId, Wanted), RequestError> {
    let (name, wanted) = match term.strip_prefix('!') {
        Some(name) => (name, Wanted::Absent),
        None => (term, Wanted::Present),
    };
    match catalog.tag(name) {
        Ok(tag) => Ok((tag, wanted)),
        Err(error) => Err(RequestError::bad(error.to_string())),
    }
}
