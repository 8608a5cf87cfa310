"""What docs/senior/distributed/expert-parallelism.md claims, proven beyond the example shown."""

import re
import tempfile
import warnings
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
import torch.multiprocessing as mp
from torch.utils.checkpoint import checkpoint

from warmup import testing
from warmup.testing import load_snippet

layer = load_snippet("senior/distributed/expert_parallelism.py")
counts = load_snippet("senior/distributed/expert_parallelism_bytes.py")
picture = load_snippet("senior/distributed/expert_parallelism_picture.py")
WIDTH, LOCAL = 3, 2


def _rank(rank, world_size, folder, function):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/init", rank=rank, world_size=world_size)
    try:
        torch.save(function(rank, world_size), f"{folder}/{rank}.pt")
    finally:
        dist.destroy_process_group()


def on_ranks(function, world_size):
    """What ``function(rank, world_size)`` returns on every rank of a gloo group."""
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(_rank, args=(world_size, folder, function), nprocs=world_size, start_method="fork")
        return [torch.load(Path(folder, f"{rank}.pt")) for rank in range(world_size)]


def case(name: str, ranks: int):
    """Tokens, choices and gates of all ranks, and the weights of all experts."""
    g = torch.Generator().manual_seed(ranks)
    tokens = [5 + 2 * r for r in range(ranks)]  # unequally many
    x = [torch.randn(n, WIDTH, generator=g) for n in tokens]
    scores = [torch.randn(n, ranks * LOCAL, generator=g) for n in tokens]
    if name == "idle":  # nobody picks an expert of the last rank
        for score in scores:
            score[:, -LOCAL:] = -torch.inf
    chosen = [score.topk(1 if name == "one" else 2).indices for score in scores]
    gates = [torch.rand(c.shape, generator=g) for c in chosen]
    weights = torch.randn(ranks * LOCAL, WIDTH, WIDTH, generator=g)
    return x, chosen, gates, weights


NAMES = ("one", "two", "idle")


def run(rank, ranks):
    found = {}
    for name in NAMES:
        x, chosen, gates, weights = case(name, ranks)
        mine = [w.clone().requires_grad_() for w in weights[rank * LOCAL : (rank + 1) * LOCAL]]
        rows, scale = x[rank].requires_grad_(), gates[rank].requires_grad_()
        experts = [lambda part, w=w: (part @ w).tanh() for w in mine]
        y = layer.expert_parallel(rows, chosen[rank], scale, experts)
        y.square().sum().backward()
        found[name] = [y.detach(), rows.grad, scale.grad, torch.stack([w.grad for w in mine])]
    return found


@pytest.fixture(scope="module")
def spread():
    return {ranks: on_ranks(run, ranks) for ranks in (2, 3)}


def dense(name: str, ranks: int):
    """The same as ``run``, with all tokens and experts in one process."""
    x, chosen, gates, weights = case(name, ranks)
    leaves = [t.requires_grad_() for t in (*x, *gates, weights)]
    outputs = []
    for rows, picks, scale in zip(x, chosen, gates, strict=True):
        every = torch.einsum("nc,ecd->ned", rows, weights).tanh()
        outputs.append((scale[..., None] * every[torch.arange(len(rows))[:, None], picks]).sum(1))
    sum(y.square().sum() for y in outputs).backward()
    return outputs, [leaf.grad for leaf in leaves]


class TestExpertParallel:
    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("ranks", [2, 3])
    def test_outputs_and_all_gradients_are_those_of_one_process(self, spread, name, ranks):
        outputs, grads = dense(name, ranks)
        for r, found in enumerate(spread[ranks]):
            y, of_x, of_gates, of_experts = found[name]
            torch.testing.assert_close(y, outputs[r].detach())
            torch.testing.assert_close(of_x, grads[r])
            torch.testing.assert_close(of_gates, grads[ranks + r])
            # An expert's gradient is already the sum over the tokens of all ranks.
            torch.testing.assert_close(of_experts, grads[-1][r * LOCAL : (r + 1) * LOCAL])

    def test_a_rank_without_rows_takes_part_and_its_experts_get_zeros(self, spread):
        for ranks in (2, 3):
            assert not spread[ranks][-1]["idle"][3].any() and spread[ranks][0]["idle"][3].any()

    def test_the_example_prints_what_each_rank_sends_and_gets(self, capfd):
        on_ranks(lambda rank, _: layer.demonstrate(rank), 2)
        numbers = [list(map(int, re.findall(r"\d+", line))) for line in capfd.readouterr().out.splitlines()]
        assert numbers == [[0, 1, 3, 1, 2], [1, 2, 2, 3, 2]]

    @pytest.mark.parametrize("ranks", [2, 3])
    def test_if_all_ranks_hold_the_tokens_one_sum_replaces_both_exchanges(self, ranks):
        x, chosen, gates, weights = case("two", ranks)
        outputs, _ = dense("two", ranks)
        parts = []
        for r in range(ranks):
            part = torch.zeros_like(x[0])
            for e in range(r * LOCAL, (r + 1) * LOCAL):
                token, slot = torch.where(chosen[0] == e)
                part[token] += gates[0][token, slot, None] * (x[0][token] @ weights[e]).tanh()
            parts.append(part)
        torch.testing.assert_close(sum(parts).detach(), outputs[0].detach())


@pytest.fixture
def alone():
    with testing.one_rank():
        yield


class TestGraph:
    @pytest.mark.parametrize("listed", [False, True])
    def test_the_plain_collective_cuts_the_graph_and_only_its_list_form_warns(self, alone, listed):
        w, gate = torch.tensor([2.0], requires_grad=True), torch.tensor([0.5], requires_grad=True)
        back = torch.empty(1)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            if listed:
                dist.all_to_all([back], [3 * w])
            else:
                dist.all_to_all_single(back, 3 * w)
            (gate * back).sum().backward()
        assert w.grad is None and gate.grad.item() == back.item() == 6
        assert ["autograd kernel was not registered" in str(warning.message) for warning in seen] == [True] * listed

    def test_the_wrapped_the_functional_and_the_deprecated_collective_do_not(self, alone):
        w = torch.tensor([[2.0]], requires_grad=True)
        (0.5 * layer.AllToAll.apply(3 * w, [1], [1])).sum().backward()
        assert w.grad.item() == 1.5
        if torch.__version__ >= "2.13":  # where the deprecation names it
            w.grad = None
            (0.5 * functional.all_to_all_single(3 * w, [1], [1], dist.group.WORLD)).sum().backward()
            assert w.grad.item() == 1.5
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            from torch.distributed.nn.functional import all_to_all_single

            (0.5 * all_to_all_single(torch.empty(1, 1), 3 * w)).sum().backward()
        assert w.grad.item() == 3

    @pytest.mark.parametrize(("reentrant", "calls"), [(None, 5), (False, 8), (True, 8)])
    def test_backward_repeats_both_exchanges_and_checkpointing_also_counts_and_forward(
        self, alone, monkeypatch, reentrant, calls
    ):
        seen, collective = [], dist.all_to_all_single
        monkeypatch.setattr(dist, "all_to_all_single", lambda *args: (seen.append(1), collective(*args))[1])
        g = torch.Generator().manual_seed(0)
        chosen, experts = torch.tensor([[0, 1], [1, 2], [2, 0]]), [torch.nn.Linear(4, 4) for _ in range(3)]
        x, gates = torch.randn(3, 4, generator=g).requires_grad_(), torch.rand(3, 2, generator=g).requires_grad_()

        def run(x, gates):
            return layer.expert_parallel(x, chosen, gates, experts)

        y = run(x, gates) if reentrant is None else checkpoint(run, x, gates, use_reentrant=reentrant)
        assert len(seen) == 3
        y.square().sum().backward()
        assert len(seen) == calls

    @pytest.mark.parametrize("gates", [torch.float32, torch.bfloat16])
    @pytest.mark.parametrize("tokens", [0, 5])
    def test_bfloat16_tokens_may_have_float32_gates_and_a_rank_no_tokens(self, alone, gates, tokens):
        x = torch.ones(tokens, 4, dtype=torch.bfloat16)
        chosen = torch.tensor([[0, 1]]).repeat(tokens, 1)
        y = layer.expert_parallel(x, chosen, torch.full((tokens, 2), 0.5, dtype=gates), [lambda r: r, lambda r: 3 * r])
        assert y.dtype == torch.bfloat16 and torch.equal(y, 2 * x)


class TestPicture:
    @pytest.mark.parametrize("chosen", [[[2, 0, 3, 2], [2, 0, 3, 0]], [[5, 4, 0, 1], [3, 3, 3, 2], [0, 1, 2, 3]]])
    def test_combine_undoes_dispatch_and_unsort_undoes_sort(self, chosen):
        found = picture.stages(chosen, experts=2)
        assert found["combined"] == found["sorted"] and found["unsorted"] == found["tokens"]
        for rank, rows in enumerate(found["dispatched"]):
            assert {e // 2 for _, _, e in rows} <= {rank}
            assert [r for _, r, _ in rows] == sorted(r for _, r, _ in rows), "by sender"
            assert sorted(rows) == sorted(row for rows in found["tokens"] for row in rows if row[2] // 2 == rank)


class TestBytes:
    @pytest.mark.parametrize(("width", "k", "sizes"), [(4096, 2, (2, 2)), (7168, 8, (1, 2))])
    def test_each_way_moves_k_rows(self, width, k, sizes):
        row = [torch.empty(k, width, dtype={1: torch.float8_e4m3fn, 2: torch.bfloat16}[size]) for size in sizes]
        assert counts.per_token(width, k, *sizes) == tuple(r.numel() * r.element_size() for r in row)

    @pytest.mark.parametrize(("k", "ranks"), [(8, 8), (2, 4), (1, 5)])
    def test_k_random_experts_are_on_fewer_ranks(self, k, ranks):
        picks = torch.randint(ranks, (4000, k), generator=torch.Generator().manual_seed(0))
        different = torch.tensor([len(set(row)) for row in picks.tolist()]).float().mean().item()
        assert counts.copies(k, ranks) == pytest.approx(different, rel=0.02)

    @pytest.mark.parametrize(("ranks", "k"), [(8, 2), (16, 8), (8, 8)])
    def test_tensor_parallel_experts_send_ranks_over_k_times_as_much(self, ranks, k):
        tokens, width = 16, 4
        # Each rank passes every shard but one on, when the tokens are gathered and when the results are reduced.
        tensor = 2 * (ranks - 1) * tokens * width
        expert = 2 * k * tokens * width * (ranks - 1) / ranks
        assert tensor / expert == pytest.approx(ranks / k)

    @pytest.mark.parametrize(("tokens", "hidden"), [(1, 2048), (50, 14336)])
    def test_flops_per_byte_do_not_depend_on_the_tokens(self, tokens, hidden):
        flops = tokens * 3 * 2 * 64 * hidden
        assert flops / (tokens * 64 * (2 + 2)) == 1.5 * hidden
