//! The configuration file of a server, in TOML: read with all its problems at their positions, and printed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use ugas_core::nearest::nearest;
use ugas_data::diagnostics::{Colour, Diagnostic, Severity, render};
use ugas_data::{SourceMap, Span};
use ugas_transport::Rate;

use super::settings::{InspectAddress, Reload, Settings, Slot, Visitor, is_seconds};
use crate::online::ListenAddress;
use crate::{input, output};

/// Maximum size of a configuration file in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Code of all problems of a configuration file, as diagnostics of packs have one.
const CODE: &str = "config";

/// Problems of a configuration file, as text for people.
#[derive(Debug)]
pub(super) struct ConfigProblems {
    /// Rendered diagnostics, each followed by an empty line.
    text: String,
    problems: usize,
    file: PathBuf,
}

impl std::error::Error for ConfigProblems {}

impl std::fmt::Display for ConfigProblems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { text, problems, file } = self;
        let problems = output::count(*problems, "problem");
        write!(
            f,
            "{text}`{}` is invalid: {problems}; `ugas serve --print-config` prints all settings with their meaning",
            file.display()
        )
    }
}

/// Reads a configuration file over the given settings. Paths in it are relative to its folder.
///
/// # Errors
/// If it cannot be read, and [`ConfigProblems`] with all problems.
pub(super) fn read(file: &Path, settings: &mut Settings, colour: Colour) -> anyhow::Result<()> {
    let bytes = input::read(file, MAX_BYTES)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow::anyhow!("`{}` cannot be read: it is not UTF-8", file.display()))?;
    Ok(read_text(file, &text, settings, colour)?)
}

fn read_text(file: &Path, text: &str, settings: &mut Settings, colour: Colour) -> Result<(), ConfigProblems> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems = Vec::new();
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        problems.push((range, error.message().to_owned(), "see https://toml.io for the format".to_owned()));
    }
    if problems.is_empty() {
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut reader = Reader::new(folder, table.get_ref());
        let mut read = settings.clone();
        read.visit(&mut reader);
        reader.report_unknown();
        problems = reader.problems;
        if problems.is_empty() {
            *settings = read;
            return Ok(());
        }
    }
    problems.sort_by_key(|(range, ..)| range.start);
    let mut map = SourceMap::new();
    let id = map.add(file, text);
    let rendered = problems.iter().map(|(range, message, help)| {
        let span = Span::new(id, range.start, range.end);
        let (message, help) = (message.clone(), help.clone());
        let diagnostic = Diagnostic { code: CODE, severity: Severity::Error, span, message, help };
        format!("{}\n\n", render(&map, &diagnostic, colour))
    });
    Err(ConfigProblems { text: rendered.collect(), problems: problems.len(), file: file.to_owned() })
}

/// All settings as a configuration file, with their meaning as comments.
pub(super) fn print(settings: &Settings) -> String {
    let mut printer = Printer::default();
    settings.clone().visit(&mut printer);
    printer.text
}

/// The settings in which two differ, and whether a running server takes them.
pub(super) fn differences(old: &Settings, new: &Settings) -> Vec<(String, Reload)> {
    let fields = |settings: &Settings| {
        let mut printer = Printer::default();
        settings.clone().visit(&mut printer);
        printer.fields
    };
    let pairs = fields(old).into_iter().zip(fields(new));
    pairs.filter(|(old, new)| old.1 != new.1).map(|(old, _)| (old.0, old.2)).collect()
}

/// Problem: its place, what is wrong, what to do.
type Problem = (Range<usize>, String, String);

/// Reads the fields of the tables of a file.
struct Reader<'a> {
    /// Folder of the file.
    folder: &'a Path,
    root: &'a DeTable<'a>,
    /// Table of the current section; `None` if the file does not have it.
    table: Option<&'a DeTable<'a>>,
    /// Tables visited so far, with the keys that they may have.
    known: Vec<(&'a DeTable<'a>, BTreeSet<&'static str>)>,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    fn new(folder: &'a Path, root: &'a DeTable<'a>) -> Self {
        Self { folder, root, table: Some(root), known: vec![(root, BTreeSet::new())], problems: Vec::new() }
    }

    fn expected(&mut self, value: &Spanned<DeValue<'_>>, expected: impl Into<String>) {
        let found = value.get_ref().type_str();
        let expected = expected.into();
        self.problems.push((
            value.span(),
            format!("expected {expected}"),
            format!("this is {} {found}", if found.starts_with(['a', 'i']) { "an" } else { "a" }),
        ));
    }

    fn wrong(&mut self, value: &Spanned<DeValue<'_>>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push((value.span(), message.into(), help.into()));
    }

    /// Reports keys that no section has, with the nearest known one.
    fn report_unknown(&mut self) {
        let mut unknown = Vec::new();
        for (table, known) in &self.known {
            for (key, _) in table.iter().filter(|(key, _)| !known.contains(key.get_ref().as_ref())) {
                let name = key.get_ref().as_ref();
                let help = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "remove it; `ugas serve --print-config` prints all settings".to_owned(),
                };
                unknown.push((key.span(), format!("there is no setting `{name}`"), help));
            }
        }
        self.problems.extend(unknown);
    }

    fn text<'v>(&mut self, value: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.expected(value, "a text in quotes");
        }
        text
    }

    /// Texts of a list; a text alone is a list of one.
    fn texts<'v>(&mut self, value: &'v Spanned<DeValue<'v>>) -> Vec<(&'v Spanned<DeValue<'v>>, &'v str)> {
        let values: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
            DeValue::Array(array) => array.iter().collect(),
            _ => vec![value],
        };
        values.into_iter().filter_map(|value| self.text(value).map(|text| (value, text))).collect()
    }

    fn number(&mut self, value: &Spanned<DeValue<'_>>, least: u64, most: u64) -> Option<u64> {
        let number = value.get_ref().as_integer();
        let Some(number) = number else {
            self.expected(value, "a whole number");
            return None;
        };
        let number = u64::from_str_radix(&number.as_str().replace('_', ""), number.radix());
        let number = number.ok().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            self.wrong(value, "the number is out of range", format!("give a number from {least} to {most}"));
        }
        number
    }

    fn seconds(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Duration> {
        let text = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => {
                self.expected(value, "a number of seconds");
                return None;
            }
        };
        let seconds = text.replace('_', "").parse().ok().filter(|seconds| is_seconds(*seconds));
        if seconds.is_none() {
            self.wrong(value, "the number is out of range", "give 0 to 1000000000 seconds");
        }
        seconds.map(Duration::from_secs_f64)
    }

    fn listen(&mut self, value: &Spanned<DeValue<'_>>) -> Option<ListenAddress> {
        if value.get_ref().is_integer() {
            let port = self.number(value, 0, 65_535)?;
            return u16::try_from(port).ok().map(ListenAddress::Port);
        }
        let text = self.text(value)?;
        let address = ListenAddress::read(text);
        if address.is_err() {
            let help = "give an address with a port, such as \"127.0.0.1:8427\", or a port from 0 to 65535";
            self.wrong(value, format!("`{text}` is not an address"), help);
        }
        address.ok()
    }

    fn rate(&mut self, value: &Spanned<DeValue<'_>>, rate: &mut Rate) {
        let Some(table) = value.get_ref().as_table() else {
            self.expected(value, "a rate such as { per-second = 64, burst = 128 }");
            return;
        };
        for (key, value) in table {
            let place = match key.get_ref().as_ref() {
                "per-second" => &mut rate.per_second,
                "burst" => &mut rate.burst,
                other => {
                    let message = format!("a rate has no `{other}`");
                    self.problems.push((key.span(), message, "it has `per-second` and `burst`".to_owned()));
                    continue;
                }
            };
            if let Some(number) = self.number(value, 1, 100_000_000) {
                *place = u32::try_from(number).unwrap_or(u32::MAX);
            }
        }
    }
}

impl Visitor for Reader<'_> {
    fn section(&mut self, name: &'static str, _about: &'static str) {
        if let Some((_, known)) = self.known.first_mut() {
            known.insert(name);
        }
        let found = self.root.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value);
        self.table = found.and_then(|value| value.get_ref().as_table());
        match (found, self.table) {
            (Some(_), Some(table)) => self.known.push((table, BTreeSet::new())),
            (Some(value), None) => self.expected(value, format!("a section: [{name}]")),
            _ => {}
        }
    }

    fn field(&mut self, key: &'static str, _reload: Reload, _about: &'static str, slot: Slot<'_>) {
        let Some(table) = self.table else { return };
        if let Some((_, known)) = self.known.last_mut() {
            known.insert(key);
        }
        let found = table.iter().find(|(name, _)| name.get_ref() == key);
        let Some((_, value)) = found else { return };
        match slot {
            Slot::Text(place) => *place = self.text(value).map(str::to_owned),
            Slot::Path(place) => *place = self.text(value).map(|text| self.folder.join(text)),
            Slot::Paths(place) => {
                let folder = self.folder;
                *place = self.texts(value).into_iter().map(|(_, text)| folder.join(text)).collect();
            }
            Slot::Listen(place) => *place = self.listen(value),
            Slot::Inspect(place) => {
                *place = match value.get_ref().as_str() {
                    Some("default") => Some(InspectAddress::Default),
                    _ => self.listen(value).map(InspectAddress::At),
                };
            }
            Slot::Addresses(place) => {
                place.clear();
                for (value, text) in self.texts(value) {
                    match text.parse::<SocketAddr>() {
                        Ok(address) => place.push(address),
                        Err(_) => self.wrong(
                            value,
                            format!("`{text}` is not an address"),
                            "give an address with a port, such as \"203.0.113.7:8427\"",
                        ),
                    }
                }
            }
            Slot::Flag(place) => match value.get_ref().as_bool() {
                Some(flag) => *place = flag,
                None => self.expected(value, "true or false"),
            },
            Slot::Seed(place) => *place = self.number(value, 0, u64::MAX),
            Slot::Number(place, least, most) => {
                if let Some(number) = self.number(value, least.into(), most.into()) {
                    *place = u32::try_from(number).unwrap_or(most);
                }
            }
            Slot::Seconds(place) => *place = self.seconds(value).unwrap_or(*place),
            Slot::OptionalSeconds(place) => *place = self.seconds(value),
            Slot::Rate(place) => self.rate(value, place),
            Slot::Choice(_, names, choose) => {
                let Some(text) = self.text(value) else { return };
                match names.iter().position(|name| *name == text) {
                    Some(at) => choose(at),
                    None => {
                        let help = match nearest(text, names.iter().copied()) {
                            Some(near) => format!("did you mean \"{near}\"?"),
                            None => format!("give one of: {}", names.join(", ")),
                        };
                        self.wrong(value, format!("`{text}` is not a value of `{key}`"), help);
                    }
                }
            }
        }
    }
}

/// Prints the settings as a file.
#[derive(Default)]
struct Printer {
    text: String,
    section: Option<&'static str>,
    /// Name, value and whether it is reloaded, of each field.
    fields: Vec<(String, Option<String>, Reload)>,
}

impl Visitor for Printer {
    fn section(&mut self, name: &'static str, about: &'static str) {
        self.section = Some(name);
        let _ = write!(self.text, "\n# {about}\n[{name}]\n");
    }

    fn field(&mut self, key: &'static str, reload: Reload, about: &'static str, slot: Slot<'_>) {
        let listen = |address: &ListenAddress| match address {
            ListenAddress::Address(address) => quoted(&address.to_string()),
            ListenAddress::Port(port) => port.to_string(),
        };
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        let path = |path: &PathBuf| quoted(&path.to_string_lossy());
        let list = |values: Vec<String>| format!("[{}]", values.join(", "));
        let value = match slot {
            Slot::Text(value) => value.as_deref().map(quoted),
            Slot::Path(value) => value.as_ref().map(path),
            Slot::Paths(values) => Some(list(values.iter().map(path).collect())),
            Slot::Listen(value) => value.as_ref().map(listen),
            Slot::Inspect(value) => value.as_ref().map(|value| match value {
                InspectAddress::Default => quoted("default"),
                InspectAddress::At(address) => listen(address),
            }),
            Slot::Addresses(values) => {
                Some(list(values.iter().map(|address| quoted(&address.to_string())).collect()))
            }
            Slot::Flag(value) => Some(value.to_string()),
            Slot::Seed(value) => value.map(|value| value.to_string()),
            Slot::Number(value, ..) => Some(value.to_string()),
            Slot::Seconds(value) => Some(seconds(*value)),
            Slot::OptionalSeconds(value) => value.map(seconds),
            Slot::Rate(rate) => {
                Some(format!("{{ per-second = {}, burst = {} }}", rate.per_second, rate.burst))
            }
            Slot::Choice(at, names, _) => names.get(at).map(|name| quoted(name)),
        };
        let reloaded = if reload == Reload::Yes { " Reloaded by SIGHUP." } else { "" };
        let line = match &value {
            Some(value) => format!("{key} = {value}"),
            None => format!("# {key} ="),
        };
        let _ = write!(self.text, "# {about}{reloaded}\n{line}\n");
        let name = self.section.map_or_else(|| key.to_owned(), |section| format!("{section}.{key}"));
        self.fields.push((name, value, reload));
    }
}

/// A text in quotes; characters that TOML does not allow in it are escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::settings::AccessMode;
    use super::*;

    fn read(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let read = read_text(Path::new("etc/server.toml"), text, &mut settings, Colour::Never);
        read.map(|()| settings).map_err(|problems| problems.to_string())
    }

    #[test]
    fn printed_settings_are_read_back() {
        let mut settings = read(
            "pack = \"packs/spells\"\nlisten = 9000\naccess = \"key\"\nkeys = [\"a.key\", \"b.key\"]\n\
             public = [\"203.0.113.7:8427\", \"[2001:db8::1]:8427\"]\ntemplate = \"Ma\\\"ge\"\nseed = 0xffff_ffff\n\
             for = 1.5\ninspect = \"default\"\n[limits]\nrequests-in-all = { burst = 7 }\nmax-lead = 12\n",
        )
        .unwrap();
        assert_eq!(settings.pack.as_deref(), Some(Path::new("etc/packs/spells")), "relative to the file");
        assert_eq!((settings.access, settings.keys.len()), (AccessMode::Key, 2));
        assert_eq!((settings.seed, settings.limits.max_lead), (Some(0xffff_ffff), 12));
        assert_eq!(settings.limits.requests_in_all, Rate::new(2000, 7));
        // Paths are relative to the file, so they are printed with its folder.
        settings.pack = Some("/packs".into());
        settings.keys = vec!["/a".into()];
        assert_eq!(read(&print(&settings)), Ok(settings));
        assert_eq!(read(&print(&Settings::default())), Ok(Settings::default()));
        assert_eq!(read(""), Ok(Settings::default()));
    }

    #[test]
    fn all_problems_are_reported_with_their_places() {
        let problems = read(
            "max-client = 5\ntick-rate = 0\naccess = \"keyd\"\nallow-edit = 1\n\n[limits]\nrequests-in-all = 5\n\
             session-timeout = -1\nfoo = 2\n",
        )
        .unwrap_err();
        for (place, message, help) in [
            ("server.toml:1:1", "there is no setting `max-client`", "did you mean `max-clients`?"),
            ("server.toml:2:13", "out of range", "from 1 to 1000"),
            ("server.toml:3:10", "`keyd` is not a value of `access`", "did you mean \"key\"?"),
            ("server.toml:4:14", "expected true or false", "this is an integer"),
            ("server.toml:7:19", "expected a rate", "this is an integer"),
            ("server.toml:8:19", "out of range", "give 0 to 1000000000 seconds"),
            ("server.toml:9:1", "there is no setting `foo`", "--print-config"),
        ] {
            assert!(problems.contains(place), "{place}: {problems}");
            assert!(problems.contains(message) && problems.contains(help), "{message}: {problems}");
        }
        assert!(problems.contains("7 problems"), "{problems}");
        let syntax = read("max-clients = \n").unwrap_err();
        assert!(syntax.contains("server.toml:1:") && syntax.contains("toml.io"), "{syntax}");
    }

    #[test]
    fn differences_say_what_is_reloaded() {
        let old = Settings::default();
        let mut new = Settings { tick_rate: 30, max_clients: 5, ..Settings::default() };
        new.limits.datagrams_per_poll = 1;
        let differences = differences(&old, &new);
        let expected = [
            ("max-clients", Reload::No),
            ("tick-rate", Reload::No),
            ("limits.datagrams-per-poll", Reload::Yes),
        ];
        assert_eq!(differences, expected.map(|(name, reload)| (name.to_owned(), reload)));
    }
}
