"""Machine code that reads and compares Python objects, as a table of instructions says.

A table is a block of words: a head, registers, and code. A register holds a borrowed reference. Nothing that is called
while a table runs can run code of the program, so what was read stays alive: instructions that would need it end with
UNSURE, and Python decides. `capture/guard_machine.py` writes the tables.

An instruction is a word (`word_of`: its code, how it ends if there is nothing to read, two registers), and operands.
"""

from __future__ import annotations

import ctypes

from rushlight.core.graph import Leaf
from rushlight.core.storage import InferenceStorage, Storage
from rushlight.core.tensor import Parameter, Tensor
from rushlight.lower.builtin_calls import HEAD
from rushlight.lower.language import Imported, local, offset
from rushlight.lower.machine_types import boolean, float64, function, int32, int64, pointer, uint8, uint32, uint64
from rushlight.lower.native import native
from rushlight.lower.objects import (
    ADD_REFERENCE,
    CLASS,
    DATA,
    DROP_REFERENCE,
    DTYPE,
    LETTERS,
    NONE,
    RANK,
    SIZES,
    STRIDES,
    TRUE,
    Object,
    address_of,
)
from rushlight.lower.python_layout import (
    DICT_KEYS,
    DICT_VERSION,
    ITEM_BYTES,
    KEYS_KIND,
    LENGTH,
    LIST_ITEMS,
    OWN_DICT,
    TUPLE_ITEMS,
    TYPE_VERSION,
)

# Words of a block's head; registers follow. The first two registers hold `args` and `kwargs` of the call.
REST, CODE, REGISTERS = 0, 1, 2  # a function for what Python has to check, or 0; where the code begins
ARGS, KWARGS = 0, 1
# Words of a handle, which a builtin function has as the first item of its tuple.
BLOCK, REFERENCE, COUNT = 0, 1, 2  # the address of the block; the function that decides if unsure; of values wanted

FAILS, UNSURE, HOLDS = 0, 1, 2  # how a table ends

# Instructions: the object is in the first register of the word, and its class was checked before.
END = 0  # writes registers to the list: count, registers
IS = 1  # the object is: address
CLASS_IS = 2  # its class is: address
EQUALS = 3  # the object is a number, string or bytes equal to: address
LACKS = 4  # an open dictionary has no: key
HAS_KEYS = 5  # an open dictionary has: tuple of keys
GET = 6  # from an open dictionary, as what follows to the second register: key
OWN = 7  # the object's dictionary: bytes to its address
IN_LIST, IN_TUPLE = 8, 9  # an item: index
MEMBER, MEMBER_OR_NONE = 10, 11  # an object in the object: bytes to its address
OPEN = 12  # a dictionary to read from: class
OPEN_IF_CHANGED = 13  # the same: class, address, version, words to skip if both are what they were
CLOSE = 14  # notes them: words back to the OPEN_IF_CHANGED
LONG = 15  # class and length of a list, tuple or dictionary
IS_TENSOR = 16  # class, class of array, dtype, flags, rank, sizes, strides
SAME, OTHER = 17, 18  # as the object in the second register
UNCHANGED = 19  # a class: address, version

GRAD, IS_LEAF, IS_VIEW = 1, 2, 4  # flags of IS_TENSOR


def word_of(code: int, otherwise: int = FAILS, source: int = 0, to: int = 0) -> int:
    """Returns the first word of an instruction."""
    return code | otherwise << 8 | source << 16 | to << 40


def slot(name: str) -> int:
    """Returns the word of a slot of a tensor."""
    place = ctypes.c_int64.from_address(id(vars(Tensor)[name]) + HEAD + 24).value
    return ctypes.c_int64.from_address(place + 16).value // 8


ARRAY_SLOT, EDGE_SLOT, BASE_SLOT, STORE_SLOT = (slot(name) for name in ("_array", "_edge", "_base", "_store"))

MARKED_NAME = "_marked"
GET_ITEM = Imported("get_item", function(Object, Object, returns=Object), address_of("PyDict_GetItemWithError"))
NEXT_ITEM = Imported(
    "next_item", function(Object, pointer(int64), pointer(Object), pointer(Object), returns=int32),
    address_of("PyDict_Next"),
)  # fmt: skip
COMPARE = Imported("compare", function(Object, Object, int32, returns=int32), address_of("PyObject_RichCompareBool"))
OWN_DICTIONARY = Imported(
    "own_dictionary", function(Object, Object, returns=Object), address_of("PyObject_GenericGetDict")
)
ATTRIBUTE = Imported("attribute", function(Object, Object, returns=Object), address_of("PyObject_GenericGetAttr"))
CALL = Imported(
    "call", function(Object, pointer(Object), int64, Object, returns=Object), address_of("PyObject_Vectorcall")
)
NEW_LIST = Imported("new_list", function(int64, returns=Object), address_of("PyList_New"))
PAUSE = Imported("pause_collection", function(returns=int32), address_of("PyGC_Disable"))
RESUME = Imported("resume_collection", function(returns=int32), address_of("PyGC_Enable"))
CLEAR_ERROR = Imported("clear_error", function(), address_of("PyErr_Clear"))
RAISE = Imported("raise_none", function(Object), address_of("PyErr_SetNone"))
TYPE_ERROR = Imported("type_error", Object, lambda: id(TypeError))
FALSE = Imported("false", Object, lambda: id(False))
REAL = Imported("real", Object, lambda: id(float))
COMPLEX = Imported("complex", Object, lambda: id(complex))
LEAF = Imported("leaf", Object, lambda: id(Leaf))
STORAGE = Imported("storage", Object, lambda: id(Storage))
INFERENCE_STORAGE = Imported("inference_storage", Object, lambda: id(InferenceStorage))
TENSOR = Imported("tensor", Object, lambda: id(Tensor))
PARAMETER = Imported("parameter", Object, lambda: id(Parameter))
MARKED = Imported("marked", Object, lambda: id(MARKED_NAME))


# ---- parts of objects


@native(inlined=True)
def class_of(value: Object) -> int64:
    return value[CLASS]


@native(inlined=True)
def at_byte(value: Object, place: int64) -> int64:
    """Returns the word at an offset."""
    return Object(offset(pointer(uint8)(value), place))[0]


@native(inlined=True)
def has_strings(dictionary: Object) -> boolean:
    """Returns whether its keys are strings, so that looking up runs no code of keys."""
    return pointer(uint8)(dictionary[DICT_KEYS])[KEYS_KIND] != 0


@native(alone=True)
def made_dictionary(value: Object) -> int64:
    """Returns the address of an object's new dictionary; 0 if there is no memory for it."""
    own_dictionary, drop_reference, clear_error = OWN_DICTIONARY, DROP_REFERENCE, CLEAR_ERROR
    pause, resume = PAUSE, RESUME
    running = pause()  # a collection could run code of the program
    made = own_dictionary(value, Object(0))
    if running != 0:
        resume()
    if int64(made) != 0:
        drop_reference(made)  # the object has it
    else:
        clear_error()
    return int64(made)


@native(inlined=True)
def dictionary_of(value: Object, place: int64) -> int64:
    """Returns the address of an object's own dictionary, which is made if there is none."""
    own = at_byte(value, place)
    return own if own != 0 and own & 1 == 0 else made_dictionary(value)


# ---- values


@native
def same_numbers(one: pointer(float64), other: pointer(float64), count: int64) -> boolean:
    """Returns whether numbers have the same bits, or are both NaN."""
    for at in range(count):
        if pointer(uint64)(one)[at] != pointer(uint64)(other)[at] and (one[at] == one[at] or other[at] == other[at]):
            return False
    return True


@native
def are_equal(value: Object, wanted: Object) -> boolean:
    """Returns whether numbers, strings or bytes are of one type and value."""
    compare, real, complex_ = COMPARE, REAL, COMPLEX
    if int64(value) == int64(wanted):
        return True
    if class_of(value) != class_of(wanted):
        return False
    numbers, others = pointer(float64)(offset(value, CLASS + 1)), pointer(float64)(offset(wanted, CLASS + 1))
    if class_of(value) == int64(real):
        return same_numbers(numbers, others, 1)
    if class_of(value) == int64(complex_):
        return same_numbers(numbers, others, 2)
    return compare(value, wanted, 2) == 1


@native(alone=True)
def has_keys(dictionary: Object, wanted: Object) -> boolean:
    """Returns whether a dictionary has these keys in this order."""
    next_item, at, key, value = NEXT_ITEM, local(int64, 1), local(Object, 1), local(Object, 1)
    if dictionary[LENGTH] != wanted[LENGTH]:
        return False
    at[0] = 0
    for number in range(wanted[LENGTH]):
        if next_item(dictionary, at, key, value) == 0 or not are_equal(key[0], Object(wanted[TUPLE_ITEMS + number])):
            return False
    return True


# ---- tensors


@native(alone=True)
def is_marked(tensor: Object) -> int64:
    """Returns HOLDS if a tensor without history was marked as requiring grad, FAILS if not."""
    attribute, get_item, drop_reference, clear_error = ATTRIBUTE, GET_ITEM, DROP_REFERENCE, CLEAR_ERROR
    marked, false, true = MARKED, FALSE, TRUE
    own = tensor[OWN_DICT]
    if own != 0 and own & 1 == 0:
        if not has_strings(Object(own)):
            return UNSURE
        mark = get_item(Object(own), marked)
        if int64(mark) == 0:
            return FAILS
    else:
        mark = attribute(tensor, marked)
        if int64(mark) == 0:
            clear_error()
            return UNSURE
        drop_reference(mark)  # the class, or the tensor, has it
    if int64(mark) == int64(false):
        return FAILS
    return HOLDS if int64(mark) == int64(true) else UNSURE


@native(alone=True)
def requires_grad(tensor: Object) -> int64:
    """Returns HOLDS if a tensor without an edge requires grad, FAILS if not."""
    none, storage, in_inference, tensor_type, parameter_type = NONE, STORAGE, INFERENCE_STORAGE, TENSOR, PARAMETER
    while tensor[BASE_SLOT] != int64(none):
        if tensor[BASE_SLOT] == 0 or tensor[STORE_SLOT] == 0:
            return UNSURE
        kind = class_of(Object(tensor[STORE_SLOT]))
        if kind == int64(in_inference):
            return is_marked(tensor)
        if kind != int64(storage):
            return UNSURE
        tensor = Object(tensor[BASE_SLOT])
        if class_of(tensor) != int64(tensor_type) and class_of(tensor) != int64(parameter_type):
            return UNSURE
        if tensor[EDGE_SLOT] != int64(none):
            return HOLDS if tensor[EDGE_SLOT] != 0 else UNSURE
    return is_marked(tensor)


@native(inlined=True)
def dtype_differs(dtype: Object, wanted: Object) -> int64:
    """Returns FAILS if two dtypes are different, UNSURE if they may be equal."""
    kind = pointer(int32)(dtype)[LETTERS] & 255 == pointer(int32)(wanted)[LETTERS] & 255
    return UNSURE if kind and dtype[ITEM_BYTES] == wanted[ITEM_BYTES] else FAILS


@native
def fits(tensor: Object, meta: Object) -> int64:
    """Returns whether a tensor is as the operands of IS_TENSOR say."""
    none, leaf = NONE, LEAF
    if class_of(tensor) != meta[0]:
        return FAILS
    array, edge, base, flags, rank = Object(tensor[ARRAY_SLOT]), tensor[EDGE_SLOT], tensor[BASE_SLOT], meta[3], meta[4]
    if int64(array) == 0 or edge == 0 or base == 0 or class_of(array) != meta[1]:
        return FAILS
    if int64(pointer(int32)(array)[2 * RANK]) != rank:
        return FAILS
    if array[DTYPE] != meta[2]:
        return dtype_differs(Object(array[DTYPE]), Object(meta[2]))
    sizes, strides = Object(array[SIZES]), Object(array[STRIDES])
    for at in range(rank):
        if sizes[at] != meta[5 + at] or strides[at] != meta[5 + rank + at]:
            return FAILS
    if (flags & IS_VIEW != 0) != (base != int64(none)):
        return FAILS
    if edge != int64(none):
        is_leaf = Object(edge)[CLASS] == int64(leaf)
        return HOLDS if flags & GRAD != 0 and (flags & IS_LEAF != 0) == is_leaf else FAILS
    if flags & IS_LEAF == 0:
        return FAILS
    required = requires_grad(tensor)
    if required == UNSURE:
        return UNSURE
    return HOLDS if (flags & GRAD != 0) == (required == HOLDS) else FAILS


# ---- the machine


@native
def written(registers: pointer(Object), code: Object, values: Object) -> int64:
    """Writes registers to the list, which gets references of its own; None for what is not in a register."""
    add_reference, none, items = ADD_REFERENCE, NONE, Object(values[LIST_ITEMS])
    for at in range(code[1]):
        value = registers[code[2 + at]] if code[2 + at] >= 0 else none
        add_reference(value)
        items[at] = int64(value)
    return HOLDS


@native(inlined=True)
def put(registers: pointer(Object), to: int64, address: int64, otherwise: int64) -> int64:
    """Writes what was read to a register, if it is not at address 0."""
    if address == 0:
        return otherwise
    registers[to] = Object(address)
    return HOLDS


@native(inlined=True)
def item_of(items: Object, length: int64, index: int64) -> int64:
    """Returns an item of a list or tuple; 0 if there is none."""
    place = index + length if index < 0 else index
    return items[place] if place >= 0 and place < length else 0


@native(inlined=True)
def or_none(address: int64) -> int64:
    none = NONE
    return address if address != 0 else int64(none)


@native(inlined=True)
def opened(code: Object, value: Object, otherwise: int64) -> int64:
    """Returns HOLDS if a dictionary can be read from."""
    if class_of(value) != code[1]:
        return otherwise
    return HOLDS if has_strings(value) else UNSURE


@native(inlined=True)
def reopened(code: Object, value: Object, otherwise: int64) -> int64:
    """`opened`; what was noted of the dictionary is forgotten: the registers change from here on."""
    code[2] = 0
    return opened(code, value, otherwise)


@native(inlined=True)
def closed(code: Object, value: Object) -> int64:
    """Notes the dictionary whose entries are in the registers."""
    code[2], code[3] = int64(value), value[DICT_VERSION]
    return HOLDS


@native(inlined=True)
def either(holds: boolean, otherwise: int64) -> int64:
    return HOLDS if holds else otherwise


@native
def run(block: Object, args: pointer(Object), values: Object) -> int64:
    """Runs a table for the arguments of a call."""
    registers, code, get_item = pointer(Object)(offset(block, REGISTERS)), offset(block, block[CODE]), GET_ITEM
    registers[ARGS], registers[KWARGS] = args[0], args[1]
    while True:
        word, verdict, words = code[0], HOLDS, 2
        what, otherwise, value, to = word & 255, (word >> 8) & 255, registers[(word >> 16) & 0xFFFFFF], word >> 40
        if what == IS:
            verdict = either(int64(value) == code[1], otherwise)
        elif what == CLASS_IS:
            verdict = either(class_of(value) == code[1], otherwise)
        elif what == EQUALS:
            verdict = either(are_equal(value, Object(code[1])), otherwise)
        elif what == LACKS:
            verdict = either(int64(get_item(value, Object(code[1]))) == 0, otherwise)
        elif what == HAS_KEYS:
            verdict = either(has_keys(value, Object(code[1])), otherwise)
        elif what == GET:
            verdict = put(registers, to, int64(get_item(value, Object(code[1]))), otherwise)
        elif what == OWN:
            verdict = put(registers, to, dictionary_of(value, code[1]), otherwise)
        elif what == IN_LIST:
            verdict = put(registers, to, item_of(Object(value[LIST_ITEMS]), value[LENGTH], code[1]), otherwise)
        elif what == IN_TUPLE:
            verdict = put(registers, to, item_of(offset(value, TUPLE_ITEMS), value[LENGTH], code[1]), otherwise)
        elif what == MEMBER:
            verdict = put(registers, to, at_byte(value, code[1]), otherwise)
        elif what == MEMBER_OR_NONE:
            verdict = put(registers, to, or_none(at_byte(value, code[1])), otherwise)
        elif what == OPEN:
            verdict = opened(code, value, otherwise)
        elif what == OPEN_IF_CHANGED:
            if class_of(value) == code[1] and int64(value) == code[2] and value[DICT_VERSION] == code[3]:
                words = code[4]
            else:
                verdict, words = reopened(code, value, otherwise), 5
        elif what == CLOSE:
            verdict = closed(offset(code, 0 - code[1]), value)
        elif what == LONG:
            words = 3
            verdict = either(value[LENGTH] == code[2], FAILS) if class_of(value) == code[1] else otherwise
        elif what == IS_TENSOR:
            verdict, words = fits(value, offset(code, 1)), 6 + 2 * code[5]
        elif what == SAME or what == OTHER:
            verdict, words = either((int64(value) == int64(registers[to])) == (what == SAME), FAILS), 1
        elif what == UNCHANGED:
            verdict, words = either(pointer(uint32)(code[1])[TYPE_VERSION] == uint32(code[2]), UNSURE), 3
        else:
            return written(registers, code, values)
        if verdict != HOLDS:
            return verdict
        code = offset(code, words)


@native(of_objects=True, light=True)
def check(self: pointer(Object), args: pointer(Object), count: int64) -> Object:
    """`check(args, kwargs)`: the values wanted, as a list, if a call is as the table says; None if not."""
    none, type_error, call, refuse, new_list = NONE, TYPE_ERROR, CALL, RAISE, NEW_LIST
    add_reference, drop_reference, null = ADD_REFERENCE, DROP_REFERENCE, Object(0)
    if count != 2:
        refuse(type_error)
        return null
    handle = pointer(Object)(self[TUPLE_ITEMS][DATA])
    values = new_list(int64(handle[COUNT]))  # before anything is read: it may collect garbage
    if int64(values) == 0:
        return null
    verdict, rest = run(handle[BLOCK], args, values), Object(handle[BLOCK][REST])
    if verdict == HOLDS and int64(rest) == 0:
        return values
    if verdict == HOLDS:
        all_three = local(Object, 3)
        all_three[0], all_three[1], all_three[2] = args[0], args[1], values
        add_reference(rest)
        answer = call(rest, all_three, 3, null)
        drop_reference(rest)
        drop_reference(values)
        return answer
    drop_reference(values)
    if verdict == UNSURE:
        return call(handle[REFERENCE], args, 2, null)
    add_reference(none)
    return none
