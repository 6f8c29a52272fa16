//! Results in a document, between markers, so that a command can update it.

use std::fs;
use std::path::Path;

/// Replaces the text between `<!-- begin SECTION -->` and `<!-- end SECTION -->`.
pub(crate) fn replace(path: &Path, section: &str, text: &str) -> Result<(), String> {
    let old = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let (begin, end) = (format!("<!-- begin {section} -->"), format!("<!-- end {section} -->"));
    let parts = old.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("the document has no {begin} followed by {end}"))?;
    fs::write(path, format!("{before}{begin}\n{text}{end}{after}")).map_err(|error| error.to_string())
}
