//! Lays out a folder for hosts in C: headers, libraries, files for pkg-config and CMake, examples, licences.
//!
//! `cargo run -p ugas-ffi --example sdk -- OUT_DIR [LIBRARY_DIR]` builds the libraries, unless the folder that
//! has them is given. `--without net` and `--without replay` build them without that part.
#![allow(clippy::print_stdout, reason = "the example prints its result")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARIES: [&str; 6] = [
    "libugas_ffi.so",
    "libugas_ffi.dylib",
    "libugas_ffi.a",
    "ugas_ffi.dll",
    "ugas_ffi.dll.lib",
    "ugas_ffi.lib",
];

/// Files to copy: path in this crate, path in the SDK.
const FILES: [(&str, &str); 17] = [
    ("include/ugas.h", "include/ugas.h"),
    ("include/ugas.json", "include/ugas.json"),
    ("include/ugas.hpp", "include/ugas.hpp"),
    ("include/ugas_net.hpp", "include/ugas_net.hpp"),
    ("examples/duel.yaml", "examples/duel.yaml"),
    ("examples/c/fight.c", "examples/c/fight.c"),
    ("examples/c/network.c", "examples/c/network.c"),
    ("examples/hooks.yaml", "examples/hooks.yaml"),
    ("examples/c/hooks.c", "examples/c/hooks.c"),
    ("examples/cpp/results.cpp", "examples/cpp/results.cpp"),
    ("examples/cpp/fight.cpp", "examples/cpp/fight.cpp"),
    ("examples/cpp/network.cpp", "examples/cpp/network.cpp"),
    ("examples/python/fight.py", "examples/python/fight.py"),
    ("examples/python/network.py", "examples/python/network.py"),
    ("../../LICENSE-MIT", "LICENSE-MIT"),
    ("../../LICENSE-APACHE", "LICENSE-APACHE"),
    ("../../docs/book/tools/c.md", "README.md"),
];

/// Template files in which `@VERSION@` is replaced.
const TEMPLATES: [(&str, &str); 3] = [
    ("packaging/ugas.pc.in", "lib/pkgconfig/ugas.pc"),
    ("packaging/ugas-config.cmake.in", "lib/cmake/ugas/ugas-config.cmake"),
    ("packaging/ugas-config-version.cmake.in", "lib/cmake/ugas/ugas-config-version.cmake"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { out, libraries, features } = Arguments::parse(std::env::args().skip(1))?;
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let libraries = match libraries {
        Some(folder) => folder,
        None => build(crate_folder, &features)?,
    };
    for (from, to) in FILES {
        write(&out.join(to), &fs::read(crate_folder.join(from))?)?;
    }
    for (from, to) in TEMPLATES {
        let text = fs::read_to_string(crate_folder.join(from))?;
        write(&out.join(to), text.replace("@VERSION@", env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    let mut copied = Vec::new();
    for name in LIBRARIES {
        let from = libraries.join(name);
        if from.exists() {
            install(&out.join("lib"), name, &fs::read(&from)?)?;
            copied.push(name);
        }
    }
    if copied.is_empty() {
        return Err(format!("no library found in {}", libraries.display()).into());
    }
    println!("{} has {}", out.display(), copied.join(", "));
    Ok(())
}

const USAGE: &str =
    "cargo run -p ugas-ffi --example sdk -- OUT_DIR [LIBRARY_DIR] [--without net] [--without replay]";

struct Arguments {
    out: PathBuf,
    libraries: Option<PathBuf>,
    features: Vec<&'static str>,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut folders, mut features) = (Vec::new(), vec!["net", "replay"]);
        while let Some(argument) = arguments.next() {
            if argument == "--without" {
                let part = arguments.next().unwrap_or_default();
                let Some(at) = features.iter().position(|feature| *feature == part) else {
                    return Err(format!("--without takes net or replay, each once, not \"{part}\": {USAGE}"));
                };
                features.remove(at);
            } else if argument.starts_with('-') {
                return Err(format!("unknown option {argument}: {USAGE}"));
            } else {
                folders.push(PathBuf::from(argument));
            }
        }
        let mut folders = folders.into_iter();
        let Some(out) = folders.next() else { return Err(format!("missing argument OUT_DIR: {USAGE}")) };
        let libraries = folders.next();
        match folders.next() {
            Some(folder) => Err(format!("unexpected argument {}: {USAGE}", folder.display())),
            None => Ok(Self { out, libraries, features }),
        }
    }
}

/// Writes a library: a shared one under its soname, to which the name for the linker is a link.
fn install(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let version = env!("UGAS_SONAME_VERSION");
    let soname = match name {
        "libugas_ffi.so" => format!("libugas_ffi.so.{version}"),
        "libugas_ffi.dylib" => format!("libugas_ffi.{version}.dylib"),
        _ => return write(&folder.join(name), bytes),
    };
    write(&folder.join(&soname), bytes)?;
    let link = folder.join(name);
    if link.symlink_metadata().is_ok() {
        fs::remove_file(&link)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(&soname, &link)?;
    #[cfg(not(unix))]
    write(&link, bytes)?;
    Ok(())
}

/// Builds the libraries by the profile `sdk`, without symbols, and returns their folder. Without the Rust library, which
/// hosts in C do not need: optimisation across crates excludes it.
fn build(crate_folder: &Path, features: &[&str]) -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["rustc", "--profile", "sdk", "--locked", "--package", "ugas-ffi", "--lib"])
        .args(["--no-default-features", "--features", &features.join(",")])
        .args(["--crate-type", "cdylib,staticlib", "--", "-C", "strip=symbols"])
        .current_dir(crate_folder)
        .status()?;
    if !status.success() {
        return Err("the library could not be built".into());
    }
    // This example is in `TARGET/PROFILE/examples`.
    let own = std::env::current_exe()?;
    let target = own.ancestors().nth(3).ok_or("this program is not in a target folder")?;
    Ok(target.join("sdk"))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()).into())
}
