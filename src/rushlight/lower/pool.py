"""The thread pool's machine code: how pieces of a loop are handed out, and how threads wait for them.

Threads of Python are parked inside `worker`. A job is published by changing words of the pool's memory: TICKETS, one
for each share of the job, with the job's number and the next piece, and WAKE, on which workers sleep. Each thread
begins with the share that it had in the job before, whose memory its caches may still hold, and then helps the rest.
A piece is taken by raising a ticket in one step; that fails if the job is no longer the one whose description was read:
before a description changes, all tickets are closed. What is counted is finished pieces: a thread that the system took
off its core before it took a piece is not waited for. SEATS says which core each thread is on, so that those who share
one part. As long as there is one thread, none of this is compiled.
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
    let_others,
    local,
    pause,
    set_cores,
)
from rushlight.lower.machine_types import boolean, function, int64, pointer, void
from rushlight.lower.native import native, together

# The description of the job that is going on.
BODY, CONTEXT, SIZE, CHUNK, COUNT, PARTS, NUMBER = range(threads.JOB, threads.JOB + 7)

# Seconds that a thread looks for work before it sleeps. To be woken takes it 50 us, and several that are woken at once
# may wait for each other's core until the system has spread them: the steps of a program are closer together.
PATIENCE = 2e-3
PAUSES = 200  # between two times that a waiting thread offers its core to others
PIECES = 4  # for each thread: who finds its core taken leaves most of its share to the others
EVERYBODY = 1 << 20
WORDS = 16  # of a mask of 1,024 cores, more than which Linux is rarely made for
NUMBERS = 32  # in a ticket the piece stands in the low bits, the job above them
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
def work(state: pointer(int64), place: int64):
    """Does pieces of the job that is going on until none is left to take, those of its own share first."""
    passed = 0
    while passed < atomic_load(state, PARTS):
        shares = atomic_load(state, PARTS)
        share = (place + passed) % shares
        at = TICKETS + share * LINE
        ticket = atomic_load(state, at)
        body = Body(atomic_load(state, BODY))
        context = Context(atomic_load(state, CONTEXT))
        size, chunk = atomic_load(state, SIZE), atomic_load(state, CHUNK)
        count = atomic_load(state, COUNT)
        piece = ticket & CLOSED
        if atomic_load(state, PARTS) != shares:
            passed = 0  # the ticket is of a job that began after the first look, and is cut otherwise
        elif piece >= (share + 1) * count // shares:
            passed += 1
        elif compare_exchange(state, at, ticket, ticket + 1):
            body(context, piece * chunk, min(size, (piece + 1) * chunk))
            if atomic_add(state, DONE, 1) == count - 1 and atomic_load(state, WAITS) != 0:
                futex_wake(state, DONE, 1)


@native
def finish(state: pointer(int64), count: int64):
    """Waits until all pieces are done."""
    spins = atomic_load(state, SPINS) - 1  # most jobs are done by now: the core is not offered at once
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
    """A short while between two looks."""
    pause()
    if spins % PAUSES == 0:
        let_others()


@native(cold=True)
def wake(state: pointer(int64), count: int64):
    """Tells workers that something has changed; wakes at most `count` of those that sleep."""
    atomic_add(state, WAKE, 1)
    sleepers = atomic_load(state, SLEEPERS)
    if sleepers > 0:
        futex_wake(state, WAKE, min(count, sleepers))


@native(cold=True)
def worker(state: pointer(int64), place: int64):
    """What a thread of the pool does until there are more of them than wanted."""
    seen = atomic_load(state, WAKE)
    while not superfluous(state):
        if is_crowded(state, place):
            move(state)
        work(state, place)
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
def seat(state: pointer(int64), place: int64) -> int64:
    """Notes the core that a thread is on."""
    at, here = SEATS + place * LINE, int64(core()) + 1
    if atomic_load(state, at) != here:
        atomic_store(state, at, here)
    return here


@native
def is_crowded(state: pointer(int64), place: int64) -> boolean:
    """Whether a worker is on the core of another thread of ours.

    Linux may wake several on one core, and leaves them there for many milliseconds, though others are idle.
    """
    if place >= SHARES:
        return False
    here = seat(state, place)
    for other in range(min(SHARES, atomic_load(state, WANTED))):
        if other != place and atomic_load(state, SEATS + other * LINE) == here:
            return True
    return False


@native(cold=True)
def move(state: pointer(int64)):
    """Asks the system for a core that none of us is on, and is content with any again once it is there."""
    allowed, free = local(int64, WORDS), local(int64, WORDS)
    for i in range(WORDS):
        allowed[i] = 0
    if get_cores(allowed, WORDS) <= 0:
        return
    left = int64(0)
    for i in range(WORDS):
        free[i] = allowed[i]
    for other in range(min(SHARES, atomic_load(state, WANTED))):
        taken = atomic_load(state, SEATS + other * LINE) - 1
        if taken >= 0 and taken < 64 * WORDS:
            free[taken // 64] &= ~(int64(1) << taken % 64)
    for i in range(WORDS):
        left |= free[i]
    if left != 0:
        set_cores(free, WORDS)
        set_cores(allowed, WORDS)


@native
def superfluous(state: pointer(int64)) -> boolean:
    """Whether this worker is to go; it is then no longer counted."""
    live = atomic_load(state, LIVE)
    while live > atomic_load(state, WANTED) - 1:
        if compare_exchange(state, LIVE, live, live - 1):
            return True
        live = atomic_load(state, LIVE)
    return False


@native(cold=True)
def alone(body: Body, context: Context, size: int64, grain: int64):
    """`parallel_for` for one thread, and where there is nothing to sleep on."""
    body(context, 0, size)


@native(cold=True)
def wait(spins: int64):
    """As long as so many looks take."""
    while spins > 0:
        rest(spins)
        spins -= 1


def looks_within(seconds: float) -> int:
    """How often a thread looks for work in that time of its own: processors pause for very different times.

    While others have the core that it offers, on a busy machine, it does not look.
    """
    tried = 10 * PAUSES
    times = []
    for _ in range(3):
        start = time.thread_time()
        wait.machine()(tried)
        times.append(time.thread_time() - start)
    return max(1, int(seconds / min(times) * tried / PAUSES)) * PAUSES  # begins with an offer of the core


def spread() -> None:
    """Compiles what several threads need, where there is something to sleep on."""
    if FUTEX is not None:
        together(parallel_for, worker, wake, wait)
        rouse = wake.machine()
        entry, spins = parallel_for.address(), looks_within(PATIENCE)
        threads.pool().attach(entry, worker.machine(), lambda state: rouse(state, EVERYBODY), spins)


def entry() -> int:
    """Where the address stands of `void parallel_for(void (*body)(void *, int64, int64), context, size, grain)`."""
    return threads.pool().begin(alone.address(), spread)
