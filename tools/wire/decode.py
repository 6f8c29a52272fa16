#!/usr/bin/env python3
"""Reads datagrams of ugas-net as docs/wire-format.md describes them, independently of the Rust code.

    decode.py                       checks the test vectors of the repository; 1 if a reading differs
    decode.py VECTORS.json          checks these
    decode.py VECTORS.json server HEX    reads one datagram with the dictionary of that file

Nothing but the standard library is needed.
"""

import json
import math
import pathlib
import struct
import sys

MAX_DATAGRAM = 1200


class Refused(Exception):
    """The datagram is no message."""


def require(condition, why):
    if not condition:
        raise Refused(why)


class Bits:
    """The bits of a datagram, first bit first."""

    def __init__(self, data):
        self.value = int.from_bytes(data, "little")
        self.left = len(data) * 8

    def bits(self, count):
        require(count <= self.left, "the datagram ends early")
        result = self.value & ((1 << count) - 1)
        self.value >>= count
        self.left -= count
        return result

    def flag(self):
        return self.bits(1) == 1

    def varint(self, group, width=64):
        result, shift = 0, 0
        while True:
            part = self.bits(group) + (1 if shift else 0)
            result += part << shift
            require(result < 1 << width, "a number is too large")
            if not self.flag():
                return result
            shift += group

    def signed(self, group):
        zigzag = self.varint(group)
        return -(zigzag + 1) // 2 if zigzag & 1 else zigzag // 2

    def single(self):
        (value,) = struct.unpack("<f", self.bits(32).to_bytes(4, "little"))
        require(math.isfinite(value), "a number is not finite")
        return value

    def number(self):
        if not self.flag():
            form, value = 0, float(self.signed(6))
        elif not self.flag():
            form, value = 1, self.signed(6) / 1000.0
        elif not self.flag():
            form, value = 2, self.single()
        else:
            (value,) = struct.unpack("<d", self.bits(64).to_bytes(8, "little"))
            form = 3
        require(math.isfinite(value), "a number is not finite")
        require(form == number_form(value), "a number has another form")
        return value

    def bytes(self, most):
        count = self.varint(5)
        require(count <= most, "too many bytes")
        require(count * 8 <= self.left, "the datagram ends early")
        return bytes(self.bits(8) for _ in range(count))

    def text(self, most):
        try:
            return self.bytes(most).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Refused("a text is not UTF-8") from error

    def option(self, read):
        return read() if self.flag() else None

    def list(self, read):
        items = []
        while self.flag():
            items.append(read())
        return items

    def finish(self):
        require(self.left < 8, "something follows")
        require(self.value == 0, "the last byte is not filled with zeros")


def same_bits(one, other):
    return struct.pack("<d", one) == struct.pack("<d", other)


def number_form(value):
    """The first form that gives back all bits."""
    if value.is_integer() and abs(value) < 2**31 and same_bits(float(int(value)), value):
        return 0
    thousandths = round_half_away(value * 1000.0)
    if abs(thousandths) < 2**24 and same_bits(thousandths / 1000.0, value):
        return 1
    try:
        (single,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return 3
    return 2 if same_bits(single, value) else 3


def round_half_away(value):
    if not math.isfinite(value):
        return 2**60
    whole = math.floor(abs(value))
    if abs(value) - whole >= 0.5:
        whole += 1
    return -whole if value < 0 else whole


class Quantiser:
    """How exactly a number is told."""

    def __init__(self, description):
        self.description = description

    def read(self, bits):
        """A code and its value."""
        description = self.description
        if description == "exact":
            value = bits.number()
            return struct.pack("<d", value), value
        if "step" in description:
            code = bits.signed(5)
            require(abs(code) <= 2**50, "a code is too large")
            step = description["step"]
            parts = 1.0 / step
            if parts >= 1 and parts.is_integer() and 1.0 / parts == step:
                return code, code / parts
            return code, code * step
        least, most, width = (description[name] for name in ("min", "max", "bits"))
        code = bits.bits(width)
        top = 2**width - 1
        return code, most if code == top else least + (most - least) * (code / top)


class Dictionary:
    def __init__(self, description):
        self.tags = description["tags"]
        self.attributes = [Quantiser(each) for each in description["attributes"]]
        self.positions = Quantiser(description["positions"])
        self.facings = Quantiser(description["facings"])
        self.inputs = sorted(description["inputs"], key=lambda name: name.encode("utf-8"))


def width(things):
    """How many bits tell so many things apart."""
    return (things - 1).bit_length() if things > 1 else 0


class Message:
    """Reads one message."""

    def __init__(self, dictionary, data):
        require(len(data) <= MAX_DATAGRAM, "the datagram is too long")
        self.dictionary = dictionary
        self.bits = Bits(data)

    def to_server(self):
        kind = self.bits.bits(3)
        readers = {0: self.hello, 1: self.frames, 2: lambda: {"message": "bye"}}
        return self.whole(readers, kind)

    def to_client(self):
        kind = self.bits.bits(3)
        readers = {0: self.welcome, 1: self.refused, 2: self.update, 3: self.bye}
        return self.whole(readers, kind)

    def whole(self, readers, kind):
        require(kind in readers, "an unknown kind of message")
        message = readers[kind]()
        self.bits.finish()
        return message

    # Values that several messages have.

    def handle(self):
        place = self.bits.varint(6, 32)
        return place, self.generation(1)

    def generation(self, least):
        generation = self.bits.varint(3) + least
        require(generation < 2**32, "a generation is too large")
        return generation

    def next_handle(self, previous):
        if previous is None:
            return self.handle()
        gap = self.bits.varint(3, 32)
        place = previous[0] + gap
        require(place < 2**32, "a place is too large")
        return place, self.generation(previous[1] + 1 if gap == 0 else 1)

    def named_handle(self):
        return name(self.handle())

    def tag(self):
        tag = self.bits.bits(width(self.dictionary.tags))
        require(tag < self.dictionary.tags, "an unknown tag")
        return tag

    def tick(self):
        return self.bits.varint(7, 32)

    def tick_near(self, other):
        tick = other - self.bits.signed(4)
        require(0 <= tick < 2**32, "a tick is out of range")
        return tick

    def key(self, near):
        tick = self.tick_near(near)
        sequence = self.bits.varint(1, 16)
        return {"tick": tick, "sequence": sequence, "dependent": self.bits.varint(1, 16)}

    def packet(self):
        return self.bits.varint(7, 32)

    def ack(self):
        newest = self.packet()
        everything = (1 << min(32, max(0, newest - 1))) - 1
        earlier = everything
        if self.bits.flag():
            earlier = self.bits.bits(32)
            require(earlier != everything, "an acknowledgement that need not be spelled out")
        return {"newest": newest, "earlier": earlier}

    def vector(self):
        return [self.bits.single() for _ in range(3)]

    def actor(self):
        return self.bits.varint(8)

    def id_set(self, known):
        is_mask = self.bits.flag()
        if is_mask:
            require(known <= self.bits.left, "the datagram ends early")
            ids = [thing for thing in range(known) if self.bits.flag()]
        else:
            count = self.bits.varint(2) + 1
            require(count <= known, "more ids than there are")
            low = (known // count).bit_length() - 1
            ids, following = [], 0
            for _ in range(count):
                gap = 0
                while self.bits.flag():
                    gap += 1 << low
                following += gap + self.bits.bits(low)
                require(following < known, "an unknown id")
                ids.append(following)
                following += 1
        require(ids, "a set of nothing")
        require(is_mask == (known < gaps_bits(known, ids)), "a set has another form")
        return ids

    # From a client.

    def hello(self):
        bits = self.bits
        return {
            "message": "hello",
            "protocol": bits.bits(32),
            "catalog": bits.bits(64),
            "dictionary": bits.bits(64),
            "nonce": bits.bits(64),
            "credential": bits.bytes(256).hex(),
        }

    def frames(self):
        message = {"message": "frames", "packet": self.packet(), "ack": self.ack(), "now": self.tick()}
        frames = message["frames"] = []
        while self.bits.flag():
            require(len(frames) < 32, "too many frames")
            if frames:
                tick = frames[-1]["tick"] + 1 + self.bits.varint(2, 32)
                require(tick < 2**32, "a tick is out of range")
            else:
                tick = self.tick_near(message["now"])
            count = self.bits.varint(1) + 1
            require(count <= 8, "too many commands")
            frames.append({"tick": tick, "commands": [self.command(tick) for _ in range(count)]})
        return message

    def command(self, tick):
        names = "activate end cancel confirm decline press release targets finish".split()
        kind = self.bits.bits(4)
        require(kind < len(names), "an unknown kind of command")
        command = {"command": names[kind]}
        if kind == 0:
            command["ability"] = self.named_handle()
            command["targets"] = self.targets()
            command["event"] = self.bits.option(self.event)
        elif kind in (1, 2, 7, 8):
            command["run"] = self.key(tick) if self.bits.flag() else self.named_handle()
            if kind in (7, 8):
                command["thread"] = self.bits.varint(2, 32)
            if kind == 7:
                command["targets"] = self.targets()
            if kind == 8:
                outcomes = "completed interrupted cancelled failed".split()
                command["outcome"] = outcomes[self.bits.bits(2)]
        else:
            command["controller"] = self.named_handle()
            if kind in (5, 6):
                command["input"] = self.input()
        return command

    def input(self):
        inputs = self.dictionary.inputs
        if self.bits.flag():
            number = self.bits.bits(width(len(inputs)))
            require(number < len(inputs), "an unknown input")
            return inputs[number]
        text = self.bits.text(64)
        require(text not in inputs, "an input that need not be spelled out")
        return text

    def event(self):
        return {
            "tag": self.tag(),
            "magnitude": self.bits.number(),
            "instigator": self.bits.option(self.named_handle),
            "target": self.bits.option(self.named_handle),
        }

    def targets(self):
        count = self.bits.varint(1)
        require(count <= 32, "too many targets")
        return [self.target() for _ in range(count)]

    def target(self):
        kind = self.bits.bits(2)
        if kind == 0:
            return {"controller": self.named_handle()}
        if kind == 2:
            return {"location": self.vector()}
        if kind == 3:
            return {"custom": self.bits.text(256), "bytes": self.bits.bytes(256).hex()}
        hit = {"hit": self.bits.option(self.named_handle), "location": self.vector()}
        normal = self.bits.option(self.vector)
        require(normal is None or any(not same_bits(each, 0.0) for each in normal), "a normal that is zero")
        hit["normal"] = normal or [0.0, 0.0, 0.0]
        hit["distance"] = self.bits.single()
        hit["actor"] = self.bits.option(self.actor)
        hit["part"] = self.bits.varint(4, 32)
        return hit

    # From the server.

    def welcome(self):
        bits = self.bits
        welcome = {
            "message": "welcome",
            "nonce": bits.bits(64),
            "client": bits.bits(32),
            "tick": bits.bits(32),
            "length": bits.bits(20),
            "prediction_seed": bits.bits(64),
            "max_lead": bits.bits(32),
        }
        require(1000 <= welcome["length"] <= 1000000, "a tick of a strange length")
        return welcome

    def refused(self):
        bits = self.bits
        nonce, kind = bits.bits(64), bits.bits(4)
        if kind == 0:
            reason = ["protocol", bits.bits(32), bits.bits(32)]
        elif kind in (1, 4):
            reason = ["catalog" if kind == 1 else "dictionary", bits.bits(64), bits.bits(64)]
        elif kind == 2:
            reason = ["full"]
        elif kind == 3:
            reason = ["denied", bits.text(200)]
        else:
            raise Refused("an unknown reason")
        return {"message": "refused", "nonce": nonce, "reason": reason}

    def bye(self):
        reasons = ["shutdown", "timed out", "kicked", "misbehaved"]
        kind = self.bits.bits(4)
        require(kind < len(reasons), "an unknown reason")
        return {"message": "bye", "reason": reasons[kind]}

    def update(self):
        update = {"message": "update", "packet": self.packet(), "ack": self.ack(), "tick": self.tick()}
        tick = update["tick"]
        newest, margin = self.tick_near(tick), self.bits.signed(3)
        require(-(2**15) <= margin < 2**15, "a margin is out of range")
        update["feedback"] = {"newest": newest, "margin": margin}
        update["results"] = self.bits.list(lambda: self.result(tick))
        update["bursts"] = self.bits.list(lambda: self.burst(tick))
        update["controllers"] = self.controllers()
        update["part"] = self.part()
        return update

    def part(self):
        if not self.bits.flag():
            return [0, 1]
        part, parts = self.bits.bits(8), self.bits.bits(8)
        require((part, parts) != (0, 1), "a part that need not be spelled out")
        require(part < parts or part == parts == 0, "a part beyond the last")
        return [part, parts]

    def result(self, tick):
        key = self.key(tick)
        if not self.bits.flag():
            verdict = "done"
        elif not self.bits.flag():
            verdict = {"shifted": self.bits.varint(2, 8)}
        else:
            reasons = [
                "too late",
                "too early",
                "too many",
                "malformed",
                "not owner",
                "not granted",
                "not allowed",
                "not activated",
                "not reachable",
                "effect not allowed",
                "nothing waits",
            ]
            kind = self.bits.bits(4)
            require(kind < len(reasons), "an unknown rejection")
            verdict = {"rejected": reasons[kind]}
        return {"key": key, "verdict": verdict}

    def burst(self, tick):
        return {
            "tick": self.tick_near(tick),
            "ordinal": self.bits.varint(3, 16),
            "cue": self.tag(),
            "controller": self.named_handle(),
            "source": self.bits.option(self.named_handle),
            "key": self.bits.option(lambda: self.key(tick)),
            "magnitude": self.short_number(),
            "level": self.short_number(),
            "location": self.bits.option(self.vector),
        }

    def short_number(self):
        value = self.bits.number()
        require(number_form(value) < 3 and fits_single(value), "a number is too exact")
        return value

    def controllers(self):
        controllers, previous = [], None
        while self.bits.flag():
            previous = self.next_handle(previous)
            controllers.append({"controller": name(previous)} | self.change())
        return controllers

    def change(self):
        own = effects = abilities = False
        epoch = 0
        if self.bits.flag():
            if self.bits.flag():
                return {"gone": True}
            own, effects, abilities = (self.bits.flag() for _ in range(3))
            if self.bits.flag():
                epoch = self.bits.bits(8)
                require(epoch, "an epoch that need not be spelled out")
            require(own or effects or abilities or epoch, "a view that need not be spelled out")
        sight = {"effects": effects, "abilities": abilities}
        return {"epoch": epoch, "own": own, "sight": sight, "pieces": self.block(own)}

    def block(self, own):
        there = {kind for kind in ("attribute", "tag", "effect") if self.bits.flag()}
        if self.bits.flag():
            others = ("head", "placement", "cue", "ability", "run", "task", "inputs")
            more = {kind for kind in others if self.bits.flag()}
            require(more, "a list of no kinds")
            there |= more
        order = "head placement attribute tag cue effect ability run task inputs".split()
        pieces = []
        for kind in order:
            if kind in there:
                pieces += self.pieces(kind, own)
        return pieces

    def pieces(self, kind, own):
        if kind in ("head", "placement", "inputs"):
            ids = [None]
        elif kind == "attribute":
            ids = self.id_set(len(self.dictionary.attributes))
        elif kind in ("tag", "cue"):
            ids = self.id_set(self.dictionary.tags)
        else:
            ids, previous = [], None
            for _ in range(self.bits.varint(2) + 1):
                previous = self.next_handle(previous)
                ids.append(name(previous))
        some_gone = self.bits.flag()
        pieces = []
        for each in ids:
            gone = some_gone and self.bits.flag()
            pieces.append({"piece": kind, "id": each, "is": None if gone else self.content(kind, each, own)})
        require(not some_gone or any(piece["is"] is None for piece in pieces), "nothing is gone")
        return pieces

    def content(self, kind, which, own):
        bits = self.bits
        if kind == "placement":
            position = [self.dictionary.positions.read(bits)[1] for _ in range(3)]
            return {"position": position, "facing": [self.dictionary.facings.read(bits)[1] for _ in range(3)]}
        if kind == "attribute":
            quantiser = Quantiser("exact") if own else self.dictionary.attributes[which]
            differ = bits.flag()
            base = quantiser.read(bits)
            current = quantiser.read(bits) if differ else base
            require(not differ or base[0] != current[0], "equal codes, written twice")
            return {"base": base[1], "current": current[1]}
        if kind == "tag":
            return {"count": bits.varint(1, 32)}
        if kind == "cue":
            return {"count": bits.varint(1, 32), "since": bits.varint(8)}
        return {"record": bits.bytes(MAX_DATAGRAM).hex()}


def name(handle):
    return f"{handle[0]}v{handle[1]}"


def fits_single(value):
    try:
        (single,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return False
    return same_bits(single, value)


def gaps_bits(known, ids):
    """Bits of a set as gaps, with their number."""
    low = (known // len(ids)).bit_length() - 1
    total, following = varint_bits(len(ids) - 1, 2), 0
    for each in ids:
        total += ((each - following) >> low) + 1 + low
        following = each + 1
    return total


def varint_bits(value, group):
    bits = group + 1
    value >>= group
    while value:
        bits += group + 1
        value = (value - 1) >> group
    return bits


def exactly(value):
    """A reading with numbers by their bits, so that the sign of a zero counts."""
    if isinstance(value, float):
        return struct.pack("<d", value).hex()
    if isinstance(value, dict):
        return {key: exactly(each) for key, each in value.items()}
    if isinstance(value, list):
        return [exactly(each) for each in value]
    return value


def read(dictionary, to, data):
    message = Message(dictionary, data)
    return message.to_server() if to == "server" else message.to_client()


def check(path):
    """How many vectors there are, and what is wrong with them."""
    vectors = json.loads(path.read_text(encoding="utf-8"))
    dictionary = Dictionary(vectors["dictionary"])
    wrong = []
    for vector in vectors["vectors"]:
        data = bytes.fromhex(vector["hex"])
        try:
            meaning = read(dictionary, vector["to"], data)
        except Refused as error:
            wrong.append(f"{vector['name']}: refused: {error}")
            continue
        if exactly(meaning) != exactly(vector["meaning"]):
            wrong.append(f"{vector['name']}:\n  read  {json.dumps(meaning)}\n  means {json.dumps(vector['meaning'])}")
        for length in range(len(data)):
            try:
                read(dictionary, vector["to"], data[:length])
                wrong.append(f"{vector['name']}: read although it ends after {length} bytes")
            except Refused:
                pass
    for vector in vectors["refused"]:
        try:
            read(dictionary, vector["to"], bytes.fromhex(vector["hex"]))
            wrong.append(f"{vector['name']}: read, and should be refused")
        except Refused:
            pass
    return len(vectors["vectors"]) + len(vectors["refused"]), wrong


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    paths = [pathlib.Path(arguments[0])] if arguments else sorted(root.glob("crates/ugas-net/tests/vectors/wire-*.json"))
    if len(arguments) == 3:
        dictionary = Dictionary(json.loads(paths[0].read_text(encoding="utf-8"))["dictionary"])
        try:
            print(json.dumps(read(dictionary, arguments[1], bytes.fromhex(arguments[2])), indent=2))
            return 0
        except Refused as error:
            print(f"refused: {error}", file=sys.stderr)
            return 1
    if not paths or len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    failed = False
    for path in paths:
        count, wrong = check(path)
        for each in wrong:
            print(each, file=sys.stderr)
        print(f"{path.name}: {count} vectors, {len(wrong)} wrong")
        failed |= bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
