import torch
import torch.nn.functional as F
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

raw = torch.tensor([8.0, 4.0, 1.0])
for clip in (clip_grad_norm_, clip_grad_value_):
    weight, bias = (torch.zeros(n, requires_grad=True) for n in (2, 1))
    weight.grad, bias.grad = raw[:2].clone(), raw[2:].clone()
    returned = clip([weight, bias], 1.0)
    clipped = torch.cat([weight.grad, bias.grad])
    cosine = F.cosine_similarity(clipped, raw, dim=0)
    if returned is not None:
        returned = round(returned.item(), 2)
    print(f"{clip.__name__}: returns {returned}")
    print(f"  {[round(g, 2) for g in clipped.tolist()]}, cosine {cosine:.2f}")
