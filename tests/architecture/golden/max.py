"""What is generated for `max`: an example to read, written by `scripts/generate` and compared by a test."""


def max(input, dim=None, keepdim=False, *, other=None, out=None, **named):
    """The largest element; with `dim` the largest along it, and their indices; with `other` the larger of two."""
    if named:
        return renamed(OP_max, max, {'input': input, 'dim': dim, 'keepdim': keepdim, 'other': other, 'out': out}, named)
    if dim is not None and (type(dim) is not int and type(dim) not in PLAIN_TYPES) or keepdim is not False and keepdim is not True:
        input, dim, keepdim, other = accepted(OP_max, (input, dim, keepdim, other))
    if dim is None and other is None and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _result = input_array.take(input_array.argmax()) if input_array.size < 1024 else fast.amax(input_array, None)
                if out is not None:
                    return to_out(out, _result, OP_max, input)
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
                    _node = objects.max_all_MaxBackward1(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge,)
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
                    _node.saved = (input_array, _result)
                    if (input_storage := input._store) is None:
                        input_storage = input._store = new_storage(None)
                        input_storage.version = 0
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (input_storage, out_storage)
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
            finally:
                reset_errors(_token)
    if type(dim) is int and other is None and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is INT8 or _dtype is INT16) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _values, _indices = forward.max_dim(xp, input_array, dim, keepdim)
                if out is not None:
                    return all_to_out(out, (_values, _indices), OP_max_dim.named_tuple, OP_max, input)
            except Exception:
                pass
            else:
                if type(_values) is not ndarray and isinstance(_values, np.generic):
                    _values = as_array(_values)
                _values_tensor = objects.tensor(None)
                _values_tensor._array = _values
                _values_tensor._meta_key = None
                _values_tensor._base = None
                _values_tensor._generation = None
                if type(_indices) is not ndarray and isinstance(_indices, np.generic):
                    _indices = as_array(_indices)
                _indices_tensor = objects.tensor(None)
                _indices_tensor._array = _indices
                _indices_tensor._meta_key = None
                _indices_tensor._base = None
                _indices_tensor._generation = None
                _values_tensor._store = None
                _indices_tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = objects.max_dim_MaxBackward0(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge,)
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
                    _node.saved = (_indices,)
                    _indices_tensor._store = indices_storage = new_storage(None)
                    indices_storage.version = 0
                    _node.storages = (indices_storage,)
                    _node.versions = (0,)
                    _node.params = (dim, keepdim, input_array.shape if input._meta_key is None else input._meta_key[0])
                    _node.metas = None
                    _node.step = None
                    _values_tensor._edge = _node
                    _indices_tensor._edge = None
                else:
                    _values_tensor._edge = None
                    _indices_tensor._edge = None
                    if _mode is INFERENCE:
                        _values_tensor._store = InferenceStorage()
                        _indices_tensor._store = InferenceStorage()
                return OP_max_dim.named_tuple(_values_tensor, _indices_tensor)
            finally:
                reset_errors(_token)
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or dim is not None and type(dim) not in PLAIN_TYPES and hasattr(dim, '__torch_function__') or other is not None and type(other) not in PLAIN_TYPES and hasattr(other, '__torch_function__'):
        if (_taken := taken_over(OP_max, (input, dim, keepdim), dict(other=other), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_max, (input, dim, keepdim, other))
    if out is not None:
        return write_out(out, 'max', composite_max(F, input, dim, keepdim, other=other), OP_max, (input, dim, keepdim, other))
    try:
        return composite_max(F, input, dim, keepdim, other=other)
    except Exception:
        explain_arguments(OP_max, (input, dim, keepdim, other))
        raise
