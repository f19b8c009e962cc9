"""The names of CuPy's `nccl` that are used, between processes with simulated GPUs: files carry the data.

Calls are queued on a stream of the fake CuPy; one that needs what another rank has not sent yet is not done, however
often it is tried, and one that does not fit those of the others never is. A send outside of a group ends only when it
has been received, as NCCL does not promise more. Buffers that overlap, and calls after the end of the communicator,
raise AssertionError.
"""

import ctypes
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import ml_dtypes
import numpy as np

from rushlight.arrays.cuda.fake.array import ELSEWHERE
from rushlight.arrays.cuda.fake.streams import NOT_YET
from rushlight.core.device import BACKENDS

available = True
NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN, NCCL_AVG = range(5)
NCCL_INT8, NCCL_UINT8, NCCL_INT32, NCCL_UINT32, NCCL_INT64, NCCL_UINT64, NCCL_FLOAT16, NCCL_FLOAT32 = range(8)
NCCL_FLOAT64, NCCL_BFLOAT16 = 8, 9
DTYPES = [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64,
          ml_dtypes.bfloat16]  # fmt: skip
COMBINE = [np.add, np.multiply, np.maximum, np.minimum, np.add]
CALLS = []  # names of the calls that were queued
WITHIN = []  # the calls of a group that is not ended


class NcclError(RuntimeError):
    pass


def give_to_gpus():
    """Gives the simulated GPUs of this process this library."""
    for gpu in BACKENDS.by_kind["cuda"].devices:
        gpu.load_nccl = lambda: sys.modules[__name__]


def get_unique_id():
    folder = tempfile.mkdtemp(prefix="nccl", dir=os.environ["NCCL_FOLDER"])
    return json.dumps(folder).encode().ljust(128)


def groupStart():
    assert not WITHIN
    WITHIN.append([])


def groupEnd():
    calls = WITHIN.pop()
    communicators = {call[0] for call in calls}
    streams = {call[1] for call in calls}
    assert len(communicators) == len(streams) == 1
    communicators.pop().queue(streams.pop(), [call[2:] for call in calls])


def at(pointer, count, dtype):
    """The numbers at a pointer of the fake CuPy."""
    memory = (ctypes.c_char * (count * np.dtype(dtype).itemsize)).from_address(pointer - ELSEWHERE)
    return np.frombuffer(memory, dtype)


class NcclCommunicator:
    def __init__(self, ndev, commId, rank):
        assert type(commId) is bytes and len(commId) == 128 and 0 <= rank < ndev
        self.folder, self.size, self.rank = Path(json.loads(commId)), ndev, rank
        self.calls, self.messages, self.ended = 0, {}, False
        self.put("init", rank, b"")
        while not all(self.there("init", each) for each in range(ndev)):
            time.sleep(1e-3)

    # ---- files

    def put(self, name, rank, data):
        path = self.folder / f"{name}.{rank}"
        partial = path.with_name(f"{path.name}.part{os.getpid()}")
        partial.write_bytes(data)
        partial.rename(path)

    def there(self, name, rank):
        return (self.folder / f"{name}.{rank}").exists()

    def taken(self, name, rank):
        return (self.folder / f"{name}.{rank}").read_bytes()

    # ---- collectives

    def collective(self, name, sent, received, kind, stream, *settings, compute):
        """Queues a call: `compute` gives what this rank receives of what all have sent."""
        assert not WITHIN and not self.ended
        CALLS.append(name)
        self.calls += 1
        key, state = f"call{self.calls}", []
        call = json.dumps([name, len(sent), len(received), kind, *settings]).encode()

        def run():
            if not state:  # what is sent is read when the stream comes to the call
                state.append(True)
                self.put(key, self.rank, call + b"\n" + sent.tobytes())
            if not all(self.there(key, rank) for rank in range(self.size)):
                time.sleep(1e-4)
                return NOT_YET
            rows = []
            for rank in range(self.size):
                theirs, _, data = self.taken(key, rank).partition(b"\n")
                if theirs != call:
                    return NOT_YET
                rows.append(np.frombuffer(data, sent.dtype))
            result = compute(rows)
            if result is not None:
                received[:] = result
            return None

        stream_at(stream).queue(run, [received])

    def combined(self, rows, op):
        wide = [row.astype(np.float32) if row.dtype.itemsize == 2 else row for row in rows]
        result = wide[0].copy()
        for row in wide[1:]:
            result = COMBINE[op](result, row)
        return (result / self.size if op == NCCL_AVG else result).astype(rows[0].dtype)

    def allReduce(self, sendbuf, recvbuf, count, datatype, op, stream):
        sent, received = self.buffers(sendbuf, count, recvbuf, count, datatype, sendbuf)
        self.collective("allReduce", sent, received, datatype, stream, op, compute=lambda rows: self.combined(rows, op))

    def reduce(self, sendbuf, recvbuf, count, datatype, op, root, stream):
        sent, received = self.buffers(sendbuf, count, recvbuf, count, datatype, sendbuf)
        mine = self.rank == root
        self.collective("reduce", sent, received, datatype, stream, op, root,
                        compute=lambda rows: self.combined(rows, op) if mine else None)  # fmt: skip

    def broadcast(self, sendbuff, recvbuff, count, datatype, root, stream):
        sent, received = self.buffers(sendbuff, count, recvbuff, count, datatype, sendbuff)
        self.collective("broadcast", sent, received, datatype, stream, root, compute=lambda rows: rows[root])

    def allGather(self, sendbuf, recvbuf, count, datatype, stream):
        in_place = recvbuf + self.rank * count * np.dtype(DTYPES[datatype]).itemsize
        sent, received = self.buffers(sendbuf, count, recvbuf, count * self.size, datatype, in_place)
        self.collective("allGather", sent, received, datatype, stream, compute=np.concatenate)

    def reduceScatter(self, sendbuf, recvbuf, recvcount, datatype, op, stream):
        in_place = sendbuf + self.rank * recvcount * np.dtype(DTYPES[datatype]).itemsize
        sent, received = self.buffers(sendbuf, recvcount * self.size, recvbuf, recvcount, datatype, in_place)
        part = slice(self.rank * recvcount, (self.rank + 1) * recvcount)
        self.collective("reduceScatter", sent, received, datatype, stream, op,
                        compute=lambda rows: self.combined([row[part] for row in rows], op))  # fmt: skip

    def buffers(self, sendbuf, sent, recvbuf, received, datatype, in_place):
        """The numbers that are sent and received; they may overlap only where NCCL allows it, `in_place`."""
        one, other = at(sendbuf, sent, DTYPES[datatype]), at(recvbuf, received, DTYPES[datatype])
        assert recvbuf == in_place or sendbuf == in_place or not np.may_share_memory(one, other)
        return one, other

    # ---- messages

    def send(self, sendbuf, count, datatype, peer, stream):
        self.message("send", sendbuf, count, datatype, peer, stream)

    def recv(self, recvbuf, count, datatype, peer, stream):
        self.message("recv", recvbuf, count, datatype, peer, stream)

    def message(self, name, pointer, count, datatype, peer, stream):
        assert not self.ended and 0 <= peer < self.size
        CALLS.append(name)
        ends = (self.rank, peer) if name == "send" else (peer, self.rank)
        self.messages[name, ends] = number = self.messages.get((name, ends), 0) + 1
        call = name, f"{ends[0]}to{ends[1]}n{number}", at(pointer, count, DTYPES[datatype])
        if WITHIN:
            WITHIN[0].append((self, stream, *call))
        else:
            self.queue(stream, [call])

    def queue(self, stream, calls):
        sent, received = set(), set()

        def run():
            for name, key, memory in calls:
                if name == "send" and key not in sent:
                    sent.add(key)
                    self.put(key, 0, memory.tobytes())
            for name, key, memory in calls:
                if name == "recv" and key not in received and self.there(key, 0):
                    data = self.taken(key, 0)
                    if len(data) != memory.nbytes:
                        return NOT_YET
                    memory[:] = np.frombuffer(data, memory.dtype)
                    self.put(key, 1, b"")
                    received.add(key)
            if len(sent) + len(received) < len(calls) or not all(self.there(key, 1) for key in sent):
                time.sleep(1e-4)
                return NOT_YET
            return None

        stream_at(stream).queue(run, [memory for name, _, memory in calls if name == "recv"])

    # ---- its end

    def check_async_error(self):
        assert not self.ended

    def destroy(self):
        self.ended = True

    abort = destroy


def stream_at(address):
    """The stream of the fake CuPy at an address."""
    return ctypes.cast(address, ctypes.py_object).value
