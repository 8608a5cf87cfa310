"""What another vendor rounds otherwise, and what stays to the bit."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import textwrap

import pytest
import torch

from warmup.project import ROOT
from warmup.run import rounding
from warmup.run.emulation import MACHINES, ROUNDING

VENDORS = [machine for machine in MACHINES if ROUNDING in machine.environment]

DIGESTS = """
    import hashlib, json, sys, torch
    from warmup.run import rounding
    if seed := {seed}:
        rounding.install(seed)
    torch.set_num_threads(1)
    def told(value):
        tensors = value if isinstance(value, (list, tuple)) else [value]
        return hashlib.sha256(b"".join(bytes(t.detach().contiguous().untyped_storage()) for t in tensors)).hexdigest()
    torch.manual_seed(0)
    x, y, image = torch.randn(40, 40), torch.rand(40, 40) + 0.5, torch.randn(2, 3, 9, 9)
    w, k = torch.randn(40), torch.randn(4, 3, 3, 3)
    def gradient(function, *inputs):
        inputs = [one.clone().requires_grad_() for one in inputs]
        return torch.autograd.grad(function(*inputs).square().sum(), inputs)
    def step(kind, **options):
        p = torch.nn.Parameter(x.clone())
        optimizer = kind([p], lr=0.1, **options)
        for _ in range(3):
            p.grad = y.clone()
            optimizer.step()
        return p
    F = torch.nn.functional
    for cases in ({moved}, {fixed}):
        print(json.dumps({{name: told(function()) for name, function in cases.items()}}))
"""
MOVED = """{
    "sum": lambda: x.sum(0), "mean": lambda: x.mean(1), "variance": lambda: x.var(0), "cumsum": lambda: x.cumsum(0),
    "matmul": lambda: x @ y, "batched": lambda: x[None] @ y[None], "vector": lambda: x @ w,
    "dot": lambda: torch.stack([row @ w for row in x]),
    "linear": lambda: F.linear(x, y, w), "convolution": lambda: F.conv2d(image, k),
    "its backward": lambda: gradient(lambda i, k: F.conv2d(i, k), image, k),
    "norm": lambda: x.norm(dim=0), "layer norm": lambda: F.layer_norm(x, (40,)),
    "its gradient": lambda: gradient(lambda i: F.layer_norm(i, (40,)), x),
    "batch norm": lambda: F.batch_norm(x, None, None, training=True),
    "softmax": lambda: x.softmax(1), "its gradient 2": lambda: gradient(lambda i: i.softmax(1), x),
    "loss": lambda: F.cross_entropy(x, torch.arange(40), reduction="none"),
    "attention": lambda: F.scaled_dot_product_attention(x[None, None], y[None, None], x[None, None]),
    "exp": lambda: x.exp(), "log": lambda: y.log(), "tanh": lambda: x.tanh(), "sigmoid": lambda: x.sigmoid(),
    "gelu": lambda: F.gelu(x), "erf": lambda: x.erf(), "sin": lambda: x.sin(), "power": lambda: y ** 3.3,
    "number to a power": lambda: 2 ** x, "complex": lambda: torch.view_as_real(torch.fft.fft(x)),
    "in place": lambda: x.clone().exp_(), "out": lambda: torch.exp(x, out=torch.empty(40, 40)),
    "a strided out": lambda: torch.exp(x, out=torch.zeros(40, 80)[:, ::2]),
    "channels last": lambda: F.conv2d(image.contiguous(memory_format=torch.channels_last), k),
    "foreach": lambda: torch._foreach_exp([x, y]), "foreach norm": lambda: torch._foreach_norm([*x]),
    "a lerp": lambda: x.clone().lerp_(y, 0.3), "addcdiv": lambda: x.clone().addcdiv_(x, y),
    "Adam": lambda: step(torch.optim.Adam), "fused": lambda: step(torch.optim.Adam, fused=True),
    "foreach Adam": lambda: step(torch.optim.Adam, foreach=True),
    "float64": lambda: x.double().exp(), "solve": lambda: torch.linalg.solve(x, y),
}"""
FIXED = """{
    "a sign": lambda: (-x @ y + x @ y).count_nonzero(), "a power of two": lambda: 16 * (x @ y) - (16 * x) @ y,
    "plus": lambda: x + y, "minus": lambda: x - y, "times": lambda: x * y, "divided": lambda: x / y,
    "root": lambda: y.sqrt(), "reciprocal": lambda: y.reciprocal(), "square": lambda: x ** 2, "half": lambda: y ** 0.5,
    "in place": lambda: x.clone().mul_(y).add_(w), "foreach": lambda: torch._foreach_add([x, y], [y, x]),
    "foreach root": lambda: torch._foreach_sqrt([y]), "relu": lambda: x.relu(), "comparison": lambda: x > y,
    "copy": lambda: x.t().contiguous(), "index": lambda: x[torch.arange(0, 40, 3)], "sort": lambda: x.sort()[0],
    "maximum": lambda: x.amax(1), "draw": lambda: torch.randn(99), "dropout": lambda: F.dropout(x, 0.5),
    "permutation": lambda: torch.randperm(99), "two terms": lambda: x[:2].sum(0), "one term": lambda: x[None].sum(0),
    "integers": lambda: x.round() @ y.round(), "sum of halves": lambda: (x.round() / 2).sum(),
    "int64": lambda: torch.arange(99).sum(), "bfloat16": lambda: x.bfloat16() @ y.bfloat16(),
    "one-hot": lambda: torch.eye(40)[torch.arange(39, -1, -1)] @ x,
    "outer": lambda: x[:, :1] @ y[:1], "exp of 0": lambda: torch.zeros(9).exp(),
    "infinity": lambda: (x.double() * 1e9).exp().isinf(), "first of a cumsum": lambda: x.cumsum(0)[0].clone(),
    "nothing to add": lambda: x.clone().addcdiv_(torch.zeros_like(x), y),
    "a gradient of products": lambda: gradient(lambda a, b: a[:1] * b[:1], x, y),
    "order of a loader": lambda: torch.cat(list(torch.utils.data.DataLoader(torch.arange(99), 8, shuffle=True))),
    "a step without a gradient": lambda: (torch.zeros(9).lerp_(torch.zeros(9), 0.1), x.clone().addcmul_(x, x * 0)),
}"""


@functools.cache
def digests(seed: int, run: int = 1) -> list[dict[str, str]]:
    """Digests of what MOVED and FIXED give, in a process that rounds like a vendor; 0 is this one."""
    code = textwrap.dedent(DIGESTS).format(seed=seed, moved=MOVED, fixed=FIXED)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_vendors_choose_differs_and_is_the_same_each_time():
    ours, first, again, second = digests(0)[0], digests(1)[0], digests(1, run=2)[0], digests(2)[0]
    assert [name for name in ours if first[name] == ours[name]] == []
    assert first == again
    # A second vendor rounds otherwise; a few short results may happen to agree.
    assert sum(first[name] != second[name] for name in ours) >= 0.9 * len(ours)


@pytest.mark.parametrize("seed", [1, 2])
def test_what_ieee_fixes_stays_to_the_bit(seed):
    ours, theirs = digests(0)[1], digests(seed)[1]
    assert [name for name in ours if ours[name] != theirs[name]] == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64])
def test_an_element_moves_by_one_unit_in_the_last_place_at_most(dtype):
    x = torch.randn(20_000, dtype=dtype, generator=torch.Generator().manual_seed(0))
    before = x.clone()
    rounding.move(x, 1)
    real, old = (torch.view_as_real(t) if t.is_complex() else t for t in (x, before))
    near = [torch.nextafter(old, old.new_tensor(end)) for end in (-torch.inf, torch.inf)]
    down, same, up = (float((real == one).double().mean()) for one in (near[0], old, near[1]))
    assert down + same + up == 1 and x._version == before._version
    assert 0.2 < down < 0.3 and 0.2 < up < 0.3


def test_the_direction_is_a_function_of_the_elements_bits():
    x = torch.randn(500, generator=torch.Generator().manual_seed(0))
    both = torch.stack([x, x.flip(0)])
    rounding.move(both, 7)
    other = x.clone()[:, None].expand(-1, 3).contiguous().t()
    rounding.move(other, 7)
    assert torch.equal(both[0], both[1].flip(0)) and torch.equal(other[1], both[0])


def test_memory_that_a_tensor_repeats_moves_once():
    x, once = torch.full((1,), 0.1), torch.full((1,), 0.1)
    seed = next(seed for seed in range(99) if rounding.move(y := once.clone(), seed) or y != once)
    rounding.move(once, seed)
    rounding.move(x.expand(50), seed)
    assert torch.equal(x, once)


def test_a_vendors_program_notices_nothing_but_its_numbers(runner, snippet, monkeypatch, by_itself):
    path = snippet("""
        import torch
        from torch.profiler import profile
        from torch.utils._python_dispatch import TorchDispatchMode

        class Seen(TorchDispatchMode):
            names = []
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                Seen.names.append(str(func))
                return func(*args, **(kwargs or {}))

        torch.manual_seed(0)
        x = torch.randn(8, 8, requires_grad=True)
        with Seen():
            (x @ x).exp().sum().backward()
        print(Seen.names)
        y = torch.randn(3)
        y.exp_()
        print(y._version, torch.equal(torch.func.vmap(torch.exp)(x), x.exp()))
        with profile() as table:
            torch.randn(3).exp()
        print([event.name for event in table.events()])
        print(torch.func.grad(lambda x: x.exp().sum())(torch.zeros(3)).tolist())
        print(torch.empty(3, device="meta").exp().shape, type(torch.nn.Parameter(torch.ones(2)).exp()).__name__)
        print((x.detach() @ x.detach()).double().sum().item())
    """)
    here = runner.run(path)
    done = by_itself(f"""
        from warmup.run.runner import Runner
        from warmup.run.emulation import MACHINES
        for machine in MACHINES[1:3]:
            with Runner(environment=machine.environment) as runner:
                result = runner.run({str(path)!r})
            print(result.message + result.stdout, end="\\0")
    """)
    assert done.returncode == 0, done.stderr
    *same, number = here.stdout.splitlines()
    assert here.status == "ok", here.stderr
    for printed in done.stdout.split("\0")[:-1]:
        *lines, other = printed.splitlines()
        assert lines == same
        assert float(other) == pytest.approx(float(number)) and other != number


def test_a_program_that_counts_objects_rounds_as_ever(snippet, by_itself):
    counts, not_so = "import gc, torch; gc.get_objects()", "import torch"
    print_it = "; torch.manual_seed(0); print(torch.randn(64, 64).exp().sum(0).tolist())"
    paths = [str(snippet(code + print_it, name)) for name, code in (("counts", counts), ("not_so", not_so))]
    done = by_itself(f"""
        from warmup.run.runner import Runner
        from warmup.run.emulation import MACHINES
        for machine in MACHINES[:2]:
            with Runner(environment=machine.environment) as runner:
                print([hash(runner.run(path).stdout) for path in {paths!r}])
    """)
    ours, theirs = map(json.loads, done.stdout.splitlines())
    assert ours[0] == theirs[0] == ours[1] != theirs[1]


def test_the_vendors_are_two_and_the_first_to_be_asked():
    assert MACHINES[1:3] == VENDORS and len({machine.environment[ROUNDING] for machine in VENDORS}) == 2
