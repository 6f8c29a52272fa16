//! Sets the soname (install name on macOS) of the shared library, with the version of the interface. Without a name, a
//! program linked by path would look for the library at that same path forever; without a version, it would start with
//! a library of another interface.
#![allow(clippy::print_stdout, reason = "build scripts talk to cargo on stdout")]

/// `UGAS_ABI_VERSION`; a test compares the two.
const ABI_VERSION: u32 = 1;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=UGAS_SONAME_VERSION={ABI_VERSION}");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match system.as_str() {
        "linux" | "android" | "freebsd" | "netbsd" | "openbsd" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libugas_ffi.so.{ABI_VERSION}");
        }
        "macos" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libugas_ffi.{ABI_VERSION}.dylib");
        }
        _ => {}
    }
}
