//! [`BackgroundFile`]: a file that is written by a thread of its own, so that a slow disk never delays a tick.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Maximum number of bytes that wait for the disk: minutes of a match. Beyond it, writing fails.
const MAX_WAITING: usize = 64 << 20;
/// Maximum number of pieces that wait.
const QUEUE: usize = 1 << 16;
/// Error of a disk that does not keep up.
const TOO_SLOW: &str = "the disk is too slow: too much waits to be written";

/// A file that a thread writes and syncs at intervals.
pub(super) struct BackgroundFile {
    queue: Option<SyncSender<Box<[u8]>>>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Whether the disk was too slow.
    is_given_up: bool,
}

#[derive(Default)]
struct Shared {
    /// Bytes that wait.
    waiting: AtomicUsize,
    /// The first error of the disk.
    error: Mutex<Option<(io::ErrorKind, String)>>,
}

/// A file that can be synced; tests have one that blocks or fails.
pub(super) trait Sync {
    /// Returns when everything written is safe.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sync for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

impl BackgroundFile {
    /// Creates a new file, with a number in its name if one with this name exists: nothing is overwritten.
    ///
    /// # Errors
    /// If no file can be created.
    pub(super) fn create(file: &Path, sync_every: Duration) -> io::Result<(Self, PathBuf)> {
        let mut created = file.to_owned();
        for number in 2.. {
            match OpenOptions::new().write(true).create_new(true).open(&created) {
                Ok(opened) => return Ok((Self::to(opened, sync_every)?, created)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100_000 => {
                    created = numbered(file, number);
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn to(output: impl Write + Sync + Send + 'static, sync_every: Duration) -> io::Result<Self> {
        let (queue, pieces) = sync_channel(QUEUE);
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new().name("ugas-record".to_owned()).spawn(move || {
            if let Err(error) = write(output, &pieces, sync_every, &of_thread) {
                let mut first = of_thread.error.lock().unwrap_or_else(PoisonError::into_inner);
                *first = Some((error.kind(), error.to_string()));
            }
        })?;
        Ok(Self { queue: Some(queue), shared, thread: Some(thread), is_given_up: false })
    }

    /// The first error of the disk, if there was one.
    fn failed(&self) -> io::Result<()> {
        // The thread holds the lock only while it stores the error.
        match self.shared.error.try_lock().as_deref() {
            Ok(Some((kind, text))) => Err(io::Error::new(*kind, text.clone())),
            _ => Ok(()),
        }
    }

    /// Writes nothing more because the disk is too slow. The thread ends by itself once it has written what waits:
    /// nobody waits for it.
    fn give_up(&mut self) -> io::Error {
        (self.queue, self.thread) = (None, None);
        self.is_given_up = true;
        io::Error::other(TOO_SLOW)
    }

    /// Waits until everything is safe on the disk; not for a disk that was too slow.
    ///
    /// # Errors
    /// If something could not be written.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if self.is_given_up {
            return Err(io::Error::other(TOO_SLOW));
        }
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            return Err(io::Error::other("the thread that writes the file has failed"));
        }
        self.failed()
    }
}

impl Write for BackgroundFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.failed()?;
        let queue = self.queue.as_ref().ok_or_else(|| io::Error::other("the file is finished"))?;
        let waiting = self.shared.waiting.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        if waiting > MAX_WAITING || queue.try_send(bytes.into()).is_err() {
            self.failed()?;
            return Err(self.give_up());
        }
        Ok(bytes.len())
    }

    /// Reports errors of earlier writes; does not wait.
    fn flush(&mut self) -> io::Result<()> {
        self.failed()
    }
}

impl Drop for BackgroundFile {
    /// Waits until everything is written, so that a server that ends in order leaves a whole file.
    fn drop(&mut self) {
        let _ = self.finish();
    }
}

/// Writes pieces as they come, and syncs at intervals and at the end.
fn write(
    mut output: impl Write + Sync,
    pieces: &Receiver<Box<[u8]>>,
    sync_every: Duration,
    shared: &Shared,
) -> io::Result<()> {
    let mut next_sync = Instant::now() + sync_every;
    let mut is_dirty = false;
    loop {
        match pieces.recv_timeout(next_sync.saturating_duration_since(Instant::now())) {
            Ok(piece) => {
                output.write_all(&piece)?;
                shared.waiting.fetch_sub(piece.len(), Ordering::Relaxed);
                is_dirty = true;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                output.flush()?;
                return output.sync();
            }
        }
        if Instant::now() >= next_sync {
            if is_dirty {
                output.sync()?;
                is_dirty = false;
            }
            next_sync = Instant::now() + sync_every.max(Duration::from_millis(10));
        }
    }
}

/// `match.ugasrec` with the number 2 is `match-2.ugasrec`.
fn numbered(file: &Path, number: u32) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = match file.extension() {
        Some(extension) => format!("{stem}-{number}.{}", extension.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    file.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// A disk that writes a piece whenever it is allowed to, and fails after some.
    struct SlowDisk {
        allowed: Receiver<()>,
        left: usize,
        synced: Sender<usize>,
        written: usize,
    }

    impl Write for SlowDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.allowed.recv();
            self.left = self.left.checked_sub(1).ok_or_else(|| io::Error::other("the disk is full"))?;
            self.written += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sync for SlowDisk {
        fn sync(&mut self) -> io::Result<()> {
            let _ = self.synced.send(self.written);
            Ok(())
        }
    }

    fn disk(left: usize) -> (Sender<()>, Receiver<usize>, BackgroundFile) {
        let ((allow, allowed), (synced, syncs)) = (channel(), channel());
        let disk = SlowDisk { allowed, left, synced, written: 0 };
        (allow, syncs, BackgroundFile::to(disk, Duration::from_millis(10)).unwrap())
    }

    #[test]
    fn stuck_disk_blocks_nobody_and_memory_is_bounded() {
        let (allow, _syncs, mut file) = disk(usize::MAX);
        let piece = vec![0; 1 << 20];
        let written = (0..100).take_while(|_| file.write(&piece).is_ok()).count();
        // 64 MiB wait; the disk has taken nothing.
        assert_eq!(written, 64);
        let error = file.finish().unwrap_err();
        assert!(error.to_string().contains("too slow"), "{error}");
        assert!(file.write(&piece).is_err());
        drop(file); // returns although the disk is stuck
        drop(allow);
    }

    #[test]
    fn everything_is_synced_while_writing_and_at_the_end() {
        let (allow, syncs, mut file) = disk(usize::MAX);
        file.write_all(b"12345").unwrap();
        allow.send(()).unwrap();
        assert_eq!(syncs.recv_timeout(Duration::from_secs(60)), Ok(5), "while the file is open");
        file.write_all(b"678").unwrap();
        drop(allow);
        drop(file);
        assert_eq!(syncs.into_iter().last(), Some(8));
    }

    #[test]
    fn full_disk_is_reported_by_a_later_write() {
        let (allow, _syncs, mut file) = disk(1);
        drop(allow);
        let failed = (0..1_000_000).find_map(|_| file.write(b"x").err());
        assert!(failed.is_some_and(|error| error.to_string().contains("the disk is full")));
    }

    #[test]
    fn existing_files_are_never_overwritten() {
        let folder = std::env::temp_dir().join(format!("ugas-background-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("match.ugasrec");
        for (content, expected) in
            [("a", "match.ugasrec"), ("b", "match-2.ugasrec"), ("c", "match-3.ugasrec")]
        {
            let (mut written, created) = BackgroundFile::create(&file, Duration::from_secs(1)).unwrap();
            assert_eq!(created, folder.join(expected));
            written.write_all(content.as_bytes()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "a");
        assert_eq!(std::fs::read_to_string(folder.join("match-3.ugasrec")).unwrap(), "c");
    }
}
