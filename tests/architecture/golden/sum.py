"""What is generated for `sum`: an example to read, written by `scripts/generate` and compared by a test."""


def sum(input, dim=None, keepdim=False, *, dtype=None, out=None, **named):
    """The sum of the elements along `dim`; of all of them if `dim` is None."""
    if named:
        return renamed(OP_sum, sum, {'input': input, 'dim': dim, 'keepdim': keepdim, 'dtype': dtype, 'out': out}, named)
    if dim is not None and (type(dim) is not int and type(dim) is not tuple and type(dim) is not list and type(dim) is not Size) or keepdim is not False and keepdim is not True:
        input, dim, keepdim, dtype = accepted(OP_sum, (input, dim, keepdim, dtype))
    if dim is None and keepdim is False and dtype is None and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = fast.add_up(input_array, None, out=...) if input_array.size < 4096 else forward.sum(xp, input_array)
                if out is not None:
                    return to_out(out, _result, OP_sum, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (objects.sum_SumBackward0 if dim is None else objects.sum_SumBackward1)(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._meta_key is None else input._meta_key[0], dim, keepdim)
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    if dtype is None and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _result = forward.sum(xp, input_array, dim, keepdim, dtype=dtype)
                if out is not None:
                    return to_out(out, _result, OP_sum, input)
            except Exception:
                pass
            else:
                if type(_result) is not ndarray and isinstance(_result, np.generic):
                    _result = as_array(_result)
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = None
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = (objects.sum_SumBackward0 if dim is None else objects.sum_SumBackward1)(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._meta_key is None else input._meta_key[0], dim, keepdim)
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
            finally:
                reset_errors(_token)
    if type(dtype) is type:
        dtype = as_dtype('sum', dtype)
    return general(OP_sum, (input, dim, keepdim, dtype), out)


def sum_backward(F, node, saved, g, edges):
    input_shape, dim, keepdim = node.params
    return (derivative_sum_input(F, g, input_shape, dim, keepdim),)
