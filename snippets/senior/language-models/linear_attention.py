import torch
from torch.utils.flop_counter import FlopCounterMode


def chunked(q, k, v, size):
    """Causal linear attention of (T, d) tensors; ``size`` tokens per step."""
    state, outputs = k.new_zeros(k.shape[1], v.shape[1]), []
    for t in range(0, len(q), size):
        here = slice(t, t + size)
        inside = (q[here] @ k[here].T).tril() @ v[here]
        outputs.append(q[here] @ state + inside)
        state = state + k[here].T @ v[here]  # all that later tokens need
    return torch.cat(outputs)


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 512, 64, dtype=torch.float64)
    masked = (q @ k.T).tril() @ v
    for size in (512, 64, 1):
        with FlopCounterMode(display=False) as count:
            same = torch.allclose(chunked(q, k, v, size), masked)
        steps, mega = 512 // size, count.get_total_flops() / 1e6
        print(f"chunks of {size:3}  {steps:3} steps  {mega:2.0f} MFLOP  {same}")
