"""What is generated for `mul`: an example to read, written by `scripts/generate` and compared by a test."""


def mul(input, other, *, out=None):
    """`input * other`, element by element."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(other) is Tensor or type(other) in PLAIN_TYPES):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if (_meta_key := input._meta_key) is not other._meta_key:
            _meta_key = None
        if (_meta_key is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = fast.multiply(input_array, other_array, out=...)
                if out is not None:
                    return to_out(out, _result, OP_mul, input, other)
            except Exception:
                pass
            else:
                if _meta_key is None and _result.ndim > 2 and not (input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                    _result = pointwise(_result, input_array, other_array)
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = _meta_key
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = objects.mul_MulBackward0(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge, other_edge)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None if other_edge is None else input_array, None if input_edge is None else other_array)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    if (other_storage := other._store) is None:
                        other_storage = other._store = new_storage(None)
                        other_storage.version = 0
                    _node.storages = (input_storage, other_storage)
                    _node.versions = (input_storage.version, other_storage.version)
                    _node.params = ()
                    _node.metas = None
                    if _meta_key is None:
                        if (_shape := input_array.shape) == other_array.shape and (len(_shape) < 3 or input_array.flags.c_contiguous and other_array.flags.c_contiguous):
                            input._meta_key = other._meta_key = _tensor._meta_key = (_shape, _dtype)
                        else:
                            _node.metas = ((input_array.shape, input_array.dtype), (other_array.shape, other_array.dtype))
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    elif type(other) in NUMBERS and type(input) in PLAIN_TYPES:
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or ((_dtype is INT64 or _dtype is INT32) and type(other) is int and other in SMALL)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _number = (NUMBERS_32 if _dtype is FLOAT32 else NUMBERS_64 if _dtype is FLOAT64 else numbers_of[_dtype])[other]
            try:
                _result = fast.multiply(input_array, _number, out=...)
                if out is not None:
                    return to_out(out, _result, OP_mul, input)
            except Exception:
                pass
            else:
                if _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array, _number)
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = input._meta_key
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = objects.mul_MulBackward0(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge, None)
                    if NOTING:
                        if (_place := ENTRY.place) is None or _place[2] != get_ident():
                            try:
                                if (_place := (_frame := frame_at(1)).f_code) is ENTRY.code or _place.co_filename in PROGRAM:
                                    ENTRY.code = _place
                                    _node.offset = _frame.f_lasti
                                else:
                                    _place = outside(_frame)
                            except ValueError:
                                _place = NOWHERE
                        _node.noted = _place
                    _node.saved = (None, _number)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _node.storages = (input_storage, None)
                    _node.versions = (input_storage.version, 0)
                    _node.params = ()
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_mul, (input, other), out)


def mul_backward(F, node, saved, g, edges):
    input, other = saved
    input_edge, other_edge = edges
    return (None if input_edge is None else g * other, None if other_edge is None else g * input)


def mul_(input, other):
    """In-place version of `mul`."""
    if ufunc_in_place(fast.multiply, mul, EASY, input, other):
        return input
    return write(mul, input, (other,), {}, OP_mul)
