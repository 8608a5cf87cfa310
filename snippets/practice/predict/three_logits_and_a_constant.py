import torch

logits = torch.tensor([0.0, 1.0, 2.0], dtype=torch.bfloat16)
p = (logits + 1000).softmax(0)
print([round(x, 2) for x in p.tolist()])
