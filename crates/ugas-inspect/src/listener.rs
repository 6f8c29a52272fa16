//! The TCP listener: limits the number of connections, and closes those that do not become watchers in time.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

/// Connections, in addition to the watchers, that fetch files or have not sent a request yet.
const MAX_OTHERS: usize = 48;

/// Maximum lifetime of a connection that does not become a watcher.
const MAX_LIFETIME: Duration = Duration::from_secs(5);

/// Accepts connections up to a limit; others wait in the system's queue. So strangers cannot exhaust the file
/// descriptors and memory that the game needs.
pub(crate) struct LimitedListener {
    listener: TcpListener,
    permits: Arc<Semaphore>,
}

impl LimitedListener {
    /// Listener that accepts so many watchers, and [`MAX_OTHERS`] other connections; further ones wait.
    pub(crate) fn new(listener: TcpListener, watchers: usize) -> Self {
        let permits = watchers.saturating_add(MAX_OTHERS).min(Semaphore::MAX_PERMITS);
        Self { listener, permits: Arc::new(Semaphore::new(permits)) }
    }
}

impl Listener for LimitedListener {
    type Io = LimitedStream;
    type Addr = SocketAddr;

    /// Accepts a connection once one of the permits is free. It keeps the permit until it is closed.
    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // Never `None`: nobody closes the semaphore.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let deadline = Box::pin(tokio::time::sleep(MAX_LIFETIME));
        (LimitedStream { stream, deadline, watcher: WatcherFlag::default(), _permit: permit }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// Flag of a connection: set once it watches, which lifts the limit of its lifetime.
#[derive(Clone, Default)]
pub(crate) struct WatcherFlag(Arc<AtomicBool>);

impl WatcherFlag {
    /// Marks the connection as a watcher, which may stay open for any time.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Connected<IncomingStream<'_, LimitedListener>> for WatcherFlag {
    /// Flag of the connection for its handlers, which set it when the connection becomes a watcher.
    fn connect_info(stream: IncomingStream<'_, LimitedListener>) -> Self {
        stream.io().watcher.clone()
    }
}

/// A connection. It holds its permit until it ends.
pub(crate) struct LimitedStream {
    stream: TcpStream,
    deadline: Pin<Box<Sleep>>,
    watcher: WatcherFlag,
    _permit: Option<OwnedSemaphorePermit>,
}

impl LimitedStream {
    /// Fails with a timeout if the connection is open for too long and is not a watcher, so that idle
    /// connections do not use up the permits.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let is_late = !self.watcher.is_set() && self.deadline.as_mut().poll(context).is_ready();
        if is_late { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
