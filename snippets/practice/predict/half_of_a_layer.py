import torch
from torch.nn.utils import prune

layer = torch.nn.Linear(4, 4, bias=False)
prune.l1_unstructured(layer, "weight", amount=0.5)
state = layer.state_dict()
print(sum(tensor.numel() for tensor in state.values()))
