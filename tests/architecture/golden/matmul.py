"""What is generated for `matmul`: an example to read, written by `scripts/generate` and compared by a test."""


def matmul(input, other, *, out=None):
    """The product of vectors, matrices, or batches of matrices, of which all but the last two dimensions broadcast."""
    if type(input) is Tensor and type(other) is Tensor and input._array.ndim == 2 and other._array.ndim == 2:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward.mm(xp, input_array, other_array)
                if out is not None:
                    return to_out(out, _result, OP_matmul, input, other)
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
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = objects.mm_MmBackward0(None)
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
                    if (mat2_storage := other._store) is None:
                        mat2_storage = other._store = new_storage(None)
                        mat2_storage.version = 0
                    _node.storages = (input_storage, mat2_storage)
                    _node.versions = (input_storage.version, mat2_storage.version)
                    _node.params = ()
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    if type(input) is Tensor and type(other) is Tensor and input._array.ndim == 1 and other._array.ndim == 1:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _result = forward.dot(xp, input_array, other_array)
                if out is not None:
                    return to_out(out, _result, OP_matmul, input, other)
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
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = objects.dot_DotBackward0(None)
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
                    if (tensor_storage := other._store) is None:
                        tensor_storage = other._store = new_storage(None)
                        tensor_storage.version = 0
                    _node.storages = (input_storage, tensor_storage)
                    _node.versions = (input_storage.version, tensor_storage.version)
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
    if type(input) is Tensor and type(other) is Tensor and input._array.ndim == 2 and other._array.ndim == 1:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _result = forward.mv(xp, input_array, other_array)
                if out is not None:
                    return to_out(out, _result, OP_matmul, input, other)
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
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = objects.mv_MvBackward0(None)
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
                    if (vec_storage := other._store) is None:
                        vec_storage = other._store = new_storage(None)
                        vec_storage.version = 0
                    _node.storages = (input_storage, vec_storage)
                    _node.versions = (input_storage.version, vec_storage.version)
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
    if type(input) is Tensor and type(other) is Tensor and input._array.ndim == 3 and other._array.ndim == 3 and not (get_mode() and (input._edge is not None or other._edge is not None or input.requires_grad or other.requires_grad)):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _result = forward.bmm(xp, input_array, other_array)
                if out is not None:
                    return to_out(out, _result, OP_matmul, input, other)
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
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = objects.bmm_BmmBackward0(None)
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
                    if (mat2_storage := other._store) is None:
                        mat2_storage = other._store = new_storage(None)
                        mat2_storage.version = 0
                    _node.storages = (input_storage, mat2_storage)
                    _node.versions = (input_storage.version, mat2_storage.version)
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
    if type(input) is Tensor and type(other) is Tensor and input._array.ndim == 3 and other._array.ndim == 2 and not (get_mode() and (input._edge is not None or other._edge is not None or input.requires_grad or other.requires_grad)):
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = forward.mm(xp, input_array.reshape(-1, input_array.shape[2]), other_array).reshape(*input_array.shape[:2], other_array.shape[1])
                if out is not None:
                    return to_out(out, _result, OP_matmul, input, other)
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
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = objects.mm_MmBackward0(None)
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
                    if (mat2_storage := other._store) is None:
                        mat2_storage = other._store = new_storage(None)
                        mat2_storage.version = 0
                    _node.storages = (input_storage, mat2_storage)
                    _node.versions = (input_storage.version, mat2_storage.version)
                    _node.params = ()
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if _mode is INFERENCE:
                        _tensor._store = InferenceStorage()
                return _tensor
    if type(input) is Tensor and type(other) is Tensor and input._array.ndim == 4 and other._array.ndim == 4 and not (get_mode() and (input._edge is not None or other._edge is not None or input.requires_grad or other.requires_grad)) and (_batch := input._array.shape[:2]) == other._array.shape[:2]:
        input_array = input._array
        other_array = other._array
        _mode = get_mode()
        if ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or _dtype is BOOL or _dtype is INT32 or _dtype is UINT8 or _dtype is INT8 or _dtype is INT16) and _dtype is other_array.dtype and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _result = forward.bmm(xp, input_array.reshape(-1, *input_array.shape[2:]), other_array.reshape(-1, *other_array.shape[2:])).reshape(*_batch, input_array.shape[2], other_array.shape[3])
                if out is not None:
                    return to_out(out, _result, OP_matmul, input, other)
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
                if _mode:
                    input_edge = input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)
                    other_edge = other._edge if (_base := other._base) is None or other._generation == _base._generation else edge_of(other)
                if _mode and (input_edge is not None or other_edge is not None):
                    _node = objects.bmm_BmmBackward0(None)
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
                    if (mat2_storage := other._store) is None:
                        mat2_storage = other._store = new_storage(None)
                        mat2_storage.version = 0
                    _node.storages = (input_storage, mat2_storage)
                    _node.versions = (input_storage.version, mat2_storage.version)
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
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(other) not in PLAIN_TYPES and hasattr(other, '__torch_function__'):
        if (_taken := taken_over(OP_matmul, (input, other), dict(), out)) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_matmul, (input, other))
    if out is not None:
        return write_out(out, 'matmul', uncast(composite_matmul, F, input, other), OP_matmul, (input, other))
    try:
        return composite_matmul(F, input, other)
    except Exception:
        explain_arguments(OP_matmul, (input, other))
        raise
