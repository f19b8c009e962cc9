"""What is generated for `add`: an example to read, written by `scripts/generate` and compared by a test."""


def add(input, other, *between, alpha=1, out=None):
    """`input + alpha * other`, element by element."""
    if between:
        return reordered(OP_add, add, (input, other, *between), {'alpha': alpha, 'out': out})
    if alpha is not ONE and type(alpha) is not int and type(alpha) is not float:
        input, other, alpha = accepted(OP_add, (input, other, alpha))
    if (type(input) is Tensor or type(input) in PLAIN_TYPES) and (type(other) is Tensor or type(other) in PLAIN_TYPES):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if (_meta_key := input._meta_key) is not other._meta_key:
            _meta_key = None
        if (_meta_key is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = fast.add(input_array, other_array) if alpha == 1 else fast.add_multiple(input_array, other_array, alpha)
                if out is not None:
                    return to_out(out, _result, OP_add, input, other)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
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
                    _node = objects.add_AddBackward0(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge, other_edge)
                    _node.saved = ()
                    _node.params = (alpha,)
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
                _result = fast.add(input_array, _number) if alpha == 1 else fast.add_multiple(input_array, _number, alpha)
                if out is not None:
                    return to_out(out, _result, OP_add, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                if _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array, _number)
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = input._meta_key
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = objects.add_AddBackward0(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge, None)
                    _node.saved = ()
                    _node.params = (alpha,)
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    return general(OP_add, (input, other, alpha), out)


def add_backward(F, node, saved, g, edges):
    alpha, = node.params
    input_edge, other_edge = edges
    return (None if input_edge is None else g, None if other_edge is None else g if alpha == 1 else g * alpha)


def add_(input, other, *between, alpha=1):
    """In-place version of `add`."""
    if between:
        return reordered(OP_add, add_, (input, other, *between), {'alpha': alpha})
    if ufunc_in_place(fast.add, add, EASY, input, other, alpha=alpha):
        return input
    return write(add, input, (other,), {'alpha': alpha}, OP_add)
