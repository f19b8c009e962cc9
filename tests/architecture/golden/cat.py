"""What is generated for `cat`: an example to read, written by `scripts/generate` and compared by a test."""


def cat(tensors, dim=0, *, out=None, **named):
    """The tensors concatenated along `dim`. Their other sizes must agree; dtypes are promoted."""
    if named:
        return renamed(OP_cat, cat, {'tensors': tensors, 'dim': dim, 'out': out}, named)
    if type(dim) is not int:
        tensors, dim = accepted(OP_cat, (tensors, dim))
    if type(dim) is int and type(tensors) in SEQUENCES:
        _arrays, _dtype, _edges, _mode = [], None, (), get_mode()
        for _each in tensors:
            if type(_each) not in PLAIN_TYPES:
                break
            _arrays.append(_array := _each._array)
            if (_kind := _array.dtype) is not _dtype:
                if _dtype is not None:
                    break
                _dtype = _kind
            if _each._edge is not None or _each._base is not None:
                _edges = None  # to be found
        else:
            if (_dtype is FLOAT32 or _dtype is FLOAT64 or _dtype is INT64 or (_dtype in MOVED and _dtype.metadata is None)) and (_mode is True or _mode is False or _mode is INFERENCE):
                try:
                    _result = fast.cat(_arrays, dim)
                    if out is not None:
                        return to_out(out, _result, OP_cat, *tensors)
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
                    if _mode and _edges is None:
                        _edges = tuple([each._edge if each._base is None else edge_of(each) for each in tensors])
                    if _mode and any_of(_edges):
                        _node = objects.joined_CatBackward0(None)
                        _node.created = objects.tick(None)
                        _node.edges, _node.saved, _node.metas, _node.step = _edges, (), None, None
                        _node.params = (tuple([each.shape for each in _arrays]), dim)
                        _tensor._edge = _node
                    else:
                        _tensor._edge = None
                        if _mode is INFERENCE:
                            _tensor._store = InferenceStorage()
                    return _tensor
    if type(get_mode()) is Modes and get_mode().function_modes or (not ORDINARY.issuperset(map(type, tensors)) if type(tensors) in SEQUENCES else hasattr(tensors, '__torch_function__')):
        if (_taken := taken_over(OP_cat, (tensors, dim), dict(), out)) is not ABSENT:
            return _taken
    if out is not None:
        return write_out(out, 'cat', composite_cat(F, tensors, dim), OP_cat, (tensors, dim))
    try:
        return composite_cat(F, tensors, dim)
    except Exception:
        explain_arguments(OP_cat, (tensors, dim))
        raise
