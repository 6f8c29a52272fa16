"""A server and a client from Python, over a link in memory that loses every fourth datagram. Uses the bindings of fight.py.

Usage: python3 network.py path/to/libugas_ffi.so path/to/duel.yaml
"""

import ctypes
import sys
from ctypes import byref, c_double, c_int64, c_size_t, c_uint32, c_uint64, c_void_p, sizeof

from fight import Bytes, BorrowedStr, Event, Grant, Spawn, Str, Target, Ugas, UgasError, load

MAX_DATAGRAM = 1200
NETWORKED = 17
JOINED, GAME = 0, 5  # of ugas_server_event_kind
APPEARED, ABILITY_GRANTED, CONFIRMED = 3, 16, 23  # of ugas_client_event_kind
HOST_TASK = "PlayMontage"
ADDRESS = 42


class ServerEvent(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("reason", c_uint32),
        ("client", c_uint32),
        ("reserved", c_uint32),
        ("peer", c_uint64),
        ("task", c_uint64),
        ("credential", Bytes),
        ("words", BorrowedStr),
        ("game", Event),
    ]


class ClientEvent(ctypes.Structure):
    """The parts that this host looks at all begin with one number."""

    _fields_ = [("kind", c_uint32), ("reserved", c_uint32), ("controller", c_uint64), ("body", c_uint64 * 24)]


class ClientConfig(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("nonce", c_uint64),
        ("credential", Bytes),
        ("retry", c_int64),
        ("timeout", c_int64),
        ("window", c_uint32),
        ("no_prediction", c_uint32),
    ]


class Lens(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("attributes", c_void_p),
        ("attribute_count", c_size_t),
        ("kind", c_uint32),
        ("placement", c_uint32),
    ]


def events(ugas, name, number, kind):
    """Takes events in bulk until there are none."""
    rows, count = (kind * 64)(), c_size_t()
    while True:
        ugas.call(name, number, rows, c_size_t(sizeof(kind)), c_size_t(64), byref(count))
        if not count.value:
            return
        yield from rows[: count.value]


def datagrams(ugas, name, number, *out):
    buffer, length = ctypes.create_string_buffer(MAX_DATAGRAM), c_size_t()
    while True:
        ugas.call(name, number, *out, buffer, c_size_t(MAX_DATAGRAM), byref(length))
        if not length.value:
            return
        yield buffer.raw[: length.value]


class Side:
    """A machine: a context with the rules, and how far its datagrams get."""

    def __init__(self, library, pack):
        self.ugas = Ugas(library)
        self.catalog = load(self.ugas, pack)
        self.health = self.ugas.handle("catalog_attribute", self.catalog, Str.of("Health"), kind=c_uint32)
        self.sent = 0

    def is_lost(self):
        self.sent += 1
        return self.sent % 4 == 0

    def health_of(self, number, controller):
        arguments = (number, c_uint64(controller), c_uint32(self.health), c_uint32(0))
        return self.ugas.handle("attribute_read", *arguments, kind=c_double)


def received(datagram):
    return Bytes(ctypes.cast(ctypes.c_char_p(datagram), c_void_p), len(datagram))


def main(library, pack):
    there, here = Side(library, pack), Side(library, pack)
    spawn = Spawn(size=sizeof(Spawn), template_name=Str.of("Knight"))
    simulation = c_uint64(there.ugas.handle("simulation_new", there.catalog, None))
    enemy = there.ugas.handle("controller_spawn", simulation, byref(spawn))
    server = c_uint64(there.ugas.handle("server_new", simulation, None))
    # Others see tags and cues of a knight by its mode; of this one they may know how it is doing.
    shown = (c_uint32 * 1)(there.health)
    lens = Lens(size=sizeof(Lens), attributes=ctypes.addressof(shown), attribute_count=1, kind=4)
    there.ugas.call("server_set_lens", server, c_uint64(enemy), c_uint32(0), byref(lens))
    config = ClientConfig(size=sizeof(ClientConfig), nonce=1)
    client = c_uint64(here.ugas.handle("client_new", here.catalog, byref(config)))
    ability = there.ugas.handle("catalog_ability", there.catalog, Str.of("GA_Slash"), kind=c_uint32)

    own = seen = command = 0
    confirmed = False
    for now in range(20_000, 4_000_000, 20_000):
        there.ugas.call("server_tick", server, c_uint64(now))
        peer = c_uint64()
        for datagram in datagrams(there.ugas, "server_transmit", server, byref(peer)):
            assert peer.value == ADDRESS
            if not there.is_lost():
                here.ugas.call("client_receive", client, c_uint64(now), received(datagram))
        for event in list(events(there.ugas, "server_events_poll", server, ServerEvent)):
            if event.kind == JOINED:
                knight = c_uint64(there.ugas.handle("controller_spawn", server, byref(spawn)))
                grant = Grant(size=sizeof(Grant), ability=ability, level=1)
                there.ugas.handle("ability_grant", server, knight, byref(grant))
                there.ugas.call("server_give", server, knight, c_uint32(event.client))
        for task in tasks_of(there.ugas, server):
            there.ugas.call("task_complete", server, c_uint64(task), c_uint32(0))
        here.ugas.call("client_update", client, c_uint64(now))
        for event in list(events(here.ugas, "client_events_poll", client, ClientEvent)):
            if event.kind == APPEARED:
                own, seen = (event.controller, seen) if event.body[0] & 1 else (own, event.controller)
            elif event.kind == ABILITY_GRANTED and own and seen and not command:
                target = Target(kind=0, controller=seen)
                asked = (client, c_uint64(event.body[0]), byref(target), c_size_t(1), None)
                command = here.ugas.handle("client_activate", *asked)
            elif event.kind == CONFIRMED:
                confirmed |= event.body[0] == command
        for datagram in datagrams(here.ugas, "client_transmit", client):
            if not here.is_lost():
                there.ugas.call("server_receive", server, c_uint64(now), c_uint64(ADDRESS), received(datagram))

    assert confirmed and command
    # 40 of attack against 100 of armour: 20, on both sides.
    assert there.health_of(server, enemy) == 80
    assert here.health_of(client, seen) == 80
    try:
        here.ugas.call("controller_despawn", client, c_uint64(seen))
        raise AssertionError("the game is the server's")
    except UgasError as error:
        assert error.status == NETWORKED, error
    here.ugas.close()
    there.ugas.close()
    print("server and client agree")


def tasks_of(ugas, server):
    """Host tasks of the server, all completed at once."""
    controllers, count = (c_uint64 * 16)(), c_size_t()
    ugas.call("controllers", server, controllers, c_size_t(16), byref(count))
    for controller in controllers[: count.value]:
        rows, tasks = (c_uint64 * (5 * 8))(), c_size_t()
        ugas.call("tasks_of", server, c_uint64(controller), rows, c_size_t(40), c_size_t(8), byref(tasks))
        for at in range(min(tasks.value, 8)):
            task = rows[at * 5]
            if ugas.text("task_kind", server, c_uint64(task)) == HOST_TASK:
                yield task


if __name__ == "__main__":
    main(*sys.argv[1:])
