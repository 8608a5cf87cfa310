import torch
from torch import nn

layer, seen = nn.Linear(2, 2), []
layer.register_forward_pre_hook(lambda *_: seen.append("forward pre"))
layer.register_forward_hook(lambda *_: seen.append("forward"))
layer.register_full_backward_pre_hook(lambda *_: seen.append("backward pre"))
layer.register_full_backward_hook(lambda *_: seen.append("backward"))
layer.weight.register_hook(lambda _: seen.append("tensor"))
handle = layer.weight.register_post_accumulate_grad_hook(
    lambda _: seen.append("accumulated")
)
layer(torch.ones(1, 2, requires_grad=True)).sum().backward()
print(*seen, sep="\n")
handle.remove()
