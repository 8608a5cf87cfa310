# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import tempfile
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class AllToAll(torch.autograd.Function):
    """Rows to other ranks; backward sends the gradients the other way."""

    @staticmethod
    def forward(ctx, rows: torch.Tensor, send: list[int], receive: list[int]):
        ctx.splits = receive, send
        inbox = rows.new_empty(sum(receive), *rows.shape[1:])
        dist.all_to_all_single(inbox, rows.contiguous(), receive, send)
        return inbox

    @staticmethod
    def backward(ctx, gradient: torch.Tensor):
        return AllToAll.apply(gradient, *ctx.splits), None, None


def expert_parallel(
    x: torch.Tensor,
    chosen: torch.Tensor,
    gates: torch.Tensor,
    experts: list[Callable[[torch.Tensor], torch.Tensor]],
) -> torch.Tensor:
    """A mixture of experts whose experts are spread over the ranks of a group.

    Args:
        x: the tokens of this rank, shape (N, C). N may differ between ranks.
        chosen: the experts of each token, int64 (N, k). Expert e is on rank
            e // len(experts).
        gates: their weights, shape (N, k); float32 is fine for bfloat16 tokens.
        experts: those of this rank, equally many on every rank. Each keeps
            the shape and the dtype of its rows.

    Returns:
        Shape (N, C), differentiable in ``x``, ``gates`` and the experts.
    """
    ranks, local, k = dist.get_world_size(), len(experts), chosen.shape[1]
    order = chosen.flatten().argsort(stable=True)  # by expert, so by rank
    counts = chosen.flatten().bincount(minlength=ranks * local)
    coming = torch.empty_like(counts)
    dist.all_to_all_single(coming, counts)  # 1: how many rows for each expert
    send = counts.view(ranks, local).sum(1).tolist()
    receive = coming.view(ranks, local).sum(1).tolist()
    inbox = AllToAll.apply(x[order // k], send, receive)  # 2: dispatch
    expert_of = torch.arange(local, device=x.device).repeat(ranks)
    expert_of = expert_of.repeat_interleave(coming)
    results = torch.zeros_like(inbox)
    for e, expert in enumerate(experts):
        (row,) = torch.where(expert_of == e)
        results = results.index_copy(0, row, expert(inbox[row]))
    back = AllToAll.apply(results, receive, send)  # 3: combine
    weighted = back * gates.flatten()[order, None]
    return torch.zeros_like(x).index_add(0, order // k, weighted.to(x.dtype))


def demonstrate(rank: int) -> None:
    """Expert e multiplies by e + 1; rank 0 has experts 0 and 1."""
    chosen = torch.tensor([[2, 0, 3, 2], [2, 0, 3, 0]])[rank][:, None]
    x = torch.arange(4.0)[:, None] + 4 * rank
    experts = [lambda rows, e=e: rows * (e + 1) for e in (2 * rank, 2 * rank + 1)]
    y = expert_parallel(x, chosen, torch.ones(4, 1), experts)
    counts = chosen.flatten().bincount(minlength=4).view(2, 2).sum(1)
    seen = [None, None]
    equal = torch.equal(y, x * (chosen + 1))
    dist.all_gather_object(seen, (counts.tolist(), equal))
    if rank == 0:
        for r, (sent, equal) in enumerate(seen):
            received = [counts[r] for counts, _ in seen]
            print(f"rank {r} sends {sent}, receives {received}, equal: {equal}")


def worker(rank: int, file: str) -> None:
    """One of two processes, which meet in ``file``."""
    dist.init_process_group("gloo", f"file://{file}", rank=rank, world_size=2)
    demonstrate(rank)
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        mp.start_processes(worker, (f"{folder}/init",), 2, start_method="fork")
