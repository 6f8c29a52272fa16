"""The fight of fight.c from Python, with nothing but the standard library.

Usage: python3 fight.py path/to/libugas_ffi.so path/to/duel.yaml
"""

import ctypes
import json
import math
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int64, c_size_t, c_uint32, c_uint64, c_void_p, sizeof

ABI_VERSION = 1
OK, NOT_FOUND, REFUSED, BAD_HANDLE = 0, 10, 11, 6


class Str(ctypes.Structure):
    """ugas_str: UTF-8 with a length."""

    _fields_ = [("data", c_char_p), ("length", c_size_t)]

    @classmethod
    def of(cls, text):
        encoded = text.encode()
        return cls(encoded, len(encoded))


class BorrowedStr(ctypes.Structure):
    """ugas_str as it comes out: not ended by a zero, so the pointer is followed by its length."""

    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


class Bytes(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]


class Spawn(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("template_name", Str),
        ("owner", c_uint64),
        ("avatar", c_uint64),
        ("has_owner", c_uint32),
        ("has_avatar", c_uint32),
    ]


class Grant(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("input", Str),
        ("tags", c_void_p),
        ("tag_count", c_size_t),
        ("source_object", c_uint64),
        ("has_source_object", c_uint32),
        ("activate", c_uint32),
        ("ability", c_uint32),
        ("level", c_uint32),
    ]


class Target(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("part", c_uint32),
        ("controller", c_uint64),
        ("location", c_double * 3),
        ("normal", c_double * 3),
        ("distance", c_double),
        ("actor", c_uint64),
        ("has_actor", c_uint32),
        ("reserved", c_uint32),
    ]


class Cause(ctypes.Structure):
    _fields_ = [
        ("operation", c_uint64),
        ("active_effect", c_uint64),
        ("source", c_uint64),
        ("granted_ability", c_uint64),
        ("effect", c_uint32),
        ("reserved", c_uint32),
    ]


class EventTask(ctypes.Structure):
    _fields_ = [
        ("kind", BorrowedStr),
        ("task", c_uint64),
        ("ability", c_uint32),
        ("step", c_uint32),
        ("confirmation", c_uint32),
        ("reason_count", c_uint32),
    ]


class EventBody(ctypes.Union):
    """The parts that this host looks at, and the room that there is."""

    _fields_ = [("task", EventTask), ("raw", c_uint64 * 12)]


class Event(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("category", c_uint32),
        ("sequence", c_uint64),
        ("time", c_uint64),
        ("controller", c_uint64),
        ("cause", Cause),
        ("prediction", c_uint64),
        ("has_prediction", c_uint32),
        ("index", c_uint32),
        ("body", EventBody),
    ]


class Reading(ctypes.Structure):
    _fields_ = [("name", Str), ("party", c_uint32), ("frozen", c_uint32)]


class CalculationInput(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("attributes", POINTER(c_double)),
        ("tags", c_void_p),
        ("magnitudes", POINTER(c_double)),
        ("randoms", POINTER(c_double)),
        ("level", c_double),
        ("source", c_uint64),
        ("target", c_uint64),
        ("stacks", c_uint32),
        ("reserved", c_uint32),
    ]


class Change(ctypes.Structure):
    _fields_ = [("magnitude", c_double), ("output", c_uint32), ("operation", c_uint32)]


class CalculationOutput(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("result", c_double),
        ("changes", Change * 16),
        ("change_count", c_uint32),
        ("handles_stacks", c_uint32),
    ]


Calculate = ctypes.CFUNCTYPE(c_uint32, c_void_p, POINTER(CalculationInput), POINTER(CalculationOutput))


class Calculation(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", Str),
        ("attributes", POINTER(Reading)),
        ("attribute_count", c_size_t),
        ("tags", c_void_p),
        ("tag_count", c_size_t),
        ("magnitudes", c_void_p),
        ("magnitude_count", c_size_t),
        ("outputs", POINTER(Str)),
        ("output_count", c_size_t),
        ("random_count", c_size_t),
        ("calculate", Calculate),
        ("user", c_void_p),
        ("free", c_void_p),
    ]


class Verification(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("ticks", c_uint64),
        ("key_frames", c_uint64),
        ("tick", c_uint64),
        ("recorded", c_uint64),
        ("simulated", c_uint64),
        ("differs", c_uint32),
        ("reserved", c_uint32),
    ]


class UgasError(Exception):
    def __init__(self, status, words):
        super().__init__(words)
        self.status = status


class Ugas:
    """A context, with every call checked."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.ugas_status_words.restype = BorrowedStr
        self.context = c_void_p()
        status = self.library.ugas_context_new(c_uint32(ABI_VERSION), byref(self.context))
        if status != OK:
            raise UgasError(status, str(self.library.ugas_status_words(status)))

    def call(self, name, *arguments):
        status = getattr(self.library, "ugas_" + name)(self.context, *arguments)
        if status != OK:
            words = BorrowedStr()
            self.library.ugas_last_error(self.context, byref(words))
            raise UgasError(status, str(words) or str(self.library.ugas_status_words(status)))

    def handle(self, name, *arguments, kind=c_uint64):
        """A call whose last argument is a pointer to the one number that it gives."""
        out = kind()
        self.call(name, *arguments, byref(out))
        return out.value

    def text(self, name, *arguments):
        out = BorrowedStr()
        self.call(name, *arguments, byref(out))
        return str(out)

    def close(self):
        self.library.ugas_context_free(byref(self.context))
        assert not self.context.value


def expect_failure(status, call):
    try:
        call()
    except UgasError as error:
        assert error.status == status, error
        return str(error)
    raise AssertionError("the call should have failed")


@Calculate
def slash(_user, given, wanted):
    """The attack, halved by 100 of armour."""
    attack, armor = given.contents.attributes[0], given.contents.attributes[1]
    wanted.contents.changes[0] = Change(-attack * 100.0 / (100.0 + armor), 0, 0)
    wanted.contents.change_count = 1
    return 0


def load(ugas, path):
    loader = c_uint64(ugas.handle("loader_new"))
    ugas.call("loader_add_path", loader, Str.of(path))
    attributes = (Reading * 2)(Reading(Str.of("Attack"), 0, 0), Reading(Str.of("Armor"), 1, 0))
    outputs = (Str * 1)(Str.of("Health"))
    calculation = Calculation(
        size=sizeof(Calculation),
        name=Str.of("ExecCalc_Slash"),
        attributes=attributes,
        attribute_count=2,
        outputs=outputs,
        output_count=1,
        calculate=slash,
    )
    ugas.call("loader_add_calculation", loader, byref(calculation))
    catalog = c_uint64(ugas.handle("loader_load", loader))
    ugas.call("loader_free", loader)
    return catalog


def handle_events(ugas, simulation):
    events, count = (Event * 64)(), c_size_t()
    ugas.call("events_poll", simulation, events, c_size_t(sizeof(Event)), c_size_t(64), byref(count))
    requested = []
    for event in events[: count.value]:
        print(f"{event.time / 1e6:7.3f} s ", ugas.text("event_text", simulation, c_uint32(event.index)))
        if event.body.task.task and ugas.text("event_text", simulation, c_uint32(event.index)).find("PlayMontage") >= 0:
            assert str(event.body.task.kind) == "PlayMontage"
            requested.append(event.body.task.task)
    for task in requested:
        parameters = json.loads(ugas.text("task_parameters", simulation, c_uint64(task)))
        assert parameters == {"Montage": "Slash", "Speed": 1.5}, parameters
        ugas.call("task_complete", simulation, c_uint64(task), c_uint32(0))
    return len(requested)


def main(library, pack):
    ugas = Ugas(library)
    catalog = load(ugas, pack)
    health = ugas.handle("catalog_attribute", catalog, Str.of("Health"), kind=c_uint32)
    ability = ugas.handle("catalog_ability", catalog, Str.of("GA_Slash"), kind=c_uint32)
    words = expect_failure(
        NOT_FOUND, lambda: ugas.handle("catalog_attribute", catalog, Str.of("Helth"), kind=c_uint32)
    )
    assert "Health" in words, words

    simulation = c_uint64(ugas.handle("simulation_new", catalog, None))
    ugas.call("recording_start", simulation, None)
    spawn = Spawn(size=sizeof(Spawn), template_name=Str.of("Knight"))
    knights = [ugas.handle("controller_spawn", simulation, byref(spawn)) for _ in range(2)]
    grant = Grant(size=sizeof(Grant), ability=ability, level=1)
    granted = c_uint64(ugas.handle("ability_grant", simulation, c_uint64(knights[0]), byref(grant)))

    # 40 of attack against 100 of armour: 20.
    target = Target(kind=0, controller=knights[1])
    ugas.call("ability_activate", simulation, granted, byref(target), c_size_t(1), None, None)
    assert handle_events(ugas, simulation) == 1
    handles = (c_uint64 * 3)(*knights, 12345)
    values, missing = (c_double * 3)(), c_size_t()
    ugas.call(
        "attributes_read",
        simulation,
        handles,
        c_size_t(3),
        (c_uint32 * 1)(health),
        c_size_t(1),
        c_uint32(0),
        values,
        byref(missing),
    )
    assert list(values[:2]) == [100, 80] and math.isnan(values[2]) and missing.value == 1
    words = expect_failure(
        REFUSED,
        lambda: ugas.call("ability_activate", simulation, granted, byref(target), c_size_t(1), None, None),
    )
    assert "on cooldown" in words, words
    ugas.call("simulation_advance", simulation, c_int64(2_000_000))
    explanation = json.loads(
        ugas.text("explain_json", simulation, c_uint64(knights[1]), c_uint32(health))
    )
    assert explanation["current"] == 80 and explanation["attribute"] == "Health", explanation

    recorded = Bytes()
    ugas.call("recording_finish", simulation, byref(recorded))
    kept = ctypes.create_string_buffer(ctypes.string_at(recorded.data, recorded.length), recorded.length)
    verification = Verification(size=sizeof(Verification))
    given = Bytes(ctypes.addressof(kept), len(kept))
    ugas.call("recording_verify", catalog, given, byref(verification))
    assert not verification.differs and verification.ticks >= 1

    # One of them walks into another game, and is the same there.
    slot = Bytes()
    ugas.call("character_bytes", simulation, c_uint64(knights[1]), byref(slot))
    kept = ctypes.create_string_buffer(ctypes.string_at(slot.data, slot.length), slot.length)
    given, report, restored = Bytes(ctypes.addressof(kept), len(kept)), BorrowedStr(), c_uint64()
    town = c_uint64(ugas.handle("simulation_new", catalog, None))
    ugas.call("character_restore", town, given, None, byref(restored), byref(report))
    assert str(report) == ""
    read = (town, restored, c_uint32(health), c_uint32(0))
    assert ugas.handle("attribute_read", *read, kind=c_double) == 80

    # Commands of a batch are executed at its end.
    ugas.call("batch_begin", town)
    ugas.call("controller_despawn", town, restored)
    assert ugas.handle("attribute_read", *read, kind=c_double) == 80
    ugas.call("batch_end", town, None, c_size_t(24), c_size_t(0), byref(missing))
    assert missing.value == 1
    expect_failure(NOT_FOUND, lambda: ugas.handle("attribute_read", *read, kind=c_double))

    ugas.call("simulation_free", simulation)
    expect_failure(BAD_HANDLE, lambda: ugas.call("simulation_advance", simulation, c_int64(1)))
    ugas.close()
    print("all is well")


if __name__ == "__main__":
    main(*sys.argv[1:])
