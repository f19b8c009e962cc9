"""What is generated for `exp`: an example to read, written by `scripts/generate` and compared by a test."""


def exp(input, *, out=None):
    """e to the power `input`."""
    if (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        _meta_key = input._meta_key
        if (_meta_key is not None or ((_dtype := input_array.dtype) is FLOAT32 or _dtype is FLOAT64)) and (_mode is True or _mode is False or _mode is INFERENCE):
            _token = set_errors(xp.IGNORED)
            try:
                _result = fast.exp(input_array, out=...)
                if out is not None:
                    return to_out(out, _result, OP_exp, input)
            except Exception:
                pass
            else:
                if _meta_key is None and _result.ndim > 2 and not input_array.flags.c_contiguous:
                    _result = pointwise(_result, input_array)
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = _meta_key
                _tensor._base = None
                _tensor._generation = None
                _tensor._store = None
                if _mode and (input_edge := input._edge if (_base := input._base) is None or input._generation == _base._generation else edge_of(input)) is not None:
                    _node = objects.exp_ExpBackward0(None)
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
                    _node.saved = (_result,)
                    _tensor._store = out_storage = new_storage(None)
                    out_storage.version = 0
                    _node.storages = (out_storage,)
                    _node.versions = (0,)
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
    return general(OP_exp, (input,), out)


def exp_backward(F, node, saved, g, edges):
    out, = saved
    return (g * out,)


def exp_(input):
    """In-place version of `exp`."""
    if ufunc_in_place(fast.exp, exp, EASY, input):
        return input
    return write(exp, input, (), {}, OP_exp)
