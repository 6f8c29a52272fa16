//! The embedded files of the page. No other files are served.

/// A file of the page: its path in URLs, its content type, and its text.
pub(crate) struct File {
    path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! files {
    ($($path:literal => $kind:literal, $file:literal;)*) => {
        &[$(File { path: $path, kind: $kind, text: include_str!(concat!("../../../web/inspector/", $file)) }),*]
    };
}

const FILES: &[File] = files! {
    "/" => "text/html; charset=utf-8", "index.html";
    "/style.css" => "text/css; charset=utf-8", "style.css";
    "/icon.svg" => "image/svg+xml", "icon.svg";
    "/app.js" => "text/javascript; charset=utf-8", "app.js";
    "/connection.js" => "text/javascript; charset=utf-8", "connection.js";
    "/elements.js" => "text/javascript; charset=utf-8", "elements.js";
    "/world.js" => "text/javascript; charset=utf-8", "world.js";
    "/controller.js" => "text/javascript; charset=utf-8", "controller.js";
    "/explain.js" => "text/javascript; charset=utf-8", "explain.js";
    "/timeline.js" => "text/javascript; charset=utf-8", "timeline.js";
    "/scrubber.js" => "text/javascript; charset=utf-8", "scrubber.js";
    "/network.js" => "text/javascript; charset=utf-8", "network.js";
    "/console.js" => "text/javascript; charset=utf-8", "console.js";
};

/// The file at a path. Paths are compared as a whole, so none leads outside the list.
pub(crate) fn file(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}
