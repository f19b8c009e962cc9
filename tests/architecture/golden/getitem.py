"""What is generated for `getitem`: an example to read, written by `scripts/generate` and compared by a test."""


def getitem(input, index):
    """`input[index]`: views for integers, slices, `...` and None; a copy for index arrays, lists and masks."""
    if type(index) is int and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            try:
                _result = input_array[_key := (index, ...)]
            except Exception:
                pass
            else:
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = None
                _tensor._store = input._store or input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = _key
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    input_edge = edge_of(input)
                    _tensor._base = _base = input._base
                    _tensor._steps = input._steps + _key
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if _mode and input_edge is not None:
                    _node = objects.select_SelectBackward0(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._meta_key is None else input._meta_key[0], 0, index)
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if not _mode:
                        _tensor._creation = "no_grad" if _mode is False else "inference"
                return _tensor
    if type(index) is slice and ((step := index.step) is None or type(step) is int and step > 0) and type(start := index.start) in BOUND and type(end := index.stop) in BOUND and (type(input) is Tensor or type(input) in PLAIN_TYPES):
        input_array = input._array
        _mode = get_mode()
        if (_mode is True or _mode is False or _mode is INFERENCE):
            end = 9223372036854775807 if end is None else end
            start = start or 0
            step = step or 1
            try:
                _result = input_array[index]
            except Exception:
                pass
            else:
                _tensor = objects.tensor(None)
                _tensor._array = _result
                _tensor._meta_key = None
                _tensor._store = input._store or input._storage
                _base = input._base
                if _base is None:
                    _tensor._base = input
                    _tensor._steps = (index, ...)
                    input_edge = input._edge
                    _generation = input._generation
                    if _generation is None:
                        input._generation = _generation = 0
                    _tensor._generation = _generation
                else:
                    input_edge = edge_of(input)
                    _tensor._base = _base = input._base
                    _tensor._steps = input._steps + (index, ...)
                    if input._creation is not None:
                        _tensor._creation = input._creation
                    _tensor._generation = _base._generation
                if _mode and input_edge is not None:
                    _node = objects.slice_view_SliceBackward0(None)
                    _node.created = objects.tick(None)
                    _node.edges = (input_edge,)
                    _node.saved = ()
                    _node.params = (input_array.shape if input._meta_key is None else input._meta_key[0], 0, start, end, step)
                    _node.metas = None
                    _node.step = None
                    _tensor._edge = _node
                else:
                    _tensor._edge = None
                    if not _mode:
                        _tensor._creation = "no_grad" if _mode is False else "inference"
                return _tensor
    if type(get_mode()) is Modes and get_mode().function_modes or type(input) not in PLAIN_TYPES and hasattr(input, '__torch_function__') or type(index) not in PLAIN_TYPES and hasattr(index, '__torch_function__'):
        if (_taken := taken_over(OP_getitem, (input, index), dict())) is not ABSENT:
            return _taken
    if type(input) not in PLAIN_TYPES:
        explain_arguments(OP_getitem, (input, index))
    try:
        return composite_getitem(F, input, index)
    except Exception:
        explain_arguments(OP_getitem, (input, index))
        raise
