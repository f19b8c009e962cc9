"""Values in machine code: literals, elements in memory, and conversions."""

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
    """Operations on machine code values that all expressions share."""

    def literal(self, value) -> Value:
        """Returns a number, or an object that only a call or a conversion can use."""
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
        """Returns the address of an element."""
        if base.type.kind != "p":
            raise self.refuse(f"{base.type} has no elements")
        if index.type.kind not in "iu":
            raise self.refuse("an index is a whole number")
        index = self.converted(index, int64, explicit=True)
        element = base.type.element.memory
        return self.emit(base.type, f"getelementptr inbounds {element}, ptr {base.text}, i64 {index.text}").text

    def load(self, element: Type, address: str) -> Value:
        return self.from_memory(
            self.emit(element, f"load {element.memory}, ptr {address}, align {max(element.size, 1)}")
        )

    def from_memory(self, raw: Value) -> Value:
        """Returns a scalar or vector from its stored form in the type of the computation."""
        type_ = raw.type
        before, after, single = type_.memory, type_.loaded.register, type_.single
        if type_.kind == "b":
            return self.emit(type_.loaded, f"icmp ne {before} {raw.text}, {in_lanes(type_, '0')}")
        if single is bfloat16:
            return self.from_bfloat16(raw)
        if single is float16:
            return self.emit(type_.loaded, f"fpext {before} {raw.text} to {after}")
        return raw

    def from_bfloat16(self, raw: Value) -> Value:
        """Converts a bfloat16, the upper half of a float32, to float32."""
        word, float_type = vector_of(uint32, raw.type.lanes), raw.type.loaded
        form = word.memory
        wide = self.emit(word, f"zext {raw.type.memory} {raw.text} to {form}")
        high = self.emit(word, f"shl {form} {wide.text}, {in_lanes(word, '16')}")
        return self.emit(float_type, f"bitcast {form} {high.text} to {float_type.memory}")

    def to_bfloat16(self, value: Value) -> str:
        """Returns the upper half of a float32, rounded to even; NaN stays NaN."""
        word, mask, floats = vector_of(uint32, value.type.lanes), self.mask_type(value.type), value.type.memory
        form = word.memory

        def step(name: str, one: str, number: int) -> str:
            return self.emit(word, f"{name} {form} {one}, {in_lanes(word, str(number))}").text

        whole = self.emit(word, f"bitcast {floats} {value.text} to {form}").text
        high = step("lshr", whole, 16)
        more = step("add", step("and", high, 1), 32767)
        rounded = step("lshr", self.emit(word, f"add {form} {whole}, {more}").text, 16)
        quiet = step("or", high, 64)
        is_nan = self.emit(mask, f"fcmp uno {floats} {value.text}, {in_lanes(value.type, '0.0')}").text
        selected = self.emit(word, f"select {mask.register} {is_nan}, {form} {quiet}, {form} {rounded}").text
        return self.emit(word, f"trunc {form} {selected} to {vector_of(bfloat16, word.lanes).memory}").text

    def mask_type(self, type_: Type) -> Type:
        """Returns the type of a comparison of two values."""
        return mask_of(type_.lanes) if type_.lanes else boolean

    def to_memory(self, element: Type, value: Value) -> str:
        """Returns a scalar or vector in its stored form."""
        value = self.converted(value, element.loaded)
        before, after, single = value.type.register, element.memory, element.single
        if element.kind == "b":
            return self.emit(element, f"zext {before} {value.text} to {after}").text
        if single is bfloat16:
            return self.to_bfloat16(value)
        if single is float16:
            return self.emit(element, f"fptrunc {before} {value.text} to {after}").text
        return value.text

    def store(self, element: Type, address: str, value: Value) -> None:
        self.line(
            f"store {element.memory} {self.to_memory(element, value)}, ptr {address}, align {max(element.size, 1)}"
        )

    def promoted(self, left: Value, right: Value) -> tuple[Value, Value]:
        """Returns two operands promoted to one type."""
        common = meeting(left, right)
        if left.literal is right.literal is None and left.type.kind != right.type.kind:
            raise self.refuse(f"{left.type} meets {right.type}: write the cast")
        return self.converted(left, common), self.converted(right, common)

    def truth(self, value: Value, known: bool = True) -> Value:
        if value.type is not boolean:
            raise self.refuse(f"a condition is a comparison, not {value.type}")
        return value if known or value.literal is None else value._replace(literal=None)

    def converted(self, value: Value, type_: Type, name: str = "a value", explicit: bool = False) -> Value:
        """Converts a value to another type: any with a cast, else only without loss."""
        have, literal = value.type, value.literal
        if literal is not None and not isinstance(literal, (int, float)):
            return literal.converted(self, type_)
        if have.lanes and explicit:  # lane by lane
            type_ = vector_of(type_.single, have.lanes).loaded
        if literal is not None and type_.kind in "iuf":
            return self.literal_as(literal, type_, explicit)
        if have is type_ or (have.kind == type_.kind == "p" and type_.element is void):
            return value
        if explicit:
            return self.cast(value, type_)
        if have.kind == type_.kind and have.kind in "iuf" and have.bits < type_.bits and have.lanes == type_.lanes:
            return self.cast(value, type_)
        raise self.refuse(f"{name} is {type_}, given {have}: write the cast")

    def literal_as(self, number, type_: Type, explicit: bool) -> Value:
        if type_.kind == "f":
            exact = struct.unpack("f", struct.pack("f", number))[0] if type_.bits == 32 else float(number)
            return Value(type_, in_lanes(type_, decimal(exact)), float(number))
        if isinstance(number, float) and not explicit:
            raise self.refuse(f"{number} is no whole number")
        number = type_.single(number)
        return Value(type_, in_lanes(type_, str(number)), number)

    def cast(self, value: Value, type_: Type) -> Value:
        have, before, after = value.type, value.type.register, type_.register
        if type_.kind in "bm":
            test, zero = ("fcmp une", "0.0") if have.kind == "f" else ("icmp ne", "0")
            return self.emit(type_, f"{test} {before} {value.text}, {in_lanes(have, zero)}")
        if have.kind in "pc" and type_.kind in "pc":
            return Value(type_, value.text)
        if have.kind in "pc" or type_.kind in "pc":
            name = "ptrtoint" if have.kind in "pc" else "inttoptr"
        elif have.kind == "f" and type_.kind == "f":
            name = "fpext" if have.bits < type_.bits else "fptrunc"
        elif have.kind == "f":
            if type_.bits < 32:  # in two steps, as C compilers do, so that overflow wraps
                return self.cast(self.cast(value, vector_of(int32, have.lanes)), type_)
            name = "fptosi" if type_.kind == "i" else "fptoui"
        elif type_.kind == "f":
            name = "sitofp" if have.kind == "i" else "uitofp"
        elif have.bits == type_.bits and have.kind not in "bm":
            return Value(type_, value.text)
        else:
            wider = "sext" if have.kind == "i" else "zext"
            name = wider if have.bits < type_.bits or have.kind in "bm" else "trunc"
        if before == after:
            return Value(type_, value.text)
        return self.emit(type_, f"{name} {before} {value.text} to {after}")


def meeting(left: Value, right: Value) -> Type:
    """Returns the common type of two operands: the wider one; literals adapt."""
    if (left.literal is None) is not (right.literal is None):
        return right.type if left.literal is not None else left.type
    if left.literal is not None:
        return left.type if left.type is right.type else float64
    return left.type if left.type.bits >= right.type.bits else right.type


def in_lanes(type_: Type, number: str) -> str:
    """Returns a constant of a type; for a vector, the number in every lane."""
    if not type_.lanes:
        return number
    single = type_.memory.partition(" x ")[2][:-1]
    return f"<{', '.join([f'{single} {number}'] * type_.lanes)}>"


def decimal(number: float) -> str:
    """Returns a double in LLVM's exact notation."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
