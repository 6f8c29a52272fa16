//! Secrets and lists of a server: keys of tokens, banned players, and used tokens.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};
use ugas_core::random::stable_name_hash;
use ugas_transport::{BanList, BannedNetwork, ServerKey, UsedToken};

use super::settings::Settings;
use crate::{input, names, online, output};

/// Environment variables with the key of a server, and with its former key during a rotation.
const KEY_VARIABLES: [&str; 2] = ["UGAS_SERVER_KEY", "UGAS_SERVER_KEY_OLD"];
/// Maximum number of valid keys: the current one and the former one.
const MAX_KEYS: usize = 2;
/// Maximum size of a ban list in bytes.
const MAX_BAN_BYTES: u64 = 16 << 20;
/// Maximum size of a file of used tokens in bytes: more tokens than a server remembers.
const MAX_USED_BYTES: u64 = 64 << 20;

/// The keys of accepted tokens: those of the files, or those of the environment.
///
/// # Errors
/// If one cannot be read, or there are more than two.
pub(super) fn keys(settings: &Settings) -> anyhow::Result<Vec<ServerKey>> {
    let mut keys = Vec::new();
    for file in &settings.keys {
        keys.push(ServerKey::read_file(file).with_context(|| format!("`{}`", file.display()))?);
    }
    if keys.is_empty() {
        for variable in KEY_VARIABLES {
            // The value must not appear in a message.
            let Ok(text) = std::env::var(variable) else { continue };
            keys.push(
                ServerKey::from_text(&text)
                    .with_context(|| format!("the environment variable {variable}"))?,
            );
        }
    }
    ensure!(
        keys.len() <= MAX_KEYS,
        "at most {MAX_KEYS} keys can be valid at a time, the current one and the former one: \
         leave out the oldest"
    );
    Ok(keys)
}

/// Creates the file of the first key if it is missing.
pub(super) fn create_key(settings: &Settings) -> anyhow::Result<()> {
    let Some(file) = settings.keys.first().filter(|file| !file.exists()) else { return Ok(()) };
    let shown = file.display();
    ServerKey::create_file(file).with_context(|| format!("`{shown}` cannot be written"))?;
    eprintln!("created a new key in `{shown}`: keep it secret, and do not lose it");
    Ok(())
}

/// Banned players and addresses.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Bans {
    /// For the transport: addresses, and the peers of tokens with banned names.
    pub(super) transport: BanList,
    /// Banned names, as they look.
    names: Vec<String>,
}

impl Bans {
    /// Reads a ban list: on each line an address, a network such as `203.0.113.0/24`, or `name` and a
    /// player's name; empty lines and comments from `#` on.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is none of these.
    pub(super) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = String::from_utf8(input::read(file, MAX_BAN_BYTES)?)
            .with_context(|| format!("`{}` is not UTF-8", file.display()))?;
        let mut bans = Self::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let place = || format!("{}:{}", file.display(), at + 1);
            if let Some(name) = line.strip_prefix("name ") {
                let name =
                    online::player_name(name.trim()).map_err(|why| anyhow::anyhow!("{}: {why}", place()))?;
                bans.ban_name(&name);
            } else {
                let network: Result<BannedNetwork, _> = line.parse();
                match network {
                    Ok(network) => bans.transport.ban_network(network),
                    Err(why) => bail!("{}: `{line}`: {why}; ban a player with `name NAME`", place()),
                }
            }
        }
        Ok(bans)
    }

    /// Bans a name: its tokens, and names that look like it.
    pub(super) fn ban_name(&mut self, name: &str) {
        self.transport.ban_peer(stable_name_hash(name));
        self.names.push(names::skeleton(name));
    }

    /// Whether a name is banned, or looks like a banned one.
    pub(super) fn contains_name(&self, name: &str) -> bool {
        self.names.contains(&names::skeleton(name))
    }
}

/// The file in which used tokens are remembered: a line for each is appended and synced.
pub(super) struct UsedTokenFile {
    file: PathBuf,
}

impl UsedTokenFile {
    /// Reads the tokens that have not expired, and writes the file again without the others.
    ///
    /// # Errors
    /// If the file cannot be read or written. A cut last line is ignored.
    pub(super) fn open(file: &Path) -> anyhow::Result<(Self, Vec<UsedToken>)> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let tokens = match file.exists() {
            true => Self::read(file, now)?,
            false => Vec::new(),
        };
        let lines: String = tokens.iter().map(|token| format!("{token}\n")).collect();
        output::write_file(file, lines)?;
        Ok((Self { file: file.to_owned() }, tokens))
    }

    fn read(file: &Path, now: Duration) -> anyhow::Result<Vec<UsedToken>> {
        let text = input::read(file, MAX_USED_BYTES)?;
        let text = String::from_utf8_lossy(&text);
        let mut tokens = Vec::new();
        for (at, line) in text.lines().enumerate() {
            match UsedToken::from_text(line) {
                Some(token) if token.expires() > now => tokens.push(token),
                Some(_) => {}
                None if at + 1 == text.lines().count() => {}
                None => bail!(
                    "{}:{}: this is not a used token: give another file with --used-tokens",
                    file.display(),
                    at + 1
                ),
            }
        }
        Ok(tokens)
    }

    /// Remembers tokens on the disk.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn append(&self, tokens: &[UsedToken]) -> anyhow::Result<()> {
        let lines: String = tokens.iter().map(|token| format!("{token}\n")).collect();
        let append = || {
            let mut file = OpenOptions::new().append(true).create(true).open(&self.file)?;
            file.write_all(lines.as_bytes())?;
            file.sync_data()
        };
        append().with_context(|| format!("`{}` cannot be written", self.file.display()))
    }
}

/// Warns if others can read the file of a key.
#[cfg(unix)]
pub(super) fn warn_about_permissions(settings: &Settings) {
    use std::os::unix::fs::PermissionsExt;
    for file in &settings.keys {
        if fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0) {
            let shown = file.display();
            tracing::warn!(event = "key", "other users can read the key `{shown}`: run `chmod 600 {shown}`");
        }
    }
}

#[cfg(not(unix))]
pub(super) fn warn_about_permissions(_settings: &Settings) {
    let _ = fs::metadata;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("ugas-access-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn ban_list_has_addresses_networks_and_names() {
        let file = folder("bans").join("bans.txt");
        fs::write(&file, "# cheats\n203.0.113.7\n2001:db8::/32  # a network\n\nname Eve\n").unwrap();
        let bans = Bans::read(&file).unwrap();
        assert!(bans.transport.contains_address("203.0.113.7".parse().unwrap()));
        assert!(bans.transport.contains_address("2001:db8::9".parse().unwrap()));
        assert!(bans.transport.contains("192.0.2.1".parse().unwrap(), stable_name_hash("Eve")));
        // The second begins with a Cyrillic letter.
        assert!(bans.contains_name("Eve") && bans.contains_name("\u{415}ve") && !bans.contains_name("Eva"));
        fs::write(&file, "203.0.113.7\nEve\n").unwrap();
        let problem = format!("{:#}", Bans::read(&file).unwrap_err());
        assert!(problem.contains("bans.txt:2: `Eve`") && problem.contains("name NAME"), "{problem}");
    }

    #[test]
    fn used_tokens_survive_a_restart_and_a_cut_line() {
        let file = folder("used").join("used-tokens");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let token = |expires: u64, letter: &str| format!("{expires} {}", letter.repeat(22));
        let line = |text: &str| UsedToken::from_text(text).unwrap();
        let (fresh, old) = (token(now + 60, "A"), token(now - 60, "Q"));
        fs::write(&file, format!("{old}\n{fresh}\n{}", &fresh[..fresh.len() - 5])).unwrap();
        let (used, tokens) = UsedTokenFile::open(&file).unwrap();
        assert_eq!(tokens, [line(&fresh)]);
        used.append(&[line(&token(now + 90, "g"))]).unwrap();
        assert_eq!(UsedTokenFile::open(&file).unwrap().1.len(), 2);
        fs::write(&file, "keep me\nand me\n").unwrap();
        assert!(UsedTokenFile::open(&file).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "keep me\nand me\n");
    }
}
