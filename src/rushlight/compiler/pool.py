"""The thread pool's machine code: how pieces of a loop are handed out, and how threads wait for them.

Threads of Python are parked inside `worker`. A job is published by changing two words of the pool's memory: TICKET,
the number of the job and of its next piece, and WAKE, on which workers sleep. A piece is taken by raising TICKET in one
step, which fails if the job is no longer the one whose description was read. What is counted is finished pieces: a
thread that the system took off its core before it took a piece is not waited for.
"""

from __future__ import annotations

from rushlight.arrays import threads
from rushlight.arrays.threads import BUSY, DONE, LIVE, SLEEPERS, START, TICKET, WAITS, WAKE, WANTED
from rushlight.compiler.language import (
    FUTEX,
    Imported,
    atomic_add,
    atomic_load,
    atomic_store,
    compare_exchange,
    futex_wait,
    futex_wake,
    pause,
)
from rushlight.compiler.machine_types import boolean, function, int64, pointer, void
from rushlight.compiler.native import native

# The description of the job that is going on.
BODY, CONTEXT, SIZE, CHUNK, COUNT = range(threads.JOB, threads.JOB + 5)

SPINS = 1000  # pauses before a thread goes to sleep: some ten microseconds, the time between two operators
PIECES = 4  # for each thread: who finds its core taken leaves most of its share to the others
EVERYBODY = 1 << 20
NUMBERS = 32  # TICKET: the piece stands in the low bits, the job above them

Body = function(pointer(void), int64, int64)
Context = pointer(void)
Starter = function()

STATE = Imported("rushlight_pool", pointer(int64), lambda: threads.pool().memory.ctypes.data)


@native
def parallel_for(body: Body, context: Context, size: int64, grain: int64):
    """Runs `body(context, begin, end)` over [0, size) in pieces of at least `grain`; returns when all are done."""
    state = STATE
    wanted = atomic_load(state, WANTED)
    if size <= grain or wanted <= 1 or not compare_exchange(state, BUSY, 0, 1):
        body(context, 0, size)
        return
    if atomic_load(state, LIVE) < wanted - 1:
        start = Starter(atomic_load(state, START))
        start()
    chunk = max(grain, (size + wanted * PIECES - 1) // (wanted * PIECES))
    count = (size + chunk - 1) // chunk
    atomic_store(state, BODY, int64(body))
    atomic_store(state, CONTEXT, int64(context))
    atomic_store(state, SIZE, size)
    atomic_store(state, CHUNK, chunk)
    atomic_store(state, COUNT, count)
    atomic_store(state, DONE, 0)
    atomic_store(state, TICKET, ((atomic_load(state, TICKET) >> NUMBERS) + 1) << NUMBERS)
    wake(state, count - 1)
    work(state)
    finish(state, count)
    atomic_store(state, BUSY, 0)


@native
def work(state: pointer(int64)):
    """Does pieces of the job that is going on, until none is left to take."""
    while True:
        ticket = atomic_load(state, TICKET)
        body = Body(atomic_load(state, BODY))
        context = Context(atomic_load(state, CONTEXT))
        size, chunk = atomic_load(state, SIZE), atomic_load(state, CHUNK)
        count = atomic_load(state, COUNT)
        piece = ticket & ((1 << NUMBERS) - 1)
        if piece >= count:
            return
        if compare_exchange(state, TICKET, ticket, ticket + 1):
            body(context, piece * chunk, min(size, (piece + 1) * chunk))
            if atomic_add(state, DONE, 1) == count - 1 and atomic_load(state, WAITS) != 0:
                futex_wake(state, DONE, 1)


@native
def finish(state: pointer(int64), count: int64):
    """Waits until all pieces are done."""
    spins = 0
    while atomic_load(state, DONE) != count and spins < SPINS:
        pause()
        spins += 1
    if atomic_load(state, DONE) != count:
        atomic_store(state, WAITS, 1)
        done = atomic_load(state, DONE)
        while done != count:
            futex_wait(state, DONE, done)
            done = atomic_load(state, DONE)
        atomic_store(state, WAITS, 0)


@native
def wake(state: pointer(int64), count: int64):
    """Tells workers that something has changed; wakes at most `count` of those that sleep."""
    atomic_add(state, WAKE, 1)
    sleepers = atomic_load(state, SLEEPERS)
    if sleepers > 0:
        futex_wake(state, WAKE, min(count, sleepers))


@native
def worker(state: pointer(int64)):
    """What a thread of the pool does until there are more of them than wanted."""
    seen = atomic_load(state, WAKE)
    while not superfluous(state):
        work(state)
        spins = 0
        while atomic_load(state, WAKE) == seen and spins < SPINS:
            pause()
            spins += 1
        if atomic_load(state, WAKE) == seen:
            atomic_add(state, SLEEPERS, 1)
            futex_wait(state, WAKE, seen)
            atomic_add(state, SLEEPERS, -1)
        seen = atomic_load(state, WAKE)


@native
def superfluous(state: pointer(int64)) -> boolean:
    """Whether this worker is to go; it is then no longer counted."""
    live = atomic_load(state, LIVE)
    while live > atomic_load(state, WANTED) - 1:
        if compare_exchange(state, LIVE, live, live - 1):
            return True
        live = atomic_load(state, LIVE)
    return False


@native
def alone(body: Body, context: Context, size: int64, grain: int64):
    """`parallel_for` where there is nothing to sleep on."""
    body(context, 0, size)


def parallel_for_address() -> int:
    """The address of `void parallel_for(void (*body)(void *context, int64 begin, int64 end), context, size, grain)`."""
    if FUTEX is None:
        return alone.address()
    rouse = wake.machine()
    threads.pool().attach(worker.machine(), lambda state: rouse(state, EVERYBODY))
    return parallel_for.address()
