//! The log of a server. Lines go to a thread of their own through a bounded queue: a slow, stuck or closed
//! standard output never delays a tick. Lines that find the queue full are dropped and counted.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::ValueEnum;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry, reload};

/// Maximum number of lines that wait.
const QUEUE: usize = 4096;
/// How long the end of the program waits for the last lines.
const PATIENCE: Duration = Duration::from_millis(500);

/// Format of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(super) enum LogFormat {
    /// Lines for people, with the seconds since the start
    #[default]
    Text,
    /// One JSON object on each line
    Json,
}

impl LogFormat {
    pub(super) const ALL: [Self; 2] = [Self::Text, Self::Json];
    pub(super) const NAMES: [&str; 2] = ["text", "json"];
}

/// Least severe messages of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(super) enum LogLevel {
    /// Failures
    Error,
    /// Refusals and rejections, too
    Warn,
    /// Joins, leaves and reloads, too
    #[default]
    Info,
    /// Deaths and connections, too
    Debug,
}

impl LogLevel {
    pub(super) const ALL: [Self; 4] = [Self::Error, Self::Warn, Self::Info, Self::Debug];
    pub(super) const NAMES: [&str; 4] = ["error", "warn", "info", "debug"];

    fn filter(self) -> LevelFilter {
        match self {
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
        }
    }
}

/// The log of the process.
#[derive(Clone)]
pub(super) struct Log {
    lines: LineQueue,
    format: LogFormat,
    level: reload::Handle<LevelFilter, Registry>,
}

impl Log {
    /// Starts the log, to which all events of the program go from now on.
    ///
    /// # Errors
    /// If the program has a log already, or no thread can be started.
    pub(super) fn start(format: LogFormat, level: LogLevel) -> anyhow::Result<Self> {
        let lines = LineQueue::to(Box::new(io::stdout()))?;
        let (filter, handle) = reload::Layer::new(level.filter());
        let layer = tracing_subscriber::fmt::layer().with_writer(lines.clone());
        let layer = match format {
            LogFormat::Text => layer.event_format(TextLines { start: Instant::now() }).boxed(),
            LogFormat::Json => layer.json().flatten_event(true).with_current_span(false).boxed(),
        };
        let subscriber = Registry::default().with(layer.with_filter(filter));
        tracing::subscriber::set_global_default(subscriber).context("the log cannot be started")?;
        Ok(Self { lines, format, level: handle })
    }

    /// Prints lines that are not messages, such as the address at the start and the summary at the end; as
    /// messages if the log is JSON.
    pub(super) fn print(&self, text: &str) {
        match self.format {
            LogFormat::Text => self.lines.push(text.as_bytes()),
            LogFormat::Json => text.lines().for_each(|line| tracing::info!("{line}")),
        }
    }

    /// Changes the level.
    pub(super) fn set_level(&self, level: LogLevel) {
        // Only fails if the log is gone.
        let _ = self.level.modify(|filter| *filter = level.filter());
    }

    /// The number of lines that were dropped or could not be written.
    pub(super) fn lost(&self) -> u64 {
        self.lines.lost.load(Ordering::Relaxed)
    }

    /// Writes what waits, as far as that is possible in half a second.
    pub(super) fn finish(&self) {
        self.lines.finish(PATIENCE);
    }
}

/// A bounded queue of lines, and the thread that writes them.
#[derive(Clone)]
struct LineQueue {
    queue: SyncSender<Message>,
    lost: Arc<AtomicU64>,
}

enum Message {
    Lines(Box<[u8]>),
    /// Everything before this was written.
    Flush(Sender<()>),
}

impl LineQueue {
    fn to(output: Box<dyn Write + Send>) -> io::Result<Self> {
        let (queue, messages) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&lost);
        thread::Builder::new()
            .name("ugas-log".to_owned())
            .spawn(move || write(output, &messages, &counter))?;
        Ok(Self { queue, lost })
    }

    /// Queues lines; counts them as lost if the queue is full. Never waits.
    fn push(&self, lines: &[u8]) {
        if self.queue.try_send(Message::Lines(lines.into())).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything is written, at most for a time.
    fn finish(&self, patience: Duration) {
        let end = Instant::now() + patience;
        let (sender, done) = channel();
        let mut message = Message::Flush(sender);
        while let Err(TrySendError::Full(back)) = self.queue.try_send(message) {
            if Instant::now() >= end {
                return;
            }
            message = back;
            thread::sleep(Duration::from_millis(5));
        }
        let _ = done.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

/// Writes queued lines until all senders are gone. A closed output loses them, and is counted.
fn write(mut output: Box<dyn Write + Send>, messages: &Receiver<Message>, lost: &AtomicU64) {
    for message in messages {
        match message {
            Message::Lines(lines) => {
                if output.write_all(&lines).and_then(|()| output.flush()).is_err() {
                    lost.fetch_add(1, Ordering::Relaxed);
                }
            }
            Message::Flush(done) => drop(done.send(())),
        }
    }
}

/// A line while it is written; queued as one.
struct QueuedLine<'a> {
    queue: &'a LineQueue,
    bytes: Vec<u8>,
}

impl Write for QueuedLine<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for QueuedLine<'_> {
    fn drop(&mut self) {
        self.queue.push(&self.bytes);
    }
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = QueuedLine<'a>;

    fn make_writer(&'a self) -> QueuedLine<'a> {
        QueuedLine { queue: self, bytes: Vec::new() }
    }
}

/// Lines for people: seconds since the start, a sign for the kind of message, and the message. Its fields are
/// only in JSON.
struct TextLines {
    start: Instant,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>, N: for<'a> FormatFields<'a> + 'static> FormatEvent<S, N>
    for TextLines
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut fields = TextFields::default();
        event.record(&mut fields);
        let sign = match (fields.event.as_str(), *event.metadata().level()) {
            ("joined", _) => "+ ",
            ("left", _) => "- ",
            (_, Level::ERROR | Level::WARN) => "! ",
            (_, Level::DEBUG | Level::TRACE) => "  ",
            _ => "",
        };
        writeln!(out, "{:8.2} s  {sign}{}", self.start.elapsed().as_secs_f64(), fields.message)
    }
}

#[derive(Default)]
struct TextFields {
    message: String,
    event: String,
}

impl Visit for TextFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "event" {
            value.clone_into(&mut self.event);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// An output that blocks until it is released, like a terminal that was stopped.
    struct Stuck(Receiver<()>, Arc<Mutex<Vec<u8>>>);

    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            self.1.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn stuck_output_loses_lines_and_blocks_nobody() {
        let (release, stuck) = channel();
        let written = Arc::new(Mutex::new(Vec::new()));
        let lines = LineQueue::to(Box::new(Stuck(stuck, Arc::clone(&written)))).unwrap();
        // Would never end if a line waited for the output.
        for _ in 0..QUEUE + 100 {
            lines.push(b"x\n");
        }
        // One line may be on its way to the output.
        assert!((99..=100).contains(&lines.lost.load(Ordering::Relaxed)));
        lines.finish(Duration::ZERO);
        assert!(written.lock().unwrap().is_empty());
        drop(release);
        lines.finish(Duration::from_secs(60));
        assert!(written.lock().unwrap().len() >= 2 * QUEUE);
    }

    #[test]
    fn closed_output_is_counted() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let lines = LineQueue::to(Box::new(Closed)).unwrap();
        lines.push(b"x\n");
        lines.push(b"y\n");
        lines.finish(Duration::from_secs(60));
        assert_eq!(lines.lost.load(Ordering::Relaxed), 2);
    }
}
