"""Averages gradients over processes while backward still runs: a bucket is reduced as soon as it is full.

A hook on every parameter writes its gradient into a bucket. The last gradient of a bucket starts its reduction, each
further hook lets those under way progress, and a callback at the end of backward waits for them. Buckets start in the
same order on all processes.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from rushlight import distributed as dist
from rushlight.autograd.engine import ENGINE
from rushlight.autograd.grad_mode import no_grad
from rushlight.core.dtype import int32, int64
from rushlight.core.errors import noted
from rushlight.core.tensor import Tensor
from rushlight.create.from_data import tensor
from rushlight.distributed.buckets import Bucket, GradBucket, assign
from rushlight.futures import Future

from .unused import unused
from .words import CHANGED, NEVER_UNUSED, TWICE, UNFINISHED

__all__ = ["Reducer"]

MEBIBYTE = 1024 * 1024


class Reducer:
    """The buckets of a model's parameters and where a backward pass stands.

    - `expecting`: whether the last forward announced a backward pass that reduces.
    - `unfinished`: whether gradients came since then and have not all been reduced.
    - `ready`: the parameters whose gradients are in their buckets; `order` is the order in which they came.
    - `launched`: how many buckets are being reduced.
    - `under_way`: what has been started and is not known to be done.
    - `used`: which parameters got a gradient here since the last reduction; `used_somewhere` is their sum.
    - `uses`: with a static graph, how often the hook of each parameter runs in a pass; None until the first pass.
    - `remaining`: with a static graph, how often each will still run in this pass.
    """

    def __init__(
        self,
        parameters: list[Tensor],
        names: list[str],
        group: Any,
        *,
        limits: tuple[Sequence[float], Sequence[float]],
        find_unused: bool,
        as_views: bool,
    ) -> None:
        self.parameters, self.names, self.group = parameters, names, group
        self.find_unused, self.as_views, self.static = find_unused, as_views, False
        self.limits = limits[1]
        self.hook: tuple[Callable, Any] | None = None
        self.joining: tuple[Any, Tensor] | None = None
        self.rebuilt = False
        self.expecting = self.unfinished = self.warned = False
        self.order: list[int] = []
        self.uses: list[int] | None = None
        self.later: list[Any] = []  # futures and works to wait for when backward ends
        self.used = [0] * len(parameters)
        self.used_somewhere: list[int] | None = None
        self.unused: list[int] = []
        self._place(assign(parameters, limits[0])[0][::-1])
        self._reset()
        self._handles = self._listen()

    def _listen(self) -> list[Any]:
        """Registers the hooks; they do not keep the reducer alive, and go with it."""
        alive = weakref.ref(self)

        def hook_of(index: int) -> Callable[[Tensor], None]:
            def arrived(parameter: Tensor) -> None:
                if (reducer := alive()) is not None:
                    reducer.arrived(index)

            return arrived

        handles = [
            parameter.register_post_accumulate_grad_hook(hook_of(index))
            for index, parameter in enumerate(self.parameters)
        ]
        weakref.finalize(self, remove, handles).atexit = False
        return handles

    def remove_hooks(self) -> None:
        """Stops listening: backward passes leave gradients alone."""
        remove(self._handles)

    # ---- buckets

    def _place(self, buckets: list[list[int]]) -> None:
        self.buckets = [Bucket(members, self.parameters) for members in buckets]
        self.positions = {
            index: (bucket, position) for bucket in self.buckets for position, index in enumerate(bucket.members)
        }
        if self.as_views:
            self._move_gradients()

    def _move_gradients(self) -> None:
        """Moves gradients that are there already into new buckets."""
        for index, (bucket, position) in self.positions.items():
            if (gradient := self.parameters[index].grad) is not None and not gradient.is_sparse:
                bucket.put(position, gradient, None)
                self.parameters[index].grad = bucket.views[position]

    def rebuild(self) -> bool:
        """Makes the buckets anew, once, in the order in which gradients came on the first process; whether it did.

        Raises RuntimeError if the last backward pass did not reduce all gradients.
        """
        self.check_finished()
        if not self.may_rebuild or not self.order:
            return False
        came = list(dict.fromkeys(self.order))
        came += sorted(set(range(len(self.parameters))) - set(came))
        buckets, _ = assign(self.parameters, self.limits, came)
        self._place(self._agreed(buckets))
        self.rebuilt = True
        return True

    @property
    def may_rebuild(self) -> bool:
        """Whether the buckets are still those of the first pass, and the order of gradients will stay what it is."""
        return not self.rebuilt and (self.static or not self.find_unused)

    def _agreed(self, buckets: list[list[int]]) -> list[list[int]]:
        """Returns the buckets of the first process."""
        rows = [(number, index) for number, members in enumerate(buckets) for index in members]
        sent = tensor(rows, dtype=int64)
        dist.broadcast(sent, dist.get_global_rank(self.group, 0), group=self.group)
        agreed: dict[int, list[int]] = {}
        for number, index in sent.tolist():
            agreed.setdefault(number, []).append(index)
        return list(agreed.values())

    # ---- a backward pass

    def begin(self, results: Any) -> None:
        """Expects a backward pass from these results of forward."""
        self._reset()
        self.expecting = True
        self.unused = self._find_unused(results) if self.find_unused and not self.static else self._never_used()

    def _reset(self) -> None:
        self.ready: set[int] = set()
        self.under_way: list[Any] = []
        self.launched, self.queued = 0, False
        self.shared: tuple[Any, Tensor] | None = None  # the sum of `used`, on its way
        self.counts: list[int] | None = None  # as `uses`, while the first pass of a static graph runs
        self.factor: float | None = None
        for bucket in self.buckets:
            bucket.waiting, bucket.work = len(bucket.members), None
        self.remaining = list(self.uses or ())
        self.unused = []

    def _never_used(self) -> list[int]:
        """Returns the parameters that a static graph does not use."""
        return [index for index, times in enumerate(self.uses or ()) if not times]

    def _find_unused(self, results: Any) -> list[int]:
        result = unused(self.parameters, results)
        if not result and not self.warned:
            self.warned = True
            warnings.warn(NEVER_UNUSED, stacklevel=5)
        return result

    def arrived(self, index: int) -> None:
        """Takes the gradient of a parameter; called when backward has accumulated it, and records nothing."""
        if self.parameters[index].grad is not None:
            self.used[index] = 1
        if not self.expecting:
            return
        if self.static and self.uses is None:
            self._count(index)
            return
        self._progress()
        for other in self._forgotten():
            self._take(other)
        if self.may_rebuild:
            self.order.append(index)
        if self.static:
            self.remaining[index] -= 1
            if self.remaining[index] < 0:
                raise noted(RuntimeError(CHANGED), f"The parameter {self.names[index]} got one more gradient.")
            if self.remaining[index]:
                return
        self._take(index)

    def _forgotten(self) -> list[int]:
        """Returns, at the first gradient of a pass, the parameters that get none."""
        forgotten, self.unused = self.unused, []
        return forgotten

    def _count(self, index: int) -> None:
        """Counts how often the hook of a parameter runs, in the first pass of a static graph."""
        if self.counts is None:
            self.counts = [0] * len(self.parameters)
            self.unfinished = True
            ENGINE.queue_callback(self._finish_first)
        self.counts[index] += 1
        self.order.append(index)

    def _finish_first(self) -> None:
        """Reduces everything at the end of the first pass of a static graph."""
        self.uses = self.counts
        for index in range(len(self.parameters)):
            self._take(index, queue=False)
        self._finish()

    def _take(self, index: int, queue: bool = True) -> None:
        """Writes a gradient to its bucket, and starts the reduction of all buckets whose turn has come."""
        if index in self.ready:
            raise noted(RuntimeError(TWICE), f"The parameter is {self.names[index]}.")
        self.ready.add(index)
        self.unfinished = True
        bucket, position = self.positions[index]
        bucket.put(position, self.parameters[index].grad, None if self.hook else self._factor())
        bucket.waiting -= 1
        while self.launched < len(self.buckets) and not self.buckets[self.launched].waiting:
            self._start(self.launched)
            self.launched += 1
        if self.launched == len(self.buckets) and not self.queued:
            self.queued = True
            if self._shares_used():
                self.shared = self._share_used()
            if queue:
                ENGINE.queue_callback(self._finish)

    def _shares_used(self) -> bool:
        """Whether processes have to tell each other which parameters they used: once if the graph is static."""
        return self.used_somewhere is None if self.static else self.find_unused

    def _share_used(self) -> tuple[Any, Tensor]:
        used = tensor(self.used, dtype=int32, device=self.parameters[0].device)
        return dist.all_reduce(used, group=self.group, async_op=True), used

    def _factor(self) -> float:
        """Returns what gradients are multiplied by: one over the number of processes that share in the pass."""
        if self.factor is None:
            count = self.group.size()
            if self.joining is not None:
                work, present = self.joining
                work.wait()
                count, self.joining = present.item(), None
            self.factor = 1.0 / count
        return self.factor

    def _start(self, number: int) -> None:
        bucket = self.buckets[number]
        with no_grad():
            bucket.work = self.reduce(number, bucket.flat)
        self.under_way.append(bucket.work)

    def reduce(self, number: int, flat: Tensor) -> Any:
        """Starts the reduction of a bucket; returns a work without a communication hook, a future with one."""
        if self.hook is None:
            return dist.all_reduce(flat, group=self.group, async_op=True)
        hook, state = self.hook
        future = hook(state, GradBucket(number, len(self.buckets), self.buckets[number], flat))
        if not isinstance(future, Future):
            raise RuntimeError(
                f"Expected the communication hook to return a torch.futures.Future, and it returned {future!r}."
            )
        return future

    def _progress(self) -> None:
        """Lets communication under way go on: it does only inside calls."""
        while self.under_way and is_done(self.under_way[0]):
            self.under_way.pop(0)

    _rebuild_buckets, prepare_for_backward = rebuild, begin  # PyTorch's names, which packages call

    # ---- the end of a backward pass

    def _finish(self) -> None:
        """Waits for all buckets and writes the averages to the gradients; called when backward ends."""
        self.expecting = False
        with no_grad():
            self._wait()
        self.unfinished = False

    def _wait(self) -> None:
        """Waits for what was started, and writes the averages to the gradients."""
        for bucket in self.buckets:
            result = bucket.work.wait()
            if self.hook is not None:
                bucket.fill(result)
        self._learn_used(self.shared)
        self._give_all()
        later, self.later = self.later, []
        for each in later:
            each.wait()

    def _learn_used(self, shared: tuple[Any, Tensor] | None) -> None:
        if shared is not None:
            shared[0].wait()
            self.shared = None
            self.used_somewhere = shared[1].tolist()
            self.used = [0] * len(self.parameters)

    def _give_all(self) -> None:
        """Writes the averages to the gradients of all parameters that some process has used."""
        for bucket in self.buckets:
            for position, index in enumerate(bucket.members):
                if self.used_somewhere is None or self.used_somewhere[index]:
                    self._give(self.parameters[index], bucket, position)

    def _give(self, parameter: Tensor, bucket: Bucket, position: int) -> None:
        gradient, average = parameter.grad, bucket.views[position]
        if gradient is not None and gradient.is_sparse:
            parameter.grad = average.to_sparse(gradient.sparse_dim())
        elif self.as_views:
            if gradient is None or gradient._array is not average._array:
                parameter.grad = average
        elif gradient is None:
            parameter.grad = average.clone()
        else:
            bucket.give(position, gradient)

    def check_finished(self) -> None:
        """Raises RuntimeError if gradients of the last pass have not been reduced."""
        if not self.unfinished:
            return
        missing = [index for index in range(len(self.parameters)) if index not in self.ready]
        indices, names = " ".join(map(str, missing)), ", ".join(self.names[index] for index in missing)
        raise noted(
            RuntimeError(
                f"{CHANGED if self.uses else UNFINISHED}\n"
                f"Parameter indices which did not receive grad for rank {dist.get_rank(self.group)}: {indices}"
            ),
            f"Those parameters are {names}.",
        )

    # ---- processes that have no more inputs

    def shadow(self) -> None:
        """Takes part in the reductions of a pass that this process does not run, with gradients of zero."""
        with no_grad():
            for number, bucket in enumerate(self.buckets):
                bucket.flat.zero_()
                self._start(number)
            if self._shares_used():
                self.shared = self._share_used()
            self._wait()
        if not self.order:
            self.order = list(range(len(self.parameters)))


def is_done(work: Any) -> bool:
    """Whether a work or a future is done."""
    return work.done() if isinstance(work, Future) else work.is_completed()


def remove(handles: list[Any]) -> None:
    """Removes hooks."""
    for handle in handles:
        handle.remove()
