//! Sets the soname (install name on macOS) of the shared library. Without one, a program linked by path would
//! look for the library at that same path forever.
#![allow(clippy::print_stdout, reason = "build scripts talk to cargo on stdout")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match system.as_str() {
        "linux" | "android" | "freebsd" | "netbsd" | "openbsd" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libugas_ffi.so");
        }
        "macos" => println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libugas_ffi.dylib"),
        _ => {}
    }
}
