import torch
from torch.utils.flop_counter import FlopCounterMode


def flash(q, k, v, width):
    top = torch.full_like(q[..., :1], -torch.inf)  # maximum so far
    total, out = torch.zeros_like(top), torch.zeros_like(q)
    for keys, values in zip(k.split(width, -2), v.split(width, -2)):
        scores = q @ keys.mT / q.shape[-1] ** 0.5
        new = torch.maximum(top, scores.amax(-1, keepdim=True))
        fix, weights = (top - new).exp(), (scores - new).exp()
        total = total * fix + weights.sum(-1, keepdim=True)
        out = out * fix + weights @ values
        top = new
    return out / total


q, k, v = torch.randn(3, 512, 64, generator=torch.manual_seed(0))
expected = (q @ k.mT / 8).softmax(-1) @ v
for width in (1, 100, 512):
    with FlopCounterMode(display=False) as counter:
        same = torch.allclose(flash(q, k, v, width), expected, atol=1e-5)
    flops = f"FLOPs {counter.get_total_flops()}"
    print(f"width {width:3}  scores {512 * width:6}  {flops}  same {same}")
