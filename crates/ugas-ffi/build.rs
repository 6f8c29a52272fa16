//! Gives the shared library a name of its own: a program that is linked with the path of one that has none needs it at that
//! path for ever.
#![allow(clippy::print_stdout, reason = "cargo is told so")]

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
