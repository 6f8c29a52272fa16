#!/usr/bin/env python3
"""Reads datagrams of ugas-net as docs/wire-format.md describes them, independently of the Rust code.

    decode.py                       checks the test vectors of the repository; 1 if one fails
    decode.py VECTORS.json          checks these vectors
    decode.py VECTORS.json server HEX...    reads datagrams to the server (or `client`) with the dictionary of that file

Datagrams to a client are decoded in order, as by a client that acknowledges what it can decode: an update may be a delta of
earlier ones. A refused datagram is reported and skipped; the exit code is then 1.

Nothing but the standard library is needed.
"""

import json
import math
import pathlib
import struct
import sys

MAX_DATAGRAM = 1200
MAX_SLOTS = 65536


class Refused(Exception):
    """The datagram is not a valid message."""


def require(condition, why):
    if not condition:
        raise Refused(why)


class Bits:
    """Reads the bits of a datagram, lowest bit of the first byte first."""

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

    def gamma(self):
        count = 0
        while self.flag():
            count += 1
            require(count < 62, "a number is too large")
        return (1 << count | self.bits(count)) - 1

    def signed(self, group):
        return unzigzag(self.varint(group))

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
        require(self.left < 8, "bytes follow the message")
        require(self.value == 0, "the last byte is not filled with zeros")


def unzigzag(zigzag):
    return -(zigzag + 1) // 2 if zigzag & 1 else zigzag // 2


def same_bits(one, other):
    return struct.pack("<d", one) == struct.pack("<d", other)


def number_form(value):
    """The first form that preserves all bits."""
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
    """Precision of a number on the wire."""

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
            return code, self.value(code)
        code = bits.bits(description["bits"])
        return code, self.value(code)

    def value(self, code):
        """The value of a code."""
        description = self.description
        if "step" in description:
            step = description["step"]
            parts = 1.0 / step
            if parts >= 1 and parts.is_integer() and 1.0 / parts == step:
                return code / parts
            return code * step
        least, most, width = (description[name] for name in ("min", "max", "bits"))
        top = 2**width - 1
        return most if code == top else least + (most - least) * (code / top)

    def is_exact(self):
        return self.description == "exact"

    def is_code(self, code):
        if "step" in self.description:
            return abs(code) <= 2**50
        return 0 <= code < 2 ** self.description["bits"]

    def code(self, value):
        """The code of a value that was received."""
        description = self.description
        if "step" in description:
            parts = 1.0 / description["step"]
            is_whole = parts >= 1 and parts.is_integer() and 1.0 / parts == description["step"]
            return round_half_away(value * parts if is_whole else value / description["step"])
        least, most, width = (description[name] for name in ("min", "max", "bits"))
        return round_half_away((value - least) / (most - least) * (2**width - 1))

    def common_steps(self, changes):
        """Common changes in steps, rounded towards zero and away from zero."""
        if self.is_exact():
            return []
        if "step" in self.description:
            step = self.description["step"]
        else:
            least, most, width = (self.description[name] for name in ("min", "max", "bits"))
            step = (most - least) / (2**width - 1)
        found = []
        for change in changes:
            steps = max(-(2.0**50), min(2.0**50, change / step))
            near = math.trunc(steps)
            for each in (near, near if near == steps else near + (1 if steps > 0 else -1)):
                if each and each not in found:
                    found.append(each)
        return found


class Dictionary:
    def __init__(self, description):
        self.tags = description["tags"]
        self.attributes = [Quantiser(each) for each in description["attributes"]]
        self.common = description["common"]
        # Quantised attributes come before exact ones.
        self.order = sorted(range(len(self.attributes)), key=lambda each: self.attributes[each].is_exact())
        self.positions = Quantiser(description["positions"])
        self.facings = Quantiser(description["facings"])
        self.inputs = sorted(description["inputs"], key=lambda name: name.encode("utf-8"))


def width(things):
    """Number of bits that distinguish so many things."""
    return (things - 1).bit_length() if things > 1 else 0


class UpdateDecoder:
    """Delta-decoding state of a client: what later updates refer to."""

    def __init__(self):
        self.newest = 0
        self.acked = 0
        self.streams = []
        self.known = {}

    def note(self, update):
        if update["states_course"]:
            self.streams.append((update["packet"], update["tick"], update["course"]))
            self.streams.sort(key=lambda each: each[0])
        if update["packet"] >= self.newest:
            self.newest = update["packet"]
            if update["word"]:
                self.acked = max(self.acked, update["word"]["ack"]["newest"])
        for change in update["controllers"]:
            place = int(change["controller"].split("v")[0])
            generation = int(change["controller"].split("v")[1])
            if place >= MAX_SLOTS:
                continue
            tick = update["tick"]
            known = self.known.get(place)
            is_of = known and known["generation"] == generation
            is_gone = "gone" in change
            if not is_of or is_gone or known["is_gone"] or known["epoch"] != change["epoch"]:
                # Keep the later generation in a slot, and the later state of one generation.
                since = known["newest"] + (not is_gone) if is_of else 0
                if known and (generation < known["generation"] or tick < since):
                    continue
                known = {"generation": generation, "first": tick, "newest": tick, "is_gone": is_gone, "values": {}}
                known["packet"] = update["packet"]
                self.known[place] = known
            if is_gone:
                continue
            if tick >= known["newest"]:
                known["newest"] = tick
                known |= {name: change[name] for name in ("controller", "epoch", "own", "sight")}
            for piece in change["pieces"]:
                if piece["piece"] in ("attribute", "tag"):
                    values = known["values"].setdefault((piece["piece"], piece["id"]), {})
                    values[update["tick"]] = piece["is"]
        is_over = lambda known: known["is_gone"] and self.newest - known["packet"] >= 66
        self.known = {place: known for place, known in self.known.items() if not is_over(known)}

    def packet_near(self, low):
        least = max(0, self.newest - 223)
        return least + (low - least) % 256

    def acked_near(self, low):
        return self.acked + (low - self.acked) % 256

    def stream_of(self, packet):
        stated = [each for each in self.streams if each[0] <= packet]
        require(stated, "an earlier datagram is needed")
        first, tick, course = stated[-1]
        return tick + (packet - first) * course["step"], course

    def at_slot(self, place, tick):
        known = self.known.get(place)
        require(known and known["first"] <= tick and not known["is_gone"], "an earlier datagram is needed")
        return known

    def old(self, place, piece, base):
        values = self.known[place]["values"].get(piece, {})
        ticks = [tick for tick in values if tick <= base]
        return values[max(ticks)] if ticks else None


class Message:
    """Decodes one message."""

    def __init__(self, dictionary, data, decoder=None):
        require(len(data) <= MAX_DATAGRAM, "the datagram is too long")
        self.dictionary = dictionary
        self.bits = Bits(data)
        self.decoder = decoder or UpdateDecoder()

    def to_server(self):
        kind = self.bits.bits(3)
        readers = {0: self.hello, 1: self.frames, 2: lambda: {"message": "bye"}, 3: self.resume}
        return self.whole(readers, kind)

    def to_client(self):
        kind = self.bits.bits(3)
        readers = {0: self.welcome, 1: self.refused, 3: self.bye}
        for flags in range(4):
            readers[4 | flags] = lambda: self.update(bool(kind & 1), bool(kind & 2))
        return self.whole(readers, kind)

    def whole(self, readers, kind):
        require(kind in readers, "an unknown kind of message")
        message = readers[kind]()
        self.bits.finish()
        return message

    # Values of several messages.

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
        return self.ack_of(self.packet())

    def ack_of(self, newest):
        everything = (1 << min(32, max(0, newest - 1))) - 1
        earlier = everything
        if self.bits.flag():
            earlier = self.bits.bits(32)
            require(earlier != everything, "a redundant acknowledgement")
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
            require(count <= known, "more ids than exist")
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
        require(ids, "an empty set")
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

    def resume(self):
        bits = self.bits
        return {
            "message": "resume",
            "client": bits.bits(32),
            "nonce": bits.bits(64),
            "secret": self.secret(),
        }

    def secret(self):
        return bytes(self.bits.bits(8) for _ in range(32)).hex()

    def frames(self):
        message = {
            "message": "frames",
            "session": self.bits.bits(8),
            "packet": self.packet(),
            "ack": self.ack(),
            "now": self.tick(),
        }
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
            if kind == 5:
                command["targets"] = self.targets()
        return command

    def input(self):
        inputs = self.dictionary.inputs
        if self.bits.flag():
            number = self.bits.bits(width(len(inputs)))
            require(number < len(inputs), "an unknown input")
            return inputs[number]
        text = self.bits.text(64)
        require(text not in inputs, "a redundant name of an input")
        return text

    def event(self):
        return {
            "tag": self.tag(),
            "magnitude": self.bits.number(),
            "instigator": self.bits.option(self.named_handle),
            "target": self.bits.option(self.named_handle),
            "details": self.bits.option(self.event_details),
        }

    def event_details(self):
        count = self.bits.varint(1)
        require(count <= 16, "too many context tags")
        tags = [self.tag() for _ in range(count)]
        targets = self.targets()
        count = self.bits.varint(1)
        require(count <= 16, "too many numbers")
        payload = [[self.bits.text(64), self.bits.number()] for _ in range(count)]
        names = [name.encode() for name, _ in payload]
        require(names == sorted(set(names)), "numbers that are not sorted")
        causer = self.bits.option(self.actor)
        origin = self.bits.option(self.vector)
        require(
            tags or targets or payload or causer is not None or origin is not None,
            "details without content",
        )
        return {
            "context_tags": tags,
            "targets": targets,
            "payload": payload,
            "causer": causer,
            "origin": origin,
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
            "session": bits.bits(8),
            "tick": bits.bits(32),
            "length": bits.bits(20),
            "prediction_seed": bits.bits(64),
            "max_lead": bits.bits(32),
            "secret": bits.option(self.secret),
            "resumed": bits.option(lambda: bits.bits(32)),
        }
        require(1000 <= welcome["length"] <= 1000000, "a tick length is out of range")
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
        elif kind == 5:
            reason = ["ended", self.bye()["reason"]]
        elif kind == 6:
            reason = ["no session"]
        else:
            raise Refused("an unknown reason")
        return {"message": "refused", "nonce": nonce, "reason": reason}

    def bye(self):
        reasons = ["shutdown", "timed out", "kicked", "misbehaved"]
        kind = self.bits.bits(4)
        require(kind < len(reasons), "an unknown reason")
        return {"message": "bye", "reason": reasons[kind]}

    def update(self, states_course, has_word):
        bits, decoder = self.bits, self.decoder
        session = bits.bits(4)
        if states_course:
            packet, tick = self.packet(), self.tick()
            step = bits.varint(2) + 1
            require(step < 2**32, "a step is too large")
            course = {"step": step, "places": bits.varint(6, 32)}
        else:
            packet = decoder.packet_near(bits.bits(8))
            tick, course = decoder.stream_of(packet)
        word = None
        if has_word:
            newest = self.packet() if states_course else decoder.acked_near(bits.bits(8))
            ack, margin = self.ack_of(newest), bits.signed(3)
            require(-(2**15) <= margin < 2**15, "a margin is out of range")
            if states_course or packet >= decoder.newest:
                word = {"ack": ack, "margin": margin}
        part, since = self.part(tick)
        update = {
            "message": "update",
            "session": session,
            "packet": packet,
            "tick": tick,
            "course": course,
            "states_course": states_course,
            "word": word,
            "part": part,
            "since": since,
            "results": [],
            "bursts": [],
            "controllers": [],
        }
        has_places, has_lists = True, False
        if bits.flag():
            has_lists = bits.flag()
            has_places = has_lists and bits.flag()
        if has_places:
            update["controllers"] += self.places(tick, course["places"])
        if has_lists:
            update["results"] = bits.list(lambda: self.result(tick))
            update["bursts"] = bits.list(lambda: self.burst(tick))
            controllers = self.controllers()
            require(update["results"] or update["bursts"] or controllers, "empty lists")
            update["controllers"] += controllers
            handles = [tuple(map(int, each["controller"].split("v"))) for each in update["controllers"]]
            require(len(set(handles)) == len(handles), "a controller is sent twice")
            order = sorted(range(len(handles)), key=handles.__getitem__)
            update["controllers"] = [update["controllers"][each] for each in order]
        return update

    def part(self, tick):
        bits = self.bits
        if not bits.flag():
            return [0, 1], 0
        part, parts, needs = 0, 1, True
        if bits.flag():
            part, parts, needs = bits.bits(8), bits.bits(8), bits.flag()
            require((part, parts) != (0, 1), "a redundant part")
            require(part < parts or part == parts == 0, "a part beyond the last")
        since = 0
        if needs:
            since = tick - bits.gamma()
            require(since > 0, "a tick is out of range")
        return [part, parts], since

    def places(self, tick, known):
        base = tick - 1 - self.bits.gamma()
        require(base >= 0, "a tick is out of range")
        places = self.id_set(known)
        some_whole = self.bits.flag()
        whole = [some_whole and self.bits.flag() for _ in places]
        require(not some_whole or any(whole), "no controller is sent in full")
        controllers = []
        for place, is_whole in zip(places, whole):
            view = self.decoder.at_slot(place, tick)
            old = None if is_whole else lambda piece, place=place: self.decoder.old(place, piece, base)
            change = {name: view[name] for name in ("controller", "epoch", "own", "sight")}
            controllers.append(change | {"pieces": self.block(view["own"], old)})
        return controllers

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
            "details": self.bits.option(lambda: self.bits.bytes(512).hex()),
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
                require(epoch, "a redundant epoch")
            require(own or effects or abilities or epoch, "a redundant view")
        sight = {"effects": effects, "abilities": abilities}
        return {"epoch": epoch, "own": own, "sight": sight, "pieces": self.block(own, None)}

    def block(self, own, old):
        """Pieces; `old` returns the old value of one, if they are sent as deltas."""
        bits = self.bits
        pieces, last, rank, tag = [], None, 0, 0
        while True:
            may_be = {
                None: ("attribute", "tag", "rest"),
                "attribute": ("end", "attribute", "tag", "rest"),
                "tag": ("end", "tag", "rest"),
            }[last]
            at = 0
            while at + 1 < len(may_be) and bits.flag():
                at += 1
            if may_be[at] == "end":
                break
            if may_be[at] == "rest":
                pieces += self.rest(last is None)
                break
            last = may_be[at]
            if last == "attribute":
                rank += bits.gamma()
                require(rank < len(self.dictionary.order), "an unknown attribute")
                which = self.dictionary.order[rank]
                rank += 1
                content = self.attribute(which, own, old and old(("attribute", which)))
            else:
                which = self.tag()
                require(which >= tag, "tags do not rise")
                tag = which + 1
                content = self.grants(old is not None, old and old(("tag", which)))
            pieces.append({"piece": last, "id": which, "is": content})
        kinds = "head placement attribute tag cue effect ability run task inputs".split()
        pieces.sort(key=lambda piece: (kinds.index(piece["piece"]), handle_or_id(piece["id"])))
        names = [(piece["piece"], piece["id"]) for piece in pieces]
        require(len(set(names)) == len(names), "a piece is sent twice")
        return pieces

    def attribute(self, which, own, old):
        quantiser = Quantiser("exact") if own else self.dictionary.attributes[which]
        if old is None:
            return self.whole_attribute(quantiser)
        common = self.dictionary.common[which]
        number = self.bits.gamma()
        if quantiser.is_exact():
            changed = [[old["base"] + each, old["current"] + each] for each in common]
            require(number <= len(common), "an unknown change")
            new = changed[number] if number < len(common) else None
            if new is None:
                whole = self.whole_attribute(quantiser)
                new = [whole["base"], whole["current"]]
            require(all(map(math.isfinite, new)), "a number is not finite")
            same = [exactly(each) == exactly(new) for each in changed]
            require((same.index(True) if True in same else len(common)) == number, "a change has another form")
            return {"base": new[0], "current": new[1]}
        steps = quantiser.common_steps(common)
        if number < len(steps):
            change = (steps[number], steps[number])
        elif number == len(steps):
            change = (self.bits.signed(3), self.bits.signed(3))
            require(change[0] != change[1] or change[0] == 0, "a change has another form")
        else:
            step = unzigzag(number - len(steps))
            require(step not in steps, "a change has another form")
            change = (step, step)
        codes = [quantiser.code(old[name]) + each for name, each in zip(("base", "current"), change)]
        require(all(map(quantiser.is_code, codes)), "a code is too large")
        return {"base": quantiser.value(codes[0]), "current": quantiser.value(codes[1])}

    def whole_attribute(self, quantiser):
        differ = self.bits.flag()
        base = quantiser.read(self.bits)
        current = quantiser.read(self.bits) if differ else base
        require(not differ or base[0] != current[0], "equal codes are sent twice")
        return {"base": base[1], "current": current[1]}

    def grants(self, by_difference, old):
        toggled = None if old and old["count"] else {"count": 1}
        if by_difference and not self.bits.flag():
            return toggled
        count = None if self.bits.flag() else {"count": self.bits.varint(1, 32)}
        require(not by_difference or count != toggled, "a tag has another form")
        return count

    def rest(self, is_all):
        kinds = ("head", "placement", "lost", "cue", "effect", "ability", "run", "task", "inputs")
        there = [kind for kind in kinds if self.bits.flag()]
        require(there or is_all, "a list of no kinds")
        pieces = []
        for kind in there:
            pieces += self.pieces(kind)
        return pieces

    def pieces(self, kind):
        if kind == "lost":
            ids = self.id_set(len(self.dictionary.attributes))
            return [{"piece": "attribute", "id": each, "is": None} for each in ids]
        if kind in ("head", "placement", "inputs"):
            ids = [None]
        elif kind == "cue":
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
            pieces.append({"piece": kind, "id": each, "is": None if gone else self.content(kind)})
        require(not some_gone or any(piece["is"] is None for piece in pieces), "no piece is removed")
        return pieces

    def content(self, kind):
        bits = self.bits
        if kind == "placement":
            position = [self.dictionary.positions.read(bits)[1] for _ in range(3)]
            return {"position": position, "facing": [self.dictionary.facings.read(bits)[1] for _ in range(3)]}
        if kind == "cue":
            return {"count": bits.varint(1, 32), "since": bits.varint(8), "context": bits.bytes(512).hex()}
        return {"record": bits.bytes(MAX_DATAGRAM).hex()}


def handle_or_id(which):
    """Sort key of the pieces of a kind."""
    if isinstance(which, str):
        return tuple(map(int, which.split("v")))
    return (which or 0,)


def name(handle):
    return f"{handle[0]}v{handle[1]}"


def fits_single(value):
    try:
        (single,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return False
    return same_bits(single, value)


def gaps_bits(known, ids):
    """Number of bits of a set that is sent as gaps, including their number."""
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
    """A value with its numbers as bits, so that the sign of a zero counts."""
    if isinstance(value, float):
        return struct.pack("<d", value).hex()
    if isinstance(value, dict):
        return {key: exactly(each) for key, each in value.items()}
    if isinstance(value, list):
        return [exactly(each) for each in value]
    return value


def read(dictionary, to, data, decoder=None):
    message = Message(dictionary, data, decoder)
    return message.to_server() if to == "server" else message.to_client()


def check(path):
    """The number of vectors, and descriptions of those that fail."""
    vectors = json.loads(path.read_text(encoding="utf-8"))
    dictionary = Dictionary(vectors["dictionary"])
    wrong = []
    for vector in vectors["vectors"]:
        data = bytes.fromhex(vector["hex"])
        decoder = UpdateDecoder()
        try:
            if "after" in vector:
                decoder.note(read(dictionary, vector["to"], bytes.fromhex(vector["after"])))
            meaning = read(dictionary, vector["to"], data, decoder)
        except Refused as error:
            wrong.append(f"{vector['name']}: refused: {error}")
            continue
        if exactly(meaning) != exactly(vector["meaning"]):
            wrong.append(f"{vector['name']}:\n  decoded  {json.dumps(meaning)}\n  expected {json.dumps(vector['meaning'])}")
        for length in range(len(data)):
            try:
                read(dictionary, vector["to"], data[:length], decoder)
                wrong.append(f"{vector['name']}: decoded although it is truncated to {length} bytes")
            except Refused:
                pass
    for vector in vectors["refused"]:
        try:
            read(dictionary, vector["to"], bytes.fromhex(vector["hex"]))
            wrong.append(f"{vector['name']}: decoded, but must be refused")
        except Refused:
            pass
    return len(vectors["vectors"]) + len(vectors["refused"]), wrong


def show(path, to, datagrams):
    """Decodes datagrams in order; 1 if one is refused."""
    dictionary = Dictionary(json.loads(path.read_text(encoding="utf-8"))["dictionary"])
    decoder, failed = UpdateDecoder(), False
    for number, datagram in enumerate(datagrams, 1):
        try:
            message = read(dictionary, to, bytes.fromhex(datagram), decoder)
        except (Refused, ValueError) as error:
            print(f"datagram {number}: refused: {error}", file=sys.stderr)
            failed = True
            continue
        if message["message"] == "update":
            decoder.note(message)
        print(json.dumps(message, indent=2))
    return 1 if failed else 0


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    paths = [pathlib.Path(arguments[0])] if arguments else sorted(root.glob("crates/ugas-net/tests/vectors/wire-*.json"))
    if len(arguments) >= 3 and arguments[1] in ("server", "client"):
        return show(paths[0], arguments[1], arguments[2:])
    if not paths or len(arguments) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    failed = False
    for path in paths:
        count, wrong = check(path)
        for each in wrong:
            print(each, file=sys.stderr)
        print(f"{path.name}: {count} vectors, {len(wrong)} failed")
        failed |= bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
