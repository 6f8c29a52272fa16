//! The UDP socket, which blocks only in [`wait`].

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use crate::statistics::Statistics;

/// Binds a UDP socket that never blocks: reads and writes return at once.
pub(crate) fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
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
