"""Machine code of the thread pool: distributes pieces of a loop, and lets threads wait for them.

Threads of Python stay inside `worker`. A job is published by changing words of the pool's memory: TICKETS, one per
share of the job, with the job's number and the next piece, and WAKE, on which workers sleep. Each thread starts with
the share it had in the previous job, whose memory its caches may hold, and then helps with the others.

A piece is taken by incrementing a ticket atomically; that fails if the job is no longer the one whose description was
read: all tickets are closed before the description changes. Finished pieces are counted: a thread that was preempted
before it took a piece is not waited for. SEATS holds each thread's core, so that threads on one core can separate. With
one thread none of this is compiled.
"""

from __future__ import annotations

import time

from rushlight.arrays import threads
from rushlight.arrays.threads import (
    BUSY,
    DONE,
    LINE,
    LIVE,
    SEATS,
    SHARES,
    SLEEPERS,
    SPINS,
    START,
    TICKETS,
    WAITS,
    WAKE,
    WANTED,
)
from rushlight.lower.language import (
    FUTEX,
    Imported,
    atomic_add,
    atomic_load,
    atomic_store,
    compare_exchange,
    core,
    futex_wait,
    futex_wake,
    get_cores,
    local,
    pause,
    set_cores,
    yield_core,
)
from rushlight.lower.machine_types import boolean, function, int64, pointer, void
from rushlight.lower.native import compile_together, native

# The description of the current job.
BODY, CONTEXT, SIZE, CHUNK, COUNT, PARTS, NUMBER = range(threads.JOB, threads.JOB + 7)

# Seconds that a thread spins before it sleeps. Waking takes 50 us, and threads woken together may share a core until
# the system spreads them: the steps of a program are closer together.
PATIENCE = 2e-3
PAUSES = 200  # spins between yields of the core
PIECES = 4  # per thread: a thread whose core is busy leaves most of its share to others
EVERYBODY = 1 << 20
WORDS = 16  # of a mask of 1,024 cores, Linux' usual maximum
NUMBERS = 32  # the low bits of a ticket hold the piece, the high bits the job
CLOSED = (1 << NUMBERS) - 1  # a piece that no job has

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
    seat(state, 0)
    chunk = max(grain, (size + wanted * PIECES - 1) // (wanted * PIECES))
    count = (size + chunk - 1) // chunk
    shares = min(count, min(wanted, SHARES))
    number = atomic_load(state, NUMBER) + 1
    for share in range(atomic_load(state, PARTS)):
        atomic_store(state, TICKETS + share * LINE, number << NUMBERS | CLOSED)
    atomic_store(state, NUMBER, number)
    atomic_store(state, BODY, int64(body))
    atomic_store(state, CONTEXT, int64(context))
    atomic_store(state, SIZE, size)
    atomic_store(state, CHUNK, chunk)
    atomic_store(state, COUNT, count)
    atomic_store(state, PARTS, shares)
    atomic_store(state, DONE, 0)
    for share in range(shares):
        atomic_store(state, TICKETS + share * LINE, number << NUMBERS | share * count // shares)
    wake(state, count - 1)
    work(state, 0)
    finish(state, count)
    atomic_store(state, BUSY, 0)


@native
def work(state: pointer(int64), thread: int64):
    """Takes pieces of the current job until none is left, its own share first."""
    passed = 0
    while passed < atomic_load(state, PARTS):
        shares = atomic_load(state, PARTS)
        share = (thread + passed) % shares
        at = TICKETS + share * LINE
        ticket = atomic_load(state, at)
        body = Body(atomic_load(state, BODY))
        context = Context(atomic_load(state, CONTEXT))
        size, chunk = atomic_load(state, SIZE), atomic_load(state, CHUNK)
        count = atomic_load(state, COUNT)
        piece = ticket & CLOSED
        if atomic_load(state, PARTS) != shares:
            passed = 0  # the ticket belongs to a job that began after `shares` was read
        elif piece >= (share + 1) * count // shares:
            passed += 1
        elif compare_exchange(state, at, ticket, ticket + 1):
            body(context, piece * chunk, min(size, (piece + 1) * chunk))
            if atomic_add(state, DONE, 1) == count - 1 and atomic_load(state, WAITS) != 0:
                futex_wake(state, DONE, 1)


@native
def finish(state: pointer(int64), count: int64):
    """Waits until all pieces are done."""
    spins = atomic_load(state, SPINS) - 1  # most jobs are done by now, so the core is not yielded at once
    while atomic_load(state, DONE) != count and spins > 0:
        rest(spins)
        spins -= 1
    if atomic_load(state, DONE) != count:
        atomic_store(state, WAITS, 1)
        done = atomic_load(state, DONE)
        while done != count:
            futex_wait(state, DONE, done)
            done = atomic_load(state, DONE)
        atomic_store(state, WAITS, 0)


@native
def rest(spins: int64):
    """Pauses between two polls."""
    pause()
    if spins % PAUSES == 0:
        yield_core()


@native(cold=True)
def wake(state: pointer(int64), count: int64):
    """Signals a change to the workers; wakes at most `count` sleepers."""
    atomic_add(state, WAKE, 1)
    sleepers = atomic_load(state, SLEEPERS)
    if sleepers > 0:
        futex_wake(state, WAKE, min(count, sleepers))


@native(cold=True)
def worker(state: pointer(int64), thread: int64):
    """The loop of a worker thread, until there are more workers than wanted."""
    seen = atomic_load(state, WAKE)
    while not should_end(state):
        if is_crowded(state, thread):
            move(state)
        work(state, thread)
        spins = atomic_load(state, SPINS)
        while atomic_load(state, WAKE) == seen and spins > 0:
            rest(spins)
            spins -= 1
        if atomic_load(state, WAKE) == seen:
            atomic_add(state, SLEEPERS, 1)
            futex_wait(state, WAKE, seen)
            atomic_add(state, SLEEPERS, -1)
        seen = atomic_load(state, WAKE)


@native
def seat(state: pointer(int64), thread: int64) -> int64:
    """Records the core that a thread runs on."""
    at, current = SEATS + thread * LINE, int64(core()) + 1
    if atomic_load(state, at) != current:
        atomic_store(state, at, current)
    return current


@native
def is_crowded(state: pointer(int64), thread: int64) -> boolean:
    """Returns whether a worker shares its core with another thread of the pool.

    Linux may wake several on one core and leave them there for milliseconds although others are idle.
    """
    if thread >= SHARES:
        return False
    current = seat(state, thread)
    for other in range(min(SHARES, atomic_load(state, WANTED))):
        if other != thread and atomic_load(state, SEATS + other * LINE) == current:
            return True
    return False


@native(cold=True)
def move(state: pointer(int64)):
    """Moves to a core without a thread of the pool, then allows all cores again."""
    allowed, free = local(int64, WORDS), local(int64, WORDS)
    for i in range(WORDS):
        allowed[i] = 0
    if get_cores(allowed, WORDS) <= 0:
        return
    any_free = int64(0)
    for i in range(WORDS):
        free[i] = allowed[i]
    for other in range(min(SHARES, atomic_load(state, WANTED))):
        used = atomic_load(state, SEATS + other * LINE) - 1
        if used >= 0 and used < 64 * WORDS:
            free[used // 64] &= ~(int64(1) << used % 64)
    for i in range(WORDS):
        any_free |= free[i]
    if any_free != 0:
        set_cores(free, WORDS)
        set_cores(allowed, WORDS)


@native
def should_end(state: pointer(int64)) -> boolean:
    """Returns whether this worker should end; it is then no longer counted."""
    live = atomic_load(state, LIVE)
    while live > atomic_load(state, WANTED) - 1:
        if compare_exchange(state, LIVE, live, live - 1):
            return True
        live = atomic_load(state, LIVE)
    return False


@native(cold=True)
def alone(body: Body, context: Context, size: int64, grain: int64):
    """`parallel_for` for one thread, and for platforms without futexes."""
    body(context, 0, size)


@native(cold=True)
def wait(spins: int64):
    """Spins for `spins` polls."""
    while spins > 0:
        rest(spins)
        spins -= 1


def polls_within(seconds: float) -> int:
    """Returns the number of polls in that CPU time: processors' pauses differ widely.

    Time in which other processes use the yielded core is not counted.
    """
    spins = 10 * PAUSES
    times = []
    for _ in range(3):
        start = time.thread_time()
        wait.machine()(spins)
        times.append(time.thread_time() - start)
    return max(1, int(seconds / min(times) * spins / PAUSES)) * PAUSES  # begins with a yield


def spread() -> None:
    """Compiles what several threads need, on platforms with futexes."""
    if FUTEX is not None:
        compile_together(parallel_for, worker, wake, wait)
        rouse = wake.machine()
        entry, spins = parallel_for.address(), polls_within(PATIENCE)
        threads.pool().attach(entry, worker.machine(), lambda state: rouse(state, EVERYBODY), spins)


def entry() -> int:
    """Returns the address of `void parallel_for(void (*body)(void *, int64, int64), context, size, grain)`'s cell."""
    return threads.pool().begin(alone.address(), spread)
