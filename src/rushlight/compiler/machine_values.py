"""Values in machine code: numbers written out, elements in memory, and one type made of another."""

from __future__ import annotations

import struct

from rushlight.compiler.machine_text import Text, Value
from rushlight.compiler.machine_types import (
    Type,
    bfloat16,
    boolean,
    float16,
    float32,
    float64,
    int32,
    int64,
    uint32,
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
        raw = self.emit(element, f"load {element.memory}, ptr {place}, align {max(element.size, 1)}")
        if element.kind == "b":
            return self.emit(boolean, f"icmp ne i8 {raw.text}, 0")
        if element is bfloat16:
            return self.widened(raw)
        if element is float16:
            return self.emit(float32, f"fpext half {raw.text} to float")
        return raw

    def widened(self, raw: Value) -> Value:
        """A bfloat16 is the upper half of a float32."""
        wide = self.emit(uint32, f"zext i16 {raw.text} to i32")
        high = self.emit(uint32, f"shl i32 {wide.text}, 16")
        return self.emit(float32, f"bitcast i32 {high.text} to float")

    def halved(self, value: Value) -> str:
        """The upper half of a float32, rounded to even; NaN stays NaN."""
        whole = self.emit(uint32, f"bitcast float {value.text} to i32").text
        high = self.emit(uint32, f"lshr i32 {whole}, 16").text
        odd = self.emit(uint32, f"and i32 {high}, 1").text
        more = self.emit(uint32, f"add i32 {odd}, 32767").text
        total = self.emit(uint32, f"add i32 {whole}, {more}").text
        rounded = self.emit(uint32, f"lshr i32 {total}, 16").text
        quiet = self.emit(uint32, f"or i32 {high}, 64").text
        is_nan = self.emit(boolean, f"fcmp uno float {value.text}, 0.0").text
        found = self.emit(uint32, f"select i1 {is_nan}, i32 {quiet}, i32 {rounded}").text
        return self.emit(uint32, f"trunc i32 {found} to i16").text

    def stored(self, element: Type, value: Value) -> str:
        """The value as it goes into memory."""
        value = self.converted(value, element.loaded)
        if element.kind == "b":
            return self.emit(element, f"zext i1 {value.text} to i8").text
        if element is bfloat16:
            return self.halved(value)
        if element is float16:
            return self.emit(element, f"fptrunc float {value.text} to half").text
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
        if number is not None:
            if not isinstance(number, (int, float)):
                return number.converted(self, kind)
            if kind.kind in "iuf":
                return self.literal_as(number, kind, explicit)
        if have is kind or (have.kind == kind.kind == "p" and kind.element is void):
            return value
        if explicit:
            return self.cast(value, kind)
        if have.kind == kind.kind and have.kind in "iuf" and have.bits < kind.bits:
            return self.cast(value, kind)
        raise self.refuse(f"{name} is {kind}, given {have}: write the cast")

    def literal_as(self, number, kind: Type, explicit: bool) -> Value:
        if kind.kind == "f":
            exact = struct.unpack("f", struct.pack("f", number))[0] if kind.bits == 32 else float(number)
            return Value(kind, in_lanes(kind, decimal(exact)), float(number))
        if isinstance(number, float) and not explicit:
            raise self.refuse(f"{number} is no whole number")
        number = kind(number)
        return Value(kind, in_lanes(kind, str(number)), number)

    def cast(self, value: Value, kind: Type) -> Value:
        have, before, after = value.type, value.type.register, kind.register
        if kind is boolean:
            test = f"fcmp une {before} {value.text}, 0.0" if have.kind == "f" else f"icmp ne {before} {value.text}, 0"
            return self.emit(boolean, test)
        if have.kind in "pc" and kind.kind in "pc":
            return Value(kind, value.text)
        if have.kind in "pc" or kind.kind in "pc":
            name = "ptrtoint" if have.kind in "pc" else "inttoptr"
        elif have.kind == "f" and kind.kind == "f":
            name = "fpext" if have.bits < kind.bits else "fptrunc"
        elif have.kind == "f":
            if kind.bits < 32:  # in two steps, as C compilers do it: so what does not fit wraps round
                return self.cast(self.cast(value, int32), kind)
            name = "fptosi" if kind.kind == "i" else "fptoui"
        elif kind.kind == "f":
            name = "sitofp" if have.kind == "i" else "uitofp"
        elif have.bits == kind.bits and have.kind != "b":
            return Value(kind, value.text)
        else:
            wider = "sext" if have.kind == "i" else "zext"
            name = wider if have.bits < kind.bits or have.kind == "b" else "trunc"
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
