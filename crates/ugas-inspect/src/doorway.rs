//! Where connections come in: room for so many, and none for those who come and say nothing.

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

/// Places for those who fetch files or have not said yet what they want, beside those who watch.
const PLACES: usize = 48;

/// How long a connection lasts that does not become one of those who watch.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lets in as many as there is room for; others wait in the system's queue. Files and memory that the game needs are not
/// taken up by strangers.
pub(crate) struct Doorway {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

impl Doorway {
    pub(crate) fn new(listener: TcpListener, watchers: usize) -> Self {
        let places = watchers.saturating_add(PLACES).min(Semaphore::MAX_PERMITS);
        Self { listener, room: Arc::new(Semaphore::new(places)) }
    }
}

impl Listener for Doorway {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // Nobody closes the semaphore, so that there is a place at some time.
        let place = Arc::clone(&self.room).acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let leave = Box::pin(tokio::time::sleep(PATIENCE));
        (Guest { stream, leave, pass: Pass::default(), _place: place }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// Whether a connection may stay.
#[derive(Clone, Default)]
pub(crate) struct Pass(Arc<AtomicBool>);

impl Pass {
    /// It watches now.
    pub(crate) fn grant(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_granted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Connected<IncomingStream<'_, Doorway>> for Pass {
    fn connect_info(stream: IncomingStream<'_, Doorway>) -> Self {
        stream.io().pass.clone()
    }
}

/// A connection, which takes up a place until it ends.
pub(crate) struct Guest {
    stream: TcpStream,
    leave: Pin<Box<Sleep>>,
    pass: Pass,
    _place: Option<OwnedSemaphorePermit>,
}

impl Guest {
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        let is_late = !self.pass.is_granted() && self.leave.as_mut().poll(context).is_ready();
        if is_late { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

impl AsyncRead for Guest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Guest {
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
