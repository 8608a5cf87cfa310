import torch
from torch.nn.utils import clip_grad_norm_

stream = 1 + torch.randn(300, 3, generator=torch.Generator().manual_seed(0))
stream[100] *= 1000  # one spike; the other norms are 0.25 to 5.6
inf = torch.inf
for factor, limit in ((1, inf), (0.001, inf), (1, 10.0), (1, 0.1), (1, 0.01)):
    w = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=1.0)
    for gradient in stream:
        w.grad = factor * gradient
        clip_grad_norm_([w], limit)
        optimizer.step()
    moved = [round(-value) for value in w.tolist()]
    print(f"factor {factor:5}, max_norm {limit:4}: moved by {moved} rates")
