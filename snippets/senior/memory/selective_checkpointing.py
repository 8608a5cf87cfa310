import weakref
from collections import Counter
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
from torch.utils.flop_counter import FlopCounterMode


class Live(TorchDispatchMode):
    """Bytes of live storages, without those of `known`, and calls of each op."""

    def __init__(self, known: list[torch.Tensor]) -> None:
        super().__init__()
        self.seen = {t.untyped_storage()._cdata for t in known}
        self.now, self.calls = 0, Counter()

    def free(self, storage: int, size: int) -> None:
        self.seen.discard(storage)
        self.now -= size

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        self.calls[func] += 1
        for t in tree_leaves(out):
            if isinstance(t, torch.Tensor):
                storage = t.untyped_storage()
                key, size = storage._cdata, storage.nbytes()
                if size and key not in self.seen:
                    self.seen.add(key)
                    self.now += size
                    weakref.finalize(storage, self.free, key, size)
        return out


aten = torch.ops.aten
linear = [aten.addmm.default, aten.mm.default]
attention = aten._scaled_dot_product_flash_attention_for_cpu.default
policies = {
    "plain": None,
    "keep linear and attention": [*linear, attention],
    "keep linear": linear,
    "keep attention": [attention],
    "keep nothing": [],
}

if __name__ == "__main__":
    options = {
        "dropout": 0,
        "activation": "gelu",
        "batch_first": True,
        "norm_first": True,
    }
    block = nn.TransformerEncoderLayer(64, 1, 256, **options)
    weights, x = (
        list(block.parameters()),
        torch.randn(1, 512, 64, requires_grad=True),
    )
    print(f"{'':27}activations kept  linear FLOPs  attention runs")
    gradients = []
    for name, ops in policies.items():
        run = block
        if ops is not None:
            contexts = partial(create_selective_checkpoint_contexts, ops)
            run = partial(
                checkpoint, block, use_reentrant=False, context_fn=contexts
            )
        counter = FlopCounterMode(display=False)
        with counter, Live([x, *weights]) as live:
            y = run(x)
            kept = (live.now - y.nbytes + x.nbytes) / x.nbytes
            forward = counter.get_total_flops()
            gradients.append(torch.autograd.grad(y.square().sum(), weights))
        ratio = counter.get_total_flops() / forward
        print(f"{name:27}{kept:12.1f}{ratio:18.3f}{live.calls[attention]:11}")
    same = [all(map(torch.equal, gradients[0], each)) for each in gradients]
    print("same gradients:", all(same))
