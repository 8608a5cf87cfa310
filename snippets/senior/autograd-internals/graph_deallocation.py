import weakref

import torch
from torch.autograd.graph import saved_tensors_hooks

saved = []


def note(tensor: torch.Tensor) -> torch.Tensor:
    alone = tensor.detach()  # the same memory, without a grad_fn
    saved.append(weakref.ref(alone))
    return alone


def report(when: str) -> None:
    alive = sum(ref().nbytes for ref in saved if ref() is not None)
    print(f"{when:20} {alive // 2**20} MiB")


h = torch.zeros(2**18, requires_grad=True)  # 1 MiB
with saved_tensors_hooks(note, lambda tensor: tensor):
    for layer in (1, 2, 3):
        h = h.sigmoid()  # saves its output
        h.register_hook(lambda _, layer=layer: report(f"backward of layer {layer}"))
loss, h = h.sum(), None
report("after forward")
loss.backward()
report(f"after, {loss.grad_fn.name()}")
