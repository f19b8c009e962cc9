"""Calling a module with other tensors in the place of its parameters and buffers."""

import warnings
from contextlib import contextmanager


def functional_call(
    module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights: bool = True, strict: bool = False
):
    """`module(*args, **kwargs)` with the tensors of a dictionary, by dotted name, in the place of its own.

    With `tie_weights` tensors that the module has under several names are replaced under all of them; with `strict`
    every tensor of the module must be given, and no other.
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return called_with(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def called_with(module, tensors: dict, args, kwargs: dict | None, *, tie_weights: bool, strict: bool):
    """The call that `functional_call` makes under both of its names; what is no tuple is the one argument."""
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, tensors, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def replaced(module, tensors: dict, *, tie_weights: bool, strict: bool):
    """While it lasts, `module` has `tensors` in the place of its own; `tensors` keeps what becomes of them."""
    wanted = {**tensors, **_tied(module, tensors)} if tie_weights else tensors
    places = {name: _place_of(module, name) for name in wanted}
    if strict:
        _check_names(module, wanted)
    previous = {name: members[key] for name, (members, key) in places.items() if members is not None}
    try:
        for name in previous:
            members, key = places[name]
            members[key] = wanted[name]
        yield
    finally:
        for name, own in previous.items():
            members, key = places[name]
            if name in tensors:
                tensors[name] = members[key]
            members[key] = own


def _place_of(module, name):
    """(the dictionary that holds a member, its key there); (None, name) for a name that the module does not have."""
    path, _, key = name.rpartition(".")
    owner = module.get_submodule(path)
    for members in (owner._parameters, owner._buffers):
        if key in members:
            return members, key
    return None, name


def _own_tensors(module):
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)


def _tied(module, tensors):
    """The other names of tensors that are given under one of their names."""
    names_of: dict = {}
    for name, tensor in _own_tensors(module):
        names_of.setdefault(id(tensor), []).append(name)
    found = {}
    for names in names_of.values():
        given = [name for name in names if name in tensors]
        if len({id(tensors[name]) for name in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using "
                "tie_weights=False"
            )
        if given:
            found.update(dict.fromkeys(names, tensors[given[0]]))
    return found


def _check_names(module, tensors):
    own = [name for name, _ in _own_tensors(module)]
    unexpected = sorted(name for name in tensors if name not in own)
    missing = sorted(name for name in own if name not in tensors)
    messages = [
        f"{kind} key(s): {', '.join(map(repr, names))}."
        for kind, names in (("Unexpected", unexpected), ("Missing", missing))
        if names
    ]
    if messages:
        found = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{found}")
