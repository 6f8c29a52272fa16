"""Calls every function of ugas.h with invalid arguments: no context, zeros, dead handles, handles of another context and of
other kinds. No call may crash, panic or succeed. The functions come from the header, so none is left out.

Usage: python3 every_function.py path/to/ugas.h path/to/libugas_ffi.so path/to/a/pack.yaml
"""

import ctypes
import re
import sys
from ctypes import byref, c_char_p, c_double, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

OK, BAD_CONTEXT, BUSY, PANIC, BAD_HANDLE = 0, 2, 3, 4, 6
ROOM = 1 << 16


class Pair(ctypes.Structure):
    """ugas_str and ugas_bytes as arguments."""

    _fields_ = [("data", c_char_p), ("length", c_size_t)]


class Bytes(ctypes.Structure):
    """Returned ugas_bytes, which may contain zeros."""

    _fields_ = [("data", c_void_p), ("length", c_size_t)]


NUMBERS = {"uint32_t": c_uint32, "uint64_t": c_uint64, "int64_t": c_int64, "size_t": c_size_t, "double": c_double}


def functions(header):
    """Names with the kinds of their arguments, and the aliases of numbers."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    aliases = dict(NUMBERS)
    for kind, name in re.findall(r"typedef (uint32_t|uint64_t) (ugas_\w+);", text):
        aliases[name] = NUMBERS[kind]
    found = []
    for name, arguments in re.findall(r"\bugas_status (ugas_\w+)\(([^)]*)\);", text):
        kinds = []
        for argument in arguments.split(","):
            words = argument.replace("*", " * ").split()
            kinds.append((words[-1], "*" if "*" in words else words[-2]))
        found.append((name, kinds))
    return found, aliases


class Caller:
    def __init__(self, header, library):
        self.library = ctypes.CDLL(library)
        self.functions, self.aliases = functions(header)
        self.of_calls = [(name, kinds) for name, kinds in self.functions if kinds[0] == ("call", "ugas_call")]
        self.functions = [(name, kinds) for name, kinds in self.functions if kinds[0] == ("context", "*") and name != "ugas_context_free"]
        # Large enough for every result; as a structure it has a size, followed by zeros.
        self.room = ctypes.create_string_buffer(ROOM)

    def call(self, name, kinds, context, number, pointer):
        """All handles are `number`, all pointers are `pointer`."""
        ctypes.memset(self.room, 0, ROOM)
        self.room[0] = 64
        arguments = [context]
        for argument, kind in kinds[1:]:
            if kind == "*":
                arguments.append(c_void_p(pointer))
            elif kind in ("ugas_str", "ugas_bytes"):
                arguments.append(Pair(None, 0))
            elif argument == "row_size":
                arguments.append(c_size_t(512))
            elif kind != "size_t" and self.aliases[kind] is c_uint64:
                arguments.append(c_uint64(number))
            else:
                arguments.append(self.aliases[kind](1 if pointer else 0))
        status = getattr(self.library, name)(*arguments)
        assert status not in (BUSY, PANIC), (name, status)
        return status


def has_a_name(library):
    """Whether the library has a soname. Without one, programs linked by path find it only at that path."""
    with open(library, "rb") as file:
        return b"\0libugas_ffi.so\0" in file.read()


def new_context(library):
    context = c_void_p()
    assert library.ugas_context_new(c_uint32(1), byref(context)) == OK
    return context


def objects(library, context, pack):
    """One of each kind."""
    numbers = {kind: c_uint64() for kind in ("loader", "catalog", "simulation", "snapshot", "mapper", "client", "server", "player")}
    size = ctypes.create_string_buffer(64)
    size[0] = 64

    def make(name, *arguments):
        status = getattr(library, "ugas_" + name)(context, *arguments)
        assert status == OK, (name, status)

    encoded = pack.encode()
    make("loader_new", byref(numbers["loader"]))
    make("loader_add_path", numbers["loader"], Pair(encoded, len(encoded)))
    make("loader_load", numbers["loader"], byref(numbers["catalog"]))
    make("mapper_new", numbers["loader"], c_uint32(0), byref(numbers["mapper"]))
    make("simulation_new", numbers["catalog"], None, byref(numbers["simulation"]))
    make("snapshot_take", numbers["simulation"], byref(numbers["snapshot"]))
    make("client_new", numbers["catalog"], size, byref(numbers["client"]))
    recording = Bytes()
    make("recording_start", numbers["simulation"], None)
    make("recording_finish", numbers["simulation"], byref(recording))
    make("player_new", numbers["catalog"], recording, c_uint64(0), byref(numbers["player"]))
    taken = c_uint64()
    make("simulation_new", numbers["catalog"], None, byref(taken))
    make("server_new", taken, None, byref(numbers["server"]))
    return {kind: number.value for kind, number in numbers.items()}, taken.value


# Functions that succeed without a live object.
MAKERS = {"ugas_loader_new", "ugas_last_error", "ugas_last_reasons"}


def main(header, library, pack):
    assert has_a_name(library) or not sys.platform.startswith("linux"), library
    caller = Caller(header, library)
    place = ctypes.addressof(caller.room)
    own, foreign = new_context(caller.library), new_context(caller.library)
    live, dead = objects(caller.library, own, pack)
    strange, _ = objects(caller.library, foreign, pack)
    for name, kinds in caller.functions:
        for pointer in (None, place):
            assert caller.call(name, kinds, None, live["simulation"], pointer) == BAD_CONTEXT, name
            if name in MAKERS:
                continue
            status = caller.call(name, kinds, own, 0, pointer)
            assert status != OK or name.endswith("_free"), (name, "takes zero")
            for number in (dead, *strange.values(), (1 << 64) - 1):
                status = caller.call(name, kinds, own, number, pointer)
                assert status != OK, (name, hex(number))
                if pointer is None and name.endswith("_free"):
                    assert status == BAD_HANDLE, name
    # No callback is running, so there is no call.
    assert len(caller.of_calls) > 10, caller.of_calls
    for name, kinds in caller.of_calls:
        for number in (0, 1, live["simulation"], (1 << 64) - 1):
            for pointer in (None, place):
                assert caller.call(name, kinds, c_uint64(number), 0, pointer) == BAD_HANDLE, name
    # Live handles for every argument: most are of the wrong kind, and some calls succeed.
    worked = 0
    for name, kinds in caller.functions:
        if name.endswith("_free") or name == "ugas_server_new":
            continue
        for number in live.values():
            for pointer in (None, place):
                worked += caller.call(name, kinds, own, number, pointer) == OK
    assert worked > 50, worked
    for context in (own, foreign):
        assert caller.library.ugas_context_free(byref(context)) == OK
    print(f"{len(caller.functions)} functions refuse what they must")


if __name__ == "__main__":
    main(*sys.argv[1:])
