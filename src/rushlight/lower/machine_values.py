"""Values in machine code: numbers written out, elements in memory, and one type made of another."""

from __future__ import annotations

import struct

from rushlight.lower.machine_text import Text, Value
from rushlight.lower.machine_types import (
    Type,
    bfloat16,
    boolean,
    float16,
    float64,
    int32,
    int64,
    mask_of,
    uint32,
    vector_of,
    void,
)


class Values(Text):
    """What is done with values of machine code, whatever expression they come from."""

    def literal(self, value) -> Value:
        """A number, or an object that only a call or a conversion can use."""
        if isinstance(value, bool):
            return Value(boolean, str(value).lower(), value)
        if isinstance(value, int):
            return Value(int64, str(value), value)
        if isinstance(value, float):
            return Value(float64, decimal(value), value)
        if hasattr(value, "as_value"):
            return value.as_value(self)
        raise self.refuse(f"{value!r} is no number")

    def address(self, base: Value, index: Value) -> str:
        """Where an element is."""
        if base.type.kind != "p":
            raise self.refuse(f"{base.type} has no elements")
        if index.type.kind not in "iu":
            raise self.refuse("an index is a whole number")
        index = self.converted(index, int64, explicit=True)
        element = base.type.element.memory
        return self.emit(base.type, f"getelementptr inbounds {element}, ptr {base.text}, i64 {index.text}").text

    def load(self, element: Type, place: str) -> Value:
        return self.opened(self.emit(element, f"load {element.memory}, ptr {place}, align {max(element.size, 1)}"))

    def opened(self, raw: Value) -> Value:
        """What is as it was in memory, a number or a vector, as it is computed with."""
        kind = raw.type
        before, after, single = kind.memory, kind.loaded.register, kind.single
        if kind.kind == "b":
            return self.emit(kind.loaded, f"icmp ne {before} {raw.text}, {in_lanes(kind, '0')}")
        if single is bfloat16:
            return self.widened(raw)
        if single is float16:
            return self.emit(kind.loaded, f"fpext {before} {raw.text} to {after}")
        return raw

    def widened(self, raw: Value) -> Value:
        """A bfloat16 is the upper half of a float32."""
        word, found = vector_of(uint32, raw.type.lanes), raw.type.loaded
        form = word.memory
        wide = self.emit(word, f"zext {raw.type.memory} {raw.text} to {form}")
        high = self.emit(word, f"shl {form} {wide.text}, {in_lanes(word, '16')}")
        return self.emit(found, f"bitcast {form} {high.text} to {found.memory}")

    def halved(self, value: Value) -> str:
        """The upper half of a float32, rounded to even; NaN stays NaN."""
        word, mask, floats = vector_of(uint32, value.type.lanes), self.masks(value.type), value.type.memory
        form = word.memory

        def step(name: str, one: str, number: int) -> str:
            return self.emit(word, f"{name} {form} {one}, {in_lanes(word, str(number))}").text

        whole = self.emit(word, f"bitcast {floats} {value.text} to {form}").text
        high = step("lshr", whole, 16)
        more = step("add", step("and", high, 1), 32767)
        rounded = step("lshr", self.emit(word, f"add {form} {whole}, {more}").text, 16)
        quiet = step("or", high, 64)
        is_nan = self.emit(mask, f"fcmp uno {floats} {value.text}, {in_lanes(value.type, '0.0')}").text
        found = self.emit(word, f"select {mask.register} {is_nan}, {form} {quiet}, {form} {rounded}").text
        return self.emit(word, f"trunc {form} {found} to {vector_of(bfloat16, word.lanes).memory}").text

    def masks(self, kind: Type) -> Type:
        """What a comparison of two of a type gives."""
        return mask_of(kind.lanes) if kind.lanes else boolean

    def stored(self, element: Type, value: Value) -> str:
        """The value, a number or a vector, as it goes into memory."""
        value = self.converted(value, element.loaded)
        before, after, single = value.type.register, element.memory, element.single
        if element.kind == "b":
            return self.emit(element, f"zext {before} {value.text} to {after}").text
        if single is bfloat16:
            return self.halved(value)
        if single is float16:
            return self.emit(element, f"fptrunc {before} {value.text} to {after}").text
        return value.text

    def store(self, element: Type, place: str, value: Value) -> None:
        self.line(f"store {element.memory} {self.stored(element, value)}, ptr {place}, align {max(element.size, 1)}")

    def alike(self, left: Value, right: Value) -> tuple[Value, Value]:
        """Two operands in one type."""
        kind = meeting(left, right)
        if left.literal is right.literal is None and left.type.kind != right.type.kind:
            raise self.refuse(f"{left.type} meets {right.type}: write the cast")
        return self.converted(left, kind), self.converted(right, kind)

    def truth(self, value: Value, known: bool = True) -> Value:
        if value.type is not boolean:
            raise self.refuse(f"a condition is a comparison, not {value.type}")
        return value if known or value.literal is None else value._replace(literal=None)

    def converted(self, value: Value, kind: Type, name: str = "a value", explicit: bool = False) -> Value:
        """The value in another type: any with a cast, else what loses nothing."""
        have, number = value.type, value.literal
        if number is not None and not isinstance(number, (int, float)):
            return number.converted(self, kind)
        if have.lanes and explicit:  # lane by lane
            kind = vector_of(kind.single, have.lanes).loaded
        if number is not None and kind.kind in "iuf":
            return self.literal_as(number, kind, explicit)
        if have is kind or (have.kind == kind.kind == "p" and kind.element is void):
            return value
        if explicit:
            return self.cast(value, kind)
        if have.kind == kind.kind and have.kind in "iuf" and have.bits < kind.bits and have.lanes == kind.lanes:
            return self.cast(value, kind)
        raise self.refuse(f"{name} is {kind}, given {have}: write the cast")

    def literal_as(self, number, kind: Type, explicit: bool) -> Value:
        if kind.kind == "f":
            exact = struct.unpack("f", struct.pack("f", number))[0] if kind.bits == 32 else float(number)
            return Value(kind, in_lanes(kind, decimal(exact)), float(number))
        if isinstance(number, float) and not explicit:
            raise self.refuse(f"{number} is no whole number")
        number = kind.single(number)
        return Value(kind, in_lanes(kind, str(number)), number)

    def cast(self, value: Value, kind: Type) -> Value:
        have, before, after = value.type, value.type.register, kind.register
        if kind.kind in "bm":
            test, zero = ("fcmp une", "0.0") if have.kind == "f" else ("icmp ne", "0")
            return self.emit(kind, f"{test} {before} {value.text}, {in_lanes(have, zero)}")
        if have.kind in "pc" and kind.kind in "pc":
            return Value(kind, value.text)
        if have.kind in "pc" or kind.kind in "pc":
            name = "ptrtoint" if have.kind in "pc" else "inttoptr"
        elif have.kind == "f" and kind.kind == "f":
            name = "fpext" if have.bits < kind.bits else "fptrunc"
        elif have.kind == "f":
            if kind.bits < 32:  # in two steps, as C compilers do it: so what does not fit wraps round
                return self.cast(self.cast(value, vector_of(int32, have.lanes)), kind)
            name = "fptosi" if kind.kind == "i" else "fptoui"
        elif kind.kind == "f":
            name = "sitofp" if have.kind == "i" else "uitofp"
        elif have.bits == kind.bits and have.kind not in "bm":
            return Value(kind, value.text)
        else:
            wider = "sext" if have.kind == "i" else "zext"
            name = wider if have.bits < kind.bits or have.kind in "bm" else "trunc"
        if before == after:
            return Value(kind, value.text)
        return self.emit(kind, f"{name} {before} {value.text} to {after}")


def meeting(left: Value, right: Value) -> Type:
    """The type in which two operands meet: the wider one, numbers written out being no wider than anything."""
    if (left.literal is None) is not (right.literal is None):
        return right.type if left.literal is not None else left.type
    if left.literal is not None:
        return left.type if left.type is right.type else float64
    return left.type if left.type.bits >= right.type.bits else right.type


def in_lanes(kind: Type, number: str) -> str:
    """A constant of a type: of a vector, the number in every lane."""
    if not kind.lanes:
        return number
    single = kind.memory.partition(" x ")[2][:-1]
    return f"<{', '.join([f'{single} {number}'] * kind.lanes)}>"


def decimal(number: float) -> str:
    """A double in LLVM's notation, which is exact."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
