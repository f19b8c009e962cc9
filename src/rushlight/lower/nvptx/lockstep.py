"""Runs the kernels of GPUs on the host: all blocks in turn, the threads of a block in lockstep.

It proves a kernel's text without a GPU; it is no way to compute. Where threads wait for each other, each thread is a
coroutine of LLVM that suspends at every barrier and on both sides of every exchange; all threads of the block are
resumed in turn, in ascending order or backwards: a missing barrier shows in one of the two. A thread that waits
elsewhere than the first of its warp, or of its block if one of them waits at a barrier, would hang or be undefined on a
GPU, and raises here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from rushlight.lower import inner_loop, llvm
from rushlight.lower.nvptx.target import WARP, KernelText, Threads

LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int32, *[ctypes.c_void_p] * 2, *[ctypes.c_int32] * 2, *[ctypes.c_void_p] * 3, ctypes.c_bool
)
PASSES = ("always_inliner", "sroa", "simplify_cfg", "instruction_combine", "simplify_cfg")
PLACE = "i32 %tid, i32 %block, i32 %threads, i32 %blocks, ptr %shared, ptr %slots, ptr %where"
SIZES = {"float": 4, "double": 8, "i32": 4}

COROUTINES = """
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare void @llvm.coro.end(ptr, i1, token)
declare ptr @llvm.coro.free(token, ptr)
declare i1 @llvm.coro.done(ptr)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare ptr @malloc(i64)
declare void @free(ptr)
"""
BEGIN = """
  %frame.id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %frame.size = call i64 @llvm.coro.size.i64()
  %frame.room = call ptr @malloc(i64 %frame.size)
  %frame = call ptr @llvm.coro.begin(token %frame.id, ptr %frame.room)
  %tid.wide = zext i32 %tid to i64
  %where.mine = getelementptr i32, ptr %where, i64 %tid.wide
"""
END = """
  %frame.last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %frame.last, label %suspended [i8 0, label %resumed
                                           i8 1, label %destroyed]
resumed:
  unreachable
destroyed:
  %frame.memory = call ptr @llvm.coro.free(token %frame.id, ptr %frame)
  call void @free(ptr %frame.memory)
  br label %suspended
suspended:
  call void @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
"""


class Lockstep:
    """The primitives as functions of the host."""

    def __init__(self):
        self.suspensions = 0

    def barrier(self, at: str) -> list[str]:
        return self._suspension(f"{at}.barrier", of_block=True)

    def exchange(self, name: str, value: str, type: str, distance: str, at: str) -> list[str]:
        return [
            f"%slot{at} = getelementptr i64, ptr %slots, i64 %tid.wide",
            f"store {type} {value}, ptr %slot{at}",
            *self._suspension(f"{at}.sent", of_block=False),
            f"%lane{at} = xor i32 %tid, {distance}",
            f"%lane{at}.wide = zext i32 %lane{at} to i64",
            f"%slot{at}.other = getelementptr i64, ptr %slots, i64 %lane{at}.wide",
            f"{name} = load {type}, ptr %slot{at}.other",
            *self._suspension(f"{at}.taken", of_block=False),
        ]

    def _suspension(self, at: str, of_block: bool) -> list[str]:
        """Returns the lines that suspend; the number that they note is odd where the block has to be together."""
        self.suspensions += 1
        return [
            f"store i32 {2 * self.suspensions + of_block}, ptr %where.mine",
            f"%state{at} = call i8 @llvm.coro.suspend(token none, i1 false)",
            f"switch i8 %state{at}, label %suspended [i8 0, label %on{at}",
            "i8 1, label %destroyed]",
            f"on{at}:",
        ]

    def module(self, kernel: KernelText) -> str:
        waits = kernel.waits
        parameters = f"{kernel.heading}, {PLACE}"
        opening = f"define internal {'ptr' if waits else 'void'} @kernel({parameters}) nounwind"
        return "\n".join(
            [
                *kernel.declared,
                COROUTINES if waits else "",
                kernel.functions,
                f"{opening} {'presplitcoroutine ' if waits else ''}{{",
                "entry:",
                *([BEGIN] if waits else []),
                *kernel.lines,
                "done:",
                END if waits else "ret void",
                "}",
                STATE if waits else "",
                NUMBER,
                launching(kernel),
            ]
        )


def launching(kernel: KernelText) -> str:
    """Returns `launch(parameters, shared, blocks, threads, slots, where, handles, backwards)`.

    The parameters are pointers, as `cuLaunchKernel` takes them; `backwards` says whether the last block and thread come
    first. The result is 0, or 1 where threads did not wait at one place.
    """
    lines = []
    for number, (type, _) in enumerate(kernel.parameters):
        lines += [
            f"%value{number}.at = getelementptr ptr, ptr %parameters, i64 {number}",
            f"%value{number}.to = load ptr, ptr %value{number}.at",
            f"%value{number} = load {type}, ptr %value{number}.to",
        ]
    parameters = ", ".join(f"{type} %value{number}" for number, (type, _) in enumerate(kernel.parameters))
    call = (
        f"@kernel({parameters}, i32 %tid, i32 %block, i32 %threads, i32 %blocks, ptr %shared, ptr %slots, ptr %where)"
    )
    block = IN_LOCKSTEP if kernel.waits else IN_TURN
    return f"""
define i32 @launch(ptr %parameters, ptr %shared, i32 %blocks, i32 %threads, ptr %slots, ptr %where, ptr %handles,
                   i1 %backwards) {{
entry:
  {inner_loop.lines_of(lines)}
  br label %begin
begin:
  %turn = phi i32 [0, %entry], [%block.next, %finished]
  %block = call i32 @number(i32 %turn, i32 %blocks, i1 %backwards)
  br label %each
{block.format(call=call)}
finished:
  %block.next = add i32 %turn, 1
  %block.more = icmp ult i32 %block.next, %blocks
  br i1 %block.more, label %begin, label %end
end:
  ret i32 0
}}
"""


IN_TURN = """each:
  %next = phi i32 [0, %begin], [%tid.next, %each]
  %tid = call i32 @number(i32 %next, i32 %threads, i1 %backwards)
  call void {call}
  %tid.next = add i32 %next, 1
  %tid.more = icmp ult i32 %tid.next, %threads
  br i1 %tid.more, label %each, label %finished
"""
IN_LOCKSTEP = f"""each:
  %next = phi i32 [0, %begin], [%tid.next, %each]
  %tid = call i32 @number(i32 %next, i32 %threads, i1 %backwards)
  %made = call ptr {{call}}
  %tid.wide = zext i32 %tid to i64
  %handle.to = getelementptr ptr, ptr %handles, i64 %tid.wide
  store ptr %made, ptr %handle.to
  %tid.next = add i32 %next, 1
  %tid.more = icmp ult i32 %tid.next, %threads
  br i1 %tid.more, label %each, label %check
check:
  br label %compare
compare:
  %seen = phi i32 [0, %check], [%seen.next, %compared]
  %left = phi i1 [false, %check], [%left.next, %compared]
  %here = call i32 @state(ptr %handles, ptr %where, i32 %seen)
  %zeroth = call i32 @state(ptr %handles, ptr %where, i32 0)
  %either = or i32 %here, %zeroth
  %of.block = trunc i32 %either to i1
  %warp = and i32 %seen, -{WARP}
  %first = select i1 %of.block, i32 0, i32 %warp
  %there = call i32 @state(ptr %handles, ptr %where, i32 %first)
  %apart = icmp ne i32 %here, %there
  br i1 %apart, label %failed, label %compared
failed:
  ret i32 1
compared:
  %waits = icmp ne i32 %here, 0
  %left.next = or i1 %left, %waits
  %seen.next = add i32 %seen, 1
  %seen.more = icmp ult i32 %seen.next, %threads
  br i1 %seen.more, label %compare, label %checked
checked:
  br i1 %left.next, label %round, label %destroy
round:
  %at.turn = phi i32 [0, %checked], [%at.next, %moved]
  %at = call i32 @number(i32 %at.turn, i32 %threads, i1 %backwards)
  %at.wide = zext i32 %at to i64
  %at.handle.at = getelementptr ptr, ptr %handles, i64 %at.wide
  %at.handle = load ptr, ptr %at.handle.at
  %at.ended = call i1 @llvm.coro.done(ptr %at.handle)
  br i1 %at.ended, label %moved, label %move
move:
  call void @llvm.coro.resume(ptr %at.handle)
  br label %moved
moved:
  %at.next = add i32 %at.turn, 1
  %at.more = icmp ult i32 %at.next, %threads
  br i1 %at.more, label %round, label %check
destroy:
  %old = phi i32 [0, %checked], [%old.next, %destroy]
  %old.wide = zext i32 %old to i64
  %old.at = getelementptr ptr, ptr %handles, i64 %old.wide
  %old.handle = load ptr, ptr %old.at
  call void @llvm.coro.destroy(ptr %old.handle)
  %old.next = add i32 %old, 1
  %old.more = icmp ult i32 %old.next, %threads
  br i1 %old.more, label %destroy, label %finished
"""


# The number of a block or thread by its turn.
NUMBER = """
define internal i32 @number(i32 %turn, i32 %count, i1 %backwards) alwaysinline {
  %last = sub i32 %count, 1
  %back = sub i32 %last, %turn
  %number = select i1 %backwards, i32 %back, i32 %turn
  ret i32 %number
}
"""
# Where a thread waits; 0 when it has ended.
STATE = """
define internal i32 @state(ptr %handles, ptr %where, i32 %tid) alwaysinline {
  %tid.wide = zext i32 %tid to i64
  %handle.at = getelementptr ptr, ptr %handles, i64 %tid.wide
  %handle = load ptr, ptr %handle.at
  %ended = call i1 @llvm.coro.done(ptr %handle)
  %where.at = getelementptr i32, ptr %where, i64 %tid.wide
  %here = load i32, ptr %where.at
  %state = select i1 %ended, i32 0, i32 %here
  ret i32 %state
}
"""


class HostKernel:
    """A kernel that runs on the host, in ascending order of blocks and threads or `backwards`."""

    def __init__(self, kernel: Callable[[Threads], KernelText], backwards: bool = False):
        self.backwards = backwards
        threads = Lockstep()
        self.text = kernel(threads)
        passes = () if self.text.waits else PASSES  # coroutines are made by LLVM's own pipeline
        self.launch = LAUNCH(llvm.build(threads.module(self.text), "launch", passes=passes)["launch"])

    def __call__(self, blocks: int, threads: int, parameters: Sequence[np.generic], stream=None) -> None:
        """Runs all threads. Raises RuntimeError where threads of a warp, or of a block, wait at different places."""
        if threads > self.text.most or threads % WARP:
            raise ValueError(f"{threads} threads per block: a multiple of {WARP} up to {self.text.most} is needed")
        values = [np.array(each) for each in parameters]
        pointers = np.array([each.ctypes.data for each in values], np.uint64)
        shared = np.full(self.text.shared + 16, 0xA5, np.uint8)  # a GPU does not clear it either
        slots, where, handles = np.zeros(threads, np.int64), np.zeros(threads, np.int32), np.zeros(threads, np.uint64)
        at = [each.ctypes.data for each in (slots, where, handles)]
        if self.launch(pointers.ctypes.data, shared.ctypes.data, blocks, threads, *at, self.backwards):
            raise RuntimeError("threads wait for each other at different places: on a GPU this hangs or is undefined")


class HostGpu:
    """A GPU without one: kernels run on the host, on NumPy arrays. What differs `backwards` has a race."""

    capability, processors, most_threads = (0, 0), 2, 4096

    def __init__(self, backwards: bool = False):
        self.backwards = backwards

    def loaded(self, kernel: Callable[[Threads], KernelText]) -> HostKernel:
        """Returns a kernel ready to launch."""
        return HostKernel(kernel, self.backwards)

    @staticmethod
    def address(array) -> int:
        return array.ctypes.data

    @staticmethod
    def empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        return np.empty(shape, dtype)

    @staticmethod
    def from_host(array: np.ndarray) -> np.ndarray:
        return array
