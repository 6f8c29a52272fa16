//! The UDP socket, which blocks only in [`wait`].

use std::io::{self, ErrorKind, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use quinn_udp::{BATCH_SIZE, RecvMeta, UdpSockRef, UdpSocketState};
use socket2::{Domain, Protocol, Socket, Type};

use crate::config::Buffers;
use crate::statistics::Statistics;

/// Binds a UDP socket that never blocks: reads and writes return at once. The unspecified IPv6 address takes
/// IPv4 clients, too, whatever the system's default is.
pub(crate) fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    bind_to(socket, address)
}

/// Binds a UDP socket to an address that other sockets share. The system spreads clients over them.
///
/// # Errors
///
/// Also where the system does not have that.
pub(crate) fn bind_shared(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    #[cfg(unix)]
    socket.set_reuse_port(true)?;
    #[cfg(not(unix))]
    return Err(io::Error::new(ErrorKind::Unsupported, "several sockets of one address are not supported"));
    #[cfg(unix)]
    bind_to(socket, address)
}

/// Sets the options of a socket and binds it.
fn bind_to(socket: Socket, address: SocketAddr) -> io::Result<UdpSocket> {
    if address.is_ipv6() {
        socket.set_only_v6(!address.ip().is_unspecified())?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Reads datagrams in batches where the system can (`recvmmsg`, and coalesced datagrams of one sender on
/// Linux).
#[derive(Debug)]
pub(crate) struct BatchReceiver {
    state: UdpSocketState,
    /// One slot for each datagram of a batch, or for several coalesced ones.
    slots: Box<[u8]>,
}

/// Bytes of a slot: the longest coalesced datagram.
const SLOT_BYTES: usize = 1 << 16;

impl BatchReceiver {
    /// A receiver of a socket, whose options it sets.
    pub(crate) fn new(socket: &UdpSocket) -> io::Result<Self> {
        let state = UdpSocketState::new(socket.into())?;
        Ok(Self { state, slots: vec![0; SLOT_BYTES * BATCH_SIZE].into_boxed_slice() })
    }

    /// Reads one batch of at most `most` datagrams (coalesced ones may be more), passes each datagram to `handle`, and returns their number; `None` if there are none.
    /// A reported error of one datagram counts as one.
    ///
    /// # Errors
    ///
    /// Errors of the socket itself.
    pub(crate) fn receive(
        &mut self,
        socket: &UdpSocket,
        most: usize,
        mut handle: impl FnMut(SocketAddr, &mut [u8]),
    ) -> io::Result<Option<u32>> {
        let mut metas = [RecvMeta::default(); BATCH_SIZE];
        let mut slots = self.slots.chunks_mut(SLOT_BYTES);
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            std::array::from_fn(|_| IoSliceMut::new(slots.next().unwrap_or_default()));
        let most = most.clamp(1, BATCH_SIZE);
        let read = self.state.recv(UdpSockRef::from(socket), &mut slices[..most], &mut metas[..most]);
        let received = match read {
            Ok(received) => received,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(None);
            }
            Err(error) if is_about_one_datagram(&error) => return Ok(Some(1)),
            Err(error) => return Err(error),
        };
        let mut count = 0;
        for (meta, slice) in metas.iter().zip(&mut slices).take(received) {
            for datagram in slice[..meta.len.min(SLOT_BYTES)].chunks_mut(meta.stride.max(1)) {
                handle(meta.addr, datagram);
                count += 1;
            }
        }
        Ok(Some(count.max(1)))
    }

    /// Asks for buffers of these sizes, and returns the sizes that the system reports: it may allow less, and
    /// some report twice as much, because they count their own data too.
    ///
    /// # Errors
    ///
    /// If the system does not report the sizes.
    pub(crate) fn set_buffers(&self, socket: &UdpSocket, buffers: Buffers) -> io::Result<Buffers> {
        // A refused size leaves the system's default, which is reported.
        let _ = self.state.set_recv_buffer_size(socket.into(), buffers.receive);
        let _ = self.state.set_send_buffer_size(socket.into(), buffers.send);
        let receive = self.state.recv_buffer_size(socket.into())?;
        Ok(Buffers { receive, send: self.state.send_buffer_size(socket.into())? })
    }
}

/// The next datagram, truncated to the buffer; `None` if there is none.
///
/// # Errors
///
/// Errors of the socket itself. Some systems report errors of single datagrams, such as an unreachable
/// receiver, on the next read; such an error counts as an empty datagram.
pub(crate) fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<(usize, SocketAddr)>> {
    match socket.recv_from(buffer) {
        Ok(received) => Ok(Some(received)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(None),
        Err(error) if is_about_one_datagram(&error) => Ok(Some((0, NOBODY))),
        Err(error) => Err(error),
    }
}

/// Sends a packet and counts its bytes; false, and counted as unsent, if the system does not accept it.
pub(crate) fn send(
    socket: &UdpSocket,
    statistics: &mut Statistics,
    address: SocketAddr,
    packet: &[u8],
) -> bool {
    let is_sent = socket.send_to(packet, address).is_ok();
    if is_sent {
        statistics.bytes_sent += packet.len() as u64;
    } else {
        statistics.unsent += 1;
    }
    is_sent
}

/// Waits until a datagram can be received, a signal arrives, or `timeout` passes (at least 1 ms; 0 only
/// looks); returns whether there is a datagram. A reported error of one datagram counts as one.
pub(crate) fn wait(socket: &UdpSocket, timeout: Duration) -> io::Result<bool> {
    if !timeout.is_zero() {
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(timeout.max(SHORTEST_WAIT)))?;
    }
    let peeked = socket.peek_from(&mut [0; 1]);
    socket.set_nonblocking(true)?;
    match peeked {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            // A signal ends the wait, so that the caller can handle it.
            ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => Ok(false),
            _ if is_about_one_datagram(&error) => Ok(true),
            _ => Err(error),
        },
    }
}

/// The source address of datagrams that could not be read.
const NOBODY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED), 0);

/// Minimum wait: some systems treat shorter ones as none, others as endless.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

/// Whether an error concerns one datagram, such as an unreachable host, and the socket goes on.
fn is_about_one_datagram(error: &io::Error) -> bool {
    /// Windows: the datagram was longer than the buffer.
    const TOO_LONG_FOR_BUFFER: i32 = 10040;
    let kinds = [
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionAborted,
        ErrorKind::HostUnreachable,
        ErrorKind::NetworkUnreachable,
        ErrorKind::Interrupted,
    ];
    kinds.contains(&error.kind()) || cfg!(windows) && error.raw_os_error() == Some(TOO_LONG_FOR_BUFFER)
}
