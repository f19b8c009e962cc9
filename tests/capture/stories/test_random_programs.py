"""Random programs, compiled and as they are: views, writes, branches, loops, containers, closures, globals, modules.

Between the calls what surrounds them changes: arguments, their layouts and aliases, globals, attributes, modes. After
each call everything that can be seen is compared, and at the end the gradients, and once more all earlier results.
"""

# ruff: noqa: E501  the parts of programs are long lists

import contextlib
import random
import re
import warnings

import pytest

import rushlight as torch

HEAD = """
import math
import warnings
import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from rushlight.utils.checkpoint import checkpoint

N, SCALE, FLAG, NAME = 2, 1.5, True, "a"
TABLE = {"a": 2, "b": 3.0}
KEPT = []

class Thing:
    kind = 1
    def __init__(self):
        self.n, self.t, self.flag, self.items = 1, torch.ones(2, 3), False, [1, 2]
    def scaled(self, x, by=2):
        return x * by + self.n
    @property
    def twice(self):
        return self.n * 2
    def __len__(self):
        return len(self.items)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.act = nn.Linear(3, 3), nn.Tanh()
        self.register_buffer("seen", torch.zeros(1))
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        if self.training:
            self.seen += 1
        return self.act(self.lin(x)) * (2 if self.calls % 2 else 1)

class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * SCALE
    @staticmethod
    def backward(ctx, g):
        return g * SCALE + ctx.saved_tensors[0] * N

def helper(x, k=1, *more, flag=False):
    return (x + k if not flag else x - k) * (1 + len(more))

def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count

def parts(x, k):
    for i in range(k):
        yield x * i

def apply(function, x):
    return function(x)

torch.manual_seed(0)
box, net, count = Thing(), Net(), counter()
P = torch.tensor([[0.5, -1.0, 2.0]], requires_grad=True)
W = torch.arange(6.0).reshape(2, 3) / 4
"""

UNARY = """{}.sin() {}.exp() torch.tanh({}) {}.abs() -{} {}.relu() F.gelu({}) F.softmax({},-1) torch.sigmoid({}) {}.clone()
{}.detach() {}.contiguous() {}.sum() {}.mean() {}.sum(0,keepdim=True) {}.amax(-1,keepdim=True) {}.cumsum(-1) {}.flip(0) {}.round()
torch.ones_like({}) torch.zeros_like({}) {}.sum(-1) F.relu({}) {}.logsumexp(-1,keepdim=True) F.layer_norm({},{}.shape[-1:]) {}.norm()
torch.where({}>0,{},{}*2) {}.double() {}.float() {}.long() {}.bool() {}.to(W.dtype) {}.unique() {}.sort(-1)[0] {}.argmax(-1) {}.max(-1)[0]
{}[{}>0] torch.nan_to_num({}) {}.clamp(-1,1) {}.pow(2) {}.data {}.var() {}.std(-1) Scaled.apply({}*1.0) checkpoint(net.act,{},use_reentrant=False)
checkpoint(helper,{},use_reentrant=False)""".split()
VIEWS = """{}[0:1] {}.t() {}.reshape(-1) {}[...,:1] {}.unsqueeze(0) {}.transpose(0,-1) {}[::2] {}.view({}.shape) {}[-1] {}.squeeze()
{}.expand(2,*{}.shape) {}.narrow(0,0,1) {}.flatten() {}[None] {}.diagonal() {}.unbind(0)[0] {}.chunk(2)[0] {}.as_strided((1,),(1,)) {}.detach()
{}.view(-1) {}.T {}.real {}.split(1)[-1] {}.movedim(0,-1)""".split()
BINARY = """{}+{} {}-{} {}*{} {}/({}.abs()+1) torch.maximum({},{}) {}@{}.t() torch.cat([{},{}]) torch.stack([{},{}]) {}.where({}>0,1) {}>{}
{}.add({},alpha=2) torch.cat([{},{}],-1) F.mse_loss({},{}) torch.lerp({},{},0.5) {}.expand_as({}) {}.mul({}) torch.addcmul({},{},W)
{}.type_as({}) {}.logical_and({}) torch.atan2({},{}) F.linear({},{})""".split()
WRITES = """{}.add_({}) {}.mul_({}) {}[0]={} {}.zero_() {}.copy_({}) {}.relu_() {}[...,0]={} {}+={} {}*={} {}.fill_({n}) {}[{}>0]={n} {}.sub_(1)
{}.clamp_(-1,1) {}.data.add_(1) {}.t_() {}.unsqueeze_(0) {}.requires_grad_() {}.detach_() {}.sigmoid_() {}.index_fill_(0,torch.tensor([0]),{n})
{}.addcmul_({},{}) {}.masked_fill_({}>1,{n}) {}.uniform_()""".replace("\n", " ").split()
NUMBERS = """N|SCALE|box.n|len({})|{}.shape[0]|{}.dim()|{n} + 1|{n} * 2|int({}.sum() > 0)|{}.sum().item()|round(float({}.mean()), 1)
len(box.items)|TABLE["a"]|{}.numel()|{}.size(-1)|min({n}, 3)|max({n}, N)|len(TABLE)|{}.shape[-1]|box.twice|abs({n})|math.floor({n})|int({n}) % 5
sum(box.items[:1])|box.kind|{}.stride(0)|getattr(box, "n", 5)|sum(z.item() for z in {}.reshape(-1))|float({n})|{n} - N / 2|len(box)|count()
net.calls|{n} if FLAG else N|len({}.tolist())|TABLE.get("c", 4)|box.items[-1]|helper({n})|(lambda z: z + N)({n})|{}.element_size()|{}.max().item()
len(KEPT)|divmod({n}, 3)[1]|[{n}, N][FLAG]|{}.argmax().item()|sorted([{n}, N])[0]|sum(i * {n} for i in (1, 2))|bool({}.any())|{}.requires_grad
{}.is_contiguous()|max({}.sum().item(), {n})|[*map(float, {}.reshape(-1))][0]|len(f"{n}")|box.items.count({n})""".replace(
    "\n", "|"
).split("|")
CONDITIONS = """FLAG|{n} > N|{}.sum() > 0|{}.requires_grad|box.flag|{}.dtype == torch.float32|"b" in TABLE|{} is box.t|{} is {}|{}.shape == W.shape
box.t is not None|torch.is_grad_enabled()|{n}|{n} == 2|isinstance({n}, int)|net.training|P.grad is None|len({}) > 1|NAME == "a"|{}.is_contiguous()
{}.any()|{n} in box.items|hasattr(box, "extra")|not {n}|box.items|{}.dim() == 2|{n} in (1, 2, 1.5)|{}.is_leaf|isinstance({}, nn.Parameter)
torch.equal({}, W)|{n} is None|{}.isnan().any()|KEPT|{n} != N != 3|TABLE["a"] >= 2|math.isclose({n}, 1.5)|torch.get_default_dtype() == torch.float32
{}.sum().item() > 0|callable(helper)|{}.grad_fn is None|bool(box)|{n} and N|{n} or FLAG|list(TABLE) == ["a", "b"]""".replace(
    "\n", "|"
).split("|")


class Writer:
    """Writes the function of a program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.tensors, self.numbers = ["x", "y", "x", "y", "W"], ["k", "N"]
        self.lists: list = []
        self.lines: list = []
        self.fresh, self.early = 0, True

    def name(self, letter):
        self.fresh += 1
        return f"{letter}{self.fresh}"

    def filled(self, forms):
        """Returns a form with tensors and numbers in its places."""
        form = self.random.choice(forms)
        while "{}" in form:
            form = form.replace("{}", self.random.choice(self.tensors), 1)
        while "{n}" in form:
            form = form.replace("{n}", self.random.choice([*self.numbers, *"123", "0.5"]), 1)
        return form

    def tensor(self):
        """Returns a tensor expression."""
        roll = self.random.random()
        if roll < 0.3:
            return self.filled(UNARY[: self.random.choice([16, 16, None])])
        if roll < 0.4:
            return self.filled(VIEWS)
        if roll < 0.7:
            return self.filled(BINARY[: self.random.choice([5, 5, None])])
        t, n = self.random.choice(self.tensors), self.random.choice([*self.numbers, "2"])
        more = [
            f"{t} * {n}", f"{t} + {n}", f"{n} - {t}", f"helper({t}, {n})", f"helper({t}, {n}, 1, flag=FLAG)", f"net({t})", "P * 2",
            f"box.t + {t}", f"box.scaled({t})", f"box.scaled({t}, by={n})", f"sum(parts({t}, 3))", f"torch.full_like({t}, {n})",
            f"apply(lambda a: a * {n}, {t})", f"apply(torch.sin, {t})", f"torch.rand(2, 3) + {t}", f"F.dropout({t})",
            f"torch.tensor([{n}, 1.0])", f"({t} * P).sum()", f"torch.full((2, 3), {n})", f"F.dropout({t}, 0.5, FLAG)", "net.lin.weight",
            "net.seen * 1", f"torch.arange({n})", f"max({t}.sum(), W.sum())", "KEPT[-1] + 1 if KEPT else W", f"P.grad if P.grad is not None else {t}",
            f"torch.randn_like({t}.float()) * {t}", f"torch.empty(2, 3).uniform_() + {t}", f"torch.rand({t}.shape) - {t}",
            f"vars(box)['t'] * {n}", f"{t} * torch.finfo(W.dtype).bits", f"{t} + torch.Size([*W.shape, 1]).numel()",
            f"torch.distributions.Normal({t}.float(), 2.0).log_prob(W)", "torch.distributions.Laplace(W, W * W + 1).rsample()",
        ]  # fmt: skip
        if self.lists:
            name = self.random.choice(self.lists)
            more += [
                f"{name}[0]",
                f"{name}[-1]",
                f"sum({name})",
                f"torch.stack({name}).sum(0)",
                f"[a * 2 for a in {name}][0]",
                f"torch.cat([*{name}])",
            ]
        return self.random.choice(more)

    def statement(self, indent, depth):
        """Writes a statement."""
        pick, pad = self.random.random(), "    " * indent
        if self.early and (pick >= 0.88 or 0.34 <= pick < 0.46):
            pick = self.random.random() * 0.88  # a value that is read after a change ends the watching
        add = self.lines.append
        if pick < 0.34:
            value = self.tensor()
            name = self.random.choice([*[each for each in self.tensors if each != "W"], self.name("t"), self.name("t")])
            add(f"{pad}{name} = {value}")
            self.tensors.append(name)
        elif pick < 0.46:
            add(
                f"{pad}{self.filled(WRITES).replace('W.', 'x.').replace('W[', 'x[').replace('W+', 'x+').replace('W*', 'x*')}"
            )
        elif pick < 0.56:
            value = self.filled(NUMBERS)
            name = self.name("n")
            add(f"{pad}{name} = {value}")
            self.numbers.append(name)
        elif pick < 0.68 and depth:
            self.block(f"{pad}if {self.filled(CONDITIONS)}:", indent, depth)
            if self.random.random() < 0.5:
                self.block(f"{pad}else:", indent, depth)
        elif pick < 0.74 and depth:
            self.loop(indent, depth)
        elif pick < 0.79 and depth:
            head = self.random.choice(
                [
                    "with torch.no_grad():",
                    "with torch.enable_grad():",
                    "with torch.set_grad_enabled(FLAG):",
                    "if True:",
                    "for _ in range(2):",
                ]
            )
            self.block(pad + head, indent, depth)
        elif pick < 0.82 and depth:
            self.block(f"{pad}try:", indent, depth)
            add(
                f"{pad}except (RuntimeError, IndexError, TypeError, ValueError):\n{pad}    box.n += 1"
                if self.random.random() < 0.5
                else f"{pad}finally:\n{pad}    box.flag = False"
            )
        elif pick < 0.88:
            name = self.name("l")
            t, u = self.random.choice(self.tensors), self.random.choice(self.tensors)
            forms = [
                f"[{t}, {u}]",
                f"[{t} * i for i in range(2)]",
                f"list({t})",
                f"[*{t}.unbind()]",
                f"[a for a in ({t}, {u}) if a.dim()]",
                f"list(parts({t}, 2))",
            ]
            add(f"{pad}{name} = {self.random.choice(forms)}")
            self.lists.append(name)
        else:
            self.effect(pad)

    def effect(self, pad):
        """Writes a change of what was there before."""
        t, n = self.random.choice(self.tensors), self.random.choice([*self.numbers, "2"])
        forms = [
            "box.n += 1", f"box.t = {t}", f"box.items.append({n})", "N += 1", f"TABLE['a'] = {n}", f"TABLE[NAME] = {n}", "FLAG = not FLAG",
            "box.items.pop() if len(box.items) > 2 else None", f"KEPT.append({t})", f"box.flag = {n} > 1", f"({t} * P).sum().backward(retain_graph=True)", "P.grad = None",
            f"box.items[0] = {n}", f"box.extra = {n}", "box.items = box.items[-2:]", "KEPT.clear()", f"box.items.insert(0, {n})", f"TABLE.update(a={n})",
            "count()", f"{t}.mark = 1", "box.items.sort()", f"setattr(box, 'n', {n})", "NAME = 'b' if NAME == 'a' else 'a'", "Thing.kind += 1",
            f"box.items.extend([{n}, 1])", f"TABLE.setdefault('c', {n})", "TABLE.pop('c', None)", f"W.copy_({t}.detach())", "net.calls += 1", "box.items += [1]",
            "assert N < 50", "del box.items[2:]", f"print({n})", "SCALE *= 1.5", f"box.items = [{n}, *box.items][:3]", f"KEPT[:] = [{t}]",
        ]  # fmt: skip
        forms += [f"{each}.append({t})" for each in self.lists]
        self.lines.append(pad + self.random.choice(forms))

    def loop(self, indent, depth):
        """Writes a loop."""
        pad, name = "    " * indent, self.name("i")
        t = self.random.choice(self.tensors)
        kinds = [
            ("range(2)", 1),
            ("range(N % 4)", 1),
            (f"{t}", 0),
            (f"list({t})", 0),
            ("box.items[:2]", 1),
            (f"enumerate([{t}, W])", 2),
            (f"zip((1, 2), [{t}, {t} + 1])", 2),
            ("TABLE.values()", 1),
            (f"parts({t}, 2)", 0),
        ]
        over, kind = self.random.choice(kinds)
        other = self.name("i")
        self.block(f"{pad}for {name}{', ' + other if kind == 2 else ''} in {over}:", indent, depth, (name, other, kind))

    def block(self, head, indent, depth, made=None):
        """Writes a block; names that are made in it are not known afterwards."""
        kept = list(self.tensors), list(self.numbers), list(self.lists)
        if made is not None:
            name, other, kind = made
            (self.tensors if kind == 0 else self.numbers).append(name)
            if kind == 2:
                self.tensors.append(other)
        self.lines.append(head)
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent + 1, depth - 1)
        self.tensors, self.numbers, self.lists = kept

    def written(self):
        """Returns the text of a function."""
        count = self.random.randint(3, 8)
        for at in range(count):
            self.early = at < 0.6 * count
            self.statement(1, 2)
        results = [
            self.random.choice([*self.tensors, *self.numbers, *self.lists, *self.tensors])
            for _ in range(self.random.randint(1, 3))
        ]
        some = self.random.choice(
            [
                f"[{', '.join(results)}]",
                f"({', '.join(results)},)",
                f"{{'a': {results[0]}}}",
                results[0],
                f"{results[0]}, box.items",
            ]
        )
        head = "def f(x, y, k=1, *rest, flag=True):\n    global N, FLAG, NAME, SCALE\n"
        return head + "\n".join(self.lines) + f"\n    return {some}\n"

    def changes(self, often):
        """Returns statements that change what surrounds a call."""
        forms = """
        N = 3|N = 2|SCALE = 2.5|FLAG = False|FLAG = True|box.n = 4|box.n = 1.5|box.t = torch.zeros(2, 3)|box.t = W|box.items = [3, 1]
        box.items.append(2)|TABLE = {"b": 3.0, "a": 2}|TABLE["a"] = 5|TABLE["c"] = 1|NAME = "b"|box.flag = True|box.kind = 7|Thing.kind = 3
        def helper(x, k=1, *more, flag=False): return x * k|helper.__defaults__ = (3,)|net.eval()|net.train()|net.lin.weight.data.mul_(2)
        net.lin = nn.Linear(3, 3)|net.act = nn.ReLU()|P.grad = None|P.grad = torch.ones(1, 3)|P.requires_grad_(False)|P.requires_grad_(True)
        P.data = torch.ones(1, 3)|count = counter()|box = Thing()|net = Net()|W = W.t().contiguous().t()|W = W.double()|W.add_(1)|KEPT.append(W)
        Thing.scaled = lambda self, x, by=2: x - by|Thing.twice = property(lambda self: 9)|box.extra = 2|torch.manual_seed(5)|del TABLE["a"]
        net.register_forward_hook(lambda m, a, out: out * 2)|net.lin.weight.requires_grad_(False)|box.scaled = lambda x, by=1: x|W = torch.ones(2, 3)
        len = lambda v: 2|def apply(function, x): return function(function(x))|KEPT.clear()|box.items = (1, 2)|box.t = None|Thing.__len__ = lambda self: 0
        net.register_forward_hook(lambda m, a, out: KEPT.append(out.detach()))|P = P.detach().clone().requires_grad_()|box.__class__ = type("Other", (Thing,), {"kind": 5})
        """.replace("\n", "|").split("|")  # fmt: skip
        text = "\n".join(self.lines)
        forms = [form.strip() for form in forms if form.strip()]
        read = [form for form in forms if re.findall(r"[A-Za-z]+", form.replace("def ", ""))[0] in text]
        if read and self.random.random() < 0.8:
            forms = read
        picked = [
            self.random.choice(forms).strip()
            for _ in range(self.random.choice([1, 1, 2]) if self.random.random() < often else 0)
        ]
        return "\n".join(picked)

    def arguments(self):
        """Returns statements that set X, Y, K and the mode of a call."""
        made = """torch.ones(2, 3)|torch.arange(6.0).reshape(2, 3) - 2|torch.arange(6.0).reshape(3, 2).t() / 3|torch.ones(2, 3).double()|torch.ones(1, 3)
        torch.arange(12.0).reshape(4, 3)[::2]|torch.ones(2, 3, requires_grad=True)|torch.ones(2, 3, requires_grad=True) * 2|torch.arange(6).reshape(2, 3)|W|P
        torch.ones(3)|torch.ones(1, 3).expand(2, 3)|-torch.ones(2, 3)|box.t|torch.zeros(2, 3)|nn.Parameter(torch.ones(2, 3))|torch.ones(3, 3)
        torch.full((2, 3), float("nan"))|torch.ones(2, 3, dtype=torch.bool)|torch.ones(0, 3)|LAST""".replace("\n", "|").split("|")  # fmt: skip
        first = self.random.choice(made[: 3 if self.random.random() < 0.7 else None]).strip()
        alias = self.random.random()
        second = (
            "X"
            if alias < 0.08
            else "X[:1]"
            if alias < 0.12
            else self.random.choice(made[: 3 if alias < 0.6 else None]).strip()
        )
        k = self.random.choice(["1", "1", "2", "1", "0", "0.5", "2.0", "True", "-1", "3"])
        call = self.random.choice(
            [
                "f(X, Y, K)",
                "f(X, Y, K)",
                "f(X, Y, k=K)",
                "f(X, Y)",
                "f(X, Y, K)",
                "f(X, Y, K, 1)",
                "f(X, y=Y, k=K, flag=False)",
                "f(y=Y, x=X)",
            ]
        )
        mode = self.random.choice(["plain"] * 8 + ["no_grad", "inference_mode", "function"])
        return f"X = {first}\nY = {second}\nK = {k}", call, mode


def script_of(seed):
    """Returns the function of a program, and its calls: what changes before, the arguments, the call, the mode."""
    writer = Writer(seed)
    text = writer.written()
    calls, last = [], None
    often = writer.random.choice([0.15, 0.5])
    for _ in range(writer.random.randint(6, 10)):
        if last is None or writer.random.random() < often:
            last = writer.arguments()
        calls.append((writer.changes(often), *last))
    return text, calls


def mode_of(name):
    return {"no_grad": torch.no_grad, "inference_mode": torch.inference_mode}.get(name, contextlib.nullcontext)()


def seen_of(script, compile, picture):
    """Runs a program; returns pictures of what is seen after each call, and at the end."""
    text, calls = script
    space = {"__name__": "program"}
    exec(HEAD, space)
    exec(text, space)
    space["f"] = compile(space["f"])
    space["X"] = space["Y"] = space["LAST"] = space["W"]  # should the first arguments be none
    seen, kept = [], []
    torch.manual_seed(1)
    for changes, arguments, call, mode in calls:
        for statement in changes.split("\n"):
            with contextlib.suppress(Exception):
                exec(statement, space)
        with contextlib.suppress(Exception):
            exec(arguments, space)
        space.pop("result", None)
        try:
            with mode_of(mode):
                space["result"] = eval(call, space)
        except Exception as error:
            space["result"] = (type(error).__name__, str(error).partition("\n")[0])
        kept.append(space["result"])
        first = space["result"]
        while isinstance(first, (list, tuple)) and first:
            first = first[0]
        if isinstance(first, torch.Tensor):
            space["LAST"] = first
        seen.append(picture().of([space[name] for name in ("result", *WORLD)]))
    return [*seen, gradients(kept) or picture().of([kept, [space[name] for name in WORLD]])]


WORLD = ("X", "Y", "N", "SCALE", "FLAG", "NAME", "TABLE", "KEPT", "box", "P", "W", "net")


STALE = "modified by an inplace operation"


def gradients(kept):
    """Goes backward from the results; returns the last error, "" if there is none."""
    failure = ""
    for result in kept:
        try:
            for each in tensors_in(result):
                if each.requires_grad and each.is_floating_point():
                    (each * each).sum().backward(retain_graph=True)
        except RuntimeError as error:
            failure = str(error).partition("\n")[0]
    return failure


def tensors_in(value):
    """Returns all tensors in a result: those of a replay share a node, which an old value for one of them spoils."""
    if isinstance(value, (list, tuple, dict)):
        return [each for part in (value.values() if isinstance(value, dict) else value) for each in tensors_in(part)]
    return [value] if isinstance(value, torch.Tensor) else []


def check(seed, compile, picture, difference):
    """Compares a program with itself, compiled; returns what differs."""
    script = script_of(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = seen_of(script, lambda function: function, picture)
        actual = seen_of(script, compile, picture)
    for number, (one, other) in enumerate(zip(actual, wanted, strict=True)):
        # A write may spoil what only one of them has saved: a program computes again, or its results share a node, as in
        # PyTorch.
        if one != other and not any([type(each) is str and STALE in each for each in (one, other)]):
            return f"program {seed}, call {number}: {difference(one, other)}\n{script[0]}\n{script[1][: number + 1]}"
    return None


@pytest.mark.parametrize("chunk", range(10))
def test_random_programs(chunk, compilers, picture, difference, capsys):
    failures = []
    for seed in range(30 * chunk, 30 * chunk + 30):
        failures += filter(None, [check(seed, compilers[seed % len(compilers)], picture, difference)])
    assert not failures, "\n\n".join(failures[:3])


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("chunk", range(100))
def test_many_random_programs(chunk, compilers, picture, difference, capsys):
    failures = []
    for seed in range(1000 + 100 * chunk, 1100 + 100 * chunk):
        failures += filter(None, [check(seed, compilers[seed % len(compilers)], picture, difference)])
    assert not failures, f"{len(failures)} of 100:\n" + "\n\n".join(failures[:3])
