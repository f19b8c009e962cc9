"""How long the first call of an operator takes, with all kernels it needs.

Time depends on the load of the machine, the bytes of object code do not: with explicit vectors a byte takes 0.003 to
0.005 ms, from text to object code, on machines with 512-bit vectors; with LLVM's vectorizer 0.01 ms; unoptimised
0.001. Each call is made by a process of its own with an empty cache.
"""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite", reason="the extra jit is not installed")

from rushlight.lower.llvm import host

MOST, MOST_OF_MANY = 100, 150  # ms
# More where vectors have no masks: writing edges in pieces is one more function in each kernel, most in an LSTM's
# five, and tiles of six rows leave some at an edge, which have a kernel of their own.
MORE = 0 if host().masks else 5
MANY = {"transformer layer"}  # a dozen kernels of at most 40 each
PER_BYTE = {"named": 0.0042, "found": 0.01, "cold": 0.001}  # explicit vectors, LLVM's vectorizer, not optimised
CALLS = {
    "add": lambda t, x: x + x,
    "sin": lambda t, x: x.sin(),
    "pow": lambda t, x: x.abs() ** 2.5,
    "gelu": lambda t, x: t.nn.functional.gelu(x),
    "dropout": lambda t, x: t.nn.functional.dropout(x),
    "sum": lambda t, x: x.sum(),
    "sum of rows": lambda t, x: x.sum(1),
    "sum of columns": lambda t, x: x.sum(0),
    "mean": lambda t, x: x.mean(),
    "deviation of columns": lambda t, x: x.std(0),
    "deviation of rows": lambda t, x: x.std(1),
    "largest": lambda t, x: x.amax(1),
    "largest of columns": lambda t, x: x.amax(0),
    "position of the largest": lambda t, x: x.argmax(0),
    "norm": lambda t, x: x.norm(dim=1),
    "softmax": lambda t, x: x.softmax(1),
    "cross entropy": lambda t, x: t.nn.functional.cross_entropy(x, t.arange(300)),
    "mse loss": lambda t, x: t.nn.functional.mse_loss(x, x.detach() * 2),
    "binary cross entropy": lambda t, x: t.nn.functional.binary_cross_entropy_with_logits(x, x.detach().sigmoid()),
    "cumsum": lambda t, x: x.cumsum(1),
    "sort": lambda t, x: x.sort(1)[0],
    "topk": lambda t, x: x.topk(9)[0],
    "gather": lambda t, x: x.gather(1, t.zeros(300, 300, dtype=t.int64)),
    "rows by index": lambda t, x: x[t.arange(300)],
    "mask": lambda t, x: x[x > 0],
    "cat": lambda t, x: t.cat([x, x], 1),
    "transposed copy": lambda t, x: x.t().contiguous(),
    "to half": lambda t, x: x.half(),
    "matmul": lambda t, x: x @ x,
    "transposed matmul": lambda t, x: x @ x.t(),
    "bmm": lambda t, x: t.bmm(x.expand(3, 300, 300), x.expand(3, 300, 300)),
    "attention": lambda t, x: t.nn.functional.scaled_dot_product_attention(*[x[:256, :256].reshape(4, 4, 128, 32)] * 3),
    "embedding": lambda t, x: t.nn.functional.embedding(t.arange(300).repeat(9), x),
    "max pooling": lambda t, x: t.nn.functional.max_pool2d(images(x), 2),
    "average pooling": lambda t, x: t.nn.functional.avg_pool2d(images(x), 2),
    "interpolation": lambda t, x: t.nn.functional.interpolate(images(x), scale_factor=2, mode="bilinear"),
    "random numbers": lambda t, x: t.randn(300, 300),
    "a step of SGD": lambda t, x: stepped(t.optim.SGD([x], lr=0.1, momentum=0.9), x),
    "a step of Adam": lambda t, x: stepped(t.optim.Adam([x]), x),
}


def itself(x):
    return x


def images(x):
    return x.reshape(-1)[:65536].reshape(4, 16, 32, 32)


def lines(x):
    return images(x).flatten(2)


def signals(x):
    return x.reshape(-1)[:65536].reshape(32, 32, 64)


# Layers with existing weights, and their arguments.
LAYERS = {
    "linear": (lambda t: t.nn.Linear(300, 300), itself),
    "layer norm": (lambda t: t.nn.LayerNorm(300), itself),
    "batch norm": (lambda t: t.nn.BatchNorm1d(300), itself),
    "batch norm of images": (lambda t: t.nn.BatchNorm2d(16), images),
    "group norm": (lambda t: t.nn.GroupNorm(4, 16), images),
    "convolution": (lambda t: t.nn.Conv2d(16, 32, 3, padding=1), images),
    "convolution of 5 x 5": (lambda t: t.nn.Conv2d(16, 32, 5), images),
    "convolution of 1 x 1": (lambda t: t.nn.Conv2d(16, 32, 1), images),
    "strided convolution": (lambda t: t.nn.Conv2d(16, 32, 3, stride=2), images),
    "depthwise convolution": (lambda t: t.nn.Conv2d(16, 16, 3, groups=16), images),
    "convolution of signals": (lambda t: t.nn.Conv1d(16, 32, 5), lines),
    "transposed convolution": (lambda t: t.nn.ConvTranspose2d(16, 16, 4, stride=2), images),
    "lstm": (lambda t: t.nn.LSTM(64, 128), signals),
    "gru": (lambda t: t.nn.GRU(64, 128), signals),
    "rnn": (lambda t: t.nn.RNN(64, 128), signals),
    "transformer layer": (lambda t: t.nn.TransformerEncoderLayer(64, 4, 128), signals),
}


def stepped(optimizer, x):
    x.grad = x.detach() * 0.5
    optimizer.step()
    return x.detach()


EVERY = list(CALLS | LAYERS)


def made(folder, threads: int, names=EVERY) -> dict[str, list[list]]:
    """Returns what each call and its backward compile, in processes with this number of threads."""
    command = [sys.executable, __file__, folder, str(threads), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return json.loads(done.stdout)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork")
def test_a_first_call_is_short(tmp_path):
    result = made(tmp_path, 1)
    assert [*result] == EVERY
    waited = {name: [round(sum(PER_BYTE[kind] * size for kind, size in part)) for part in parts]
              for name, parts in result.items()}  # fmt: skip
    assert waited["matmul"][0] > 10, "nothing was compiled"
    most = {name: MORE + (MOST_OF_MANY if name in MANY else MOST) for name in waited}
    assert not {name: parts for name, parts in waited.items() if max(parts) > most[name]}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are made by fork")
@pytest.mark.parametrize("names", [EVERY[::3], pytest.param(EVERY, marks=pytest.mark.nightly)], ids=["some", "every"])
def test_a_first_call_on_several_threads_does_not_deadlock(tmp_path, names):
    """Threads that need Python to compile do not wait for one that holds the GIL."""
    assert [*made(tmp_path, 3, names)] == names


# ---- the process that makes the calls


def compiled_by(call, log: list) -> list:
    """Returns the pass pipeline and the code size of each module that a call compiles."""
    log.clear()
    call()
    return list(log)


def called(name: str, library):
    """Returns the call, after its setup."""
    x = library.rand(300, 300).requires_grad_()
    if name in CALLS:
        return lambda: CALLS[name](library, x)
    make, args = LAYERS[name]
    layer, x = make(library), args(x)
    return lambda: layer(x)


def parts_of(name: str, library, log: list) -> list[list]:
    """Returns what the call and backward of its result compile."""
    call, kept = called(name, library), []
    parts = [compiled_by(lambda: kept.append(call()), log)]
    result = kept[0][0] if isinstance(kept[0], tuple) else kept[0]
    if result.requires_grad:
        slope = library.rand(tuple(result.shape))
        parts.append(compiled_by(lambda: result.backward(slope), log))
    return parts


def main(folder: str, threads: int, names: list[str]) -> None:
    import rushlight
    from rushlight.core.policy import notice
    from rushlight.lower import llvm

    rushlight.set_num_threads(threads)
    notice()
    log: list = []
    emitted = llvm.Host.compiled

    def compiled(self, text, passes):
        code = emitted(self, text, passes)
        log.append(("cold" if passes == llvm.COLD else "named" if passes else "found", len(code)))
        return code

    llvm.Host.compiled = compiled
    results = {}
    for number, name in enumerate(names):
        reading, writing = os.pipe()
        if not os.fork():
            try:
                os.environ["RUSHLIGHT_CACHE"] = os.path.join(folder, str(number))
                with os.fdopen(writing, "w") as stream:
                    json.dump(parts_of(name, rushlight, log), stream)
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as stream:
            results[name] = json.load(stream)
        os.wait()
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
