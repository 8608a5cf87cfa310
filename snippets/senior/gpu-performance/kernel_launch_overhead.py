import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Operations(TorchDispatchMode):
    count = 0  # of operations on tensors that are no single number

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        tensors = [x for x in tree_leaves(args) if isinstance(x, torch.Tensor)]
        self.count += any(x.dim() for x in tensors)
        return operation(*args, **(kwargs or {}))


parameters = [torch.ones(4, requires_grad=True) for _ in range(100)]
for parameter in parameters:
    parameter.grad = torch.ones(4)
for options in {"foreach": False}, {"foreach": True}, {"fused": True}:
    optimizer = torch.optim.AdamW(parameters, **options)
    optimizer.step()  # the first step also makes the states
    with Operations() as operations:
        optimizer.step()
    print(f"{options!s:19}{operations.count:5} operations")
