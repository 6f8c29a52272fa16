//! `docs/rules.md` is complete: each rule that code cites has a heading there, and each heading is cited and
//! covered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::tidy::{files, read, root, rust_files};

const PAGE: &str = "docs/rules.md";

/// A rule of the page: its id (`M9`), the line of its heading, and the text below it.
struct Rule {
    id: String,
    line: usize,
    text: String,
}

/// Rules in the order of the page. A heading is `## M9 · Title`.
fn rules(page: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut in_rule = false;
    for (line, text) in (1..).zip(page.lines()) {
        if let Some((id, _)) = text.strip_prefix("## ").and_then(|heading| heading.split_once(" · ")) {
            rules.push(Rule { id: id.to_owned(), line, text: String::new() });
            in_rule = true;
        } else if text.starts_with("# ") {
            in_rule = false;
        } else if let Some(rule) = rules.last_mut().filter(|_| in_rule) {
            rule.text.extend([text, "\n"]);
        }
    }
    assert!(rules.len() > 100, "{PAGE}: only {} rules were found", rules.len());
    rules
}

/// Words that look like the id of a rule: one of `letters`, one or two digits, and perhaps a small letter.
fn citations<'a>(text: &'a str, letters: &'a BTreeSet<char>) -> impl Iterator<Item = &'a str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| {
        let Some(letter) = word.chars().next().filter(|letter| letters.contains(letter)) else {
            return false;
        };
        let rest = &word[letter.len_utf8()..];
        let number = rest.strip_suffix(|last: char| last.is_ascii_lowercase()).unwrap_or(rest);
        (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// First letters of the rules that are a letter and a number.
fn letters(rules: &[Rule]) -> BTreeSet<char> {
    let all = ('A'..='Z').collect();
    let numbered = rules.iter().filter(|rule| citations(&rule.id, &all).eq([rule.id.as_str()]));
    numbered.filter_map(|rule| rule.id.chars().next()).collect()
}

/// Lines with a comment, each with its number.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines());
    lines.filter_map(|(line, text)| Some((line, &text[text.find("//")?..])))
}

fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

/// Whether a conformance file has a scenario with this rule, or a part of it (`E5/limit`), under `Clause`.
fn has_clause(file: &Path, id: &str) -> bool {
    let is_meant = |clause: &str| {
        clause.strip_prefix(id).is_some_and(|rest| matches!(rest.chars().next(), None | Some('/')))
    };
    let text = read(file);
    let lists = text.lines().filter_map(|line| line.strip_prefix("Clause:"));
    lists.flat_map(|list| list.split(['[', ']', ',', ' ', '"'])).any(is_meant)
}

#[test]
fn every_cited_rule_has_a_heading() {
    let rules = rules(&read(root().join(PAGE)));
    let known: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    let letters = letters(&rules);
    let mut unknown = Vec::new();
    let is_source = |file: &PathBuf| file.iter().any(|part| part == "src");
    for file in rust_files("crates").into_iter().filter(is_source) {
        for (line, comment) in comments(&read(&file)) {
            for id in citations(comment, &letters).filter(|id| !known.contains(id)) {
                unknown.push(format!("{}:{line}: cites {id}, which {PAGE} does not have", shown(&file)));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn every_rule_is_cited_and_covered() {
    let page = read(root().join(PAGE));
    let rules = rules(&page);
    let letters = letters(&rules);
    let mut cited = BTreeSet::new();
    for file in rust_files("crates") {
        let text = read(file);
        cited
            .extend(comments(&text).flat_map(|(_, comment)| citations(comment, &letters)).map(str::to_owned));
    }
    let mut wrong = Vec::new();
    for Rule { id, line, text } in &rules {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let scenarios = links.filter(|link| link.contains("/conformance/") && !link.contains("://"));
        let is_covered =
            scenarios.map(|link| root().join("docs").join(link)).any(|file| has_clause(&file, id));
        if !is_covered && !text.contains("Covered by:") {
            wrong.push(format!(
                "{PAGE}:{line}: {id} links no scenario with it under Clause and has no `Covered by:`"
            ));
        }
        if !is_covered && !cited.contains(id) {
            wrong.push(format!("{PAGE}:{line}: {id} is cited nowhere in code or conformance"));
        }
        if !text.contains("Source:") {
            wrong.push(format!("{PAGE}:{line}: {id} has no `Source:`"));
        }
        if !page.contains(&format!("- [{id} · ")) {
            wrong.push(format!("{PAGE}:{line}: {id} is missing in the contents"));
        }
    }
    let known: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    for file in files("conformance", "yaml") {
        let text = read(&file);
        for (line, list) in (1..).zip(text.lines()).filter(|(_, line)| line.starts_with("Clause:")) {
            for id in citations(list, &letters).filter(|id| !known.contains(id)) {
                wrong.push(format!("{}:{line}: proves {id}, which {PAGE} does not have", shown(&file)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
