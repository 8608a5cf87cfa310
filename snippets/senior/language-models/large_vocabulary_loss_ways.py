import weakref

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

TOKENS, WIDTH, WORDS, SIZE = 8 * 8192, 4096, 128256, 2048


class Live(TorchDispatchMode):
    """Peak bytes of the tensors that are alive, inputs included."""

    def __init__(self):
        super().__init__()
        self.sizes, self.peak = {}, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves((args, kwargs, result)):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self.sizes:
                    self.sizes[storage._cdata] = storage.nbytes()
                    weakref.finalize(storage, self.sizes.pop, storage._cdata)
        self.peak = max(self.peak, sum(self.sizes.values()))
        return result


def loss_of(hidden, weight, targets):
    logits = F.linear(hidden, weight)
    return F.cross_entropy(logits.float(), targets, reduction="sum")


def again(hidden, weight, targets):
    return checkpoint(loss_of, hidden, weight, targets, use_reentrant=False)


def chunks(part, hidden, weight, targets):
    pairs = zip(hidden.split(SIZE), targets.split(SIZE), strict=True)
    sum(part(h, weight, y) for h, y in pairs).backward()


def at_once(hidden, weight, targets):
    """Backward of each chunk before the next one starts."""
    grads = []
    for h, y in zip(hidden.split(SIZE), targets.split(SIZE), strict=True):
        h = h.detach().requires_grad_()
        loss_of(h, weight, y).backward()
        grads.append(h.grad)
    hidden.backward(torch.cat(grads))


WAYS = {
    "whole": lambda *inputs: loss_of(*inputs).backward(),
    "whole, checkpoint": lambda *inputs: again(*inputs).backward(),
    "chunks": lambda *inputs: chunks(loss_of, *inputs),
    "chunks, checkpoint": lambda *inputs: chunks(again, *inputs),
    "chunks, backward at once": at_once,
}

if __name__ == "__main__":
    print(f"{'':25} peak GiB  PFLOP")
    for name, way in WAYS.items():
        with torch.device("meta"):  # shapes without data
            hidden = torch.empty(TOKENS, WIDTH, dtype=torch.bfloat16)
            weight = torch.empty(WORDS, WIDTH, dtype=torch.bfloat16)
            targets = torch.empty(TOKENS, dtype=torch.int64)
        inputs = hidden.requires_grad_(), weight.requires_grad_(), targets
        with Live() as live, FlopCounterMode(display=False) as count:
            way(*inputs)
        flops = count.get_total_flops() / 1e15
        print(f"{name:25} {live.peak / 2**30:8.1f}  {flops:5.3f}")
