import torch
from torch.nn.functional import elu, pad
from torch.utils.flop_counter import FlopCounterMode


def attend(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None
) -> torch.Tensor:
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=-1) @ v


def band(
    tokens: int, window: int, device: torch.device | str = "cpu"
) -> torch.Tensor:
    """Bool (tokens, tokens), True at a query's key and the window - 1 before."""
    i = torch.arange(tokens, device=device)
    back = i[:, None] - i
    return (back >= 0) & (back < window)


def window_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, window: int
) -> torch.Tensor:
    """Causal attention to the last ``window`` tokens, in blocks of that size.

    Args:
        q, k, v: floats (B, H, T, d) of one dtype; T is at least 1, and
            need not be a multiple of the window.
        window: tokens that a query sees, itself included; below 1 is a ValueError.

    Returns:
        (B, H, T, d), equal to attention with the mask ``band(T, window)``.
    """
    if window < 1:
        raise ValueError(f"a window of {window} tokens")
    B, H, T, d = q.shape
    blocks = -(-T // window)
    rest = blocks * window - T
    queries = pad(q, (0, 0, 0, rest)).view(B, H, blocks, window, d)
    # (B, H, blocks, 2 * window, d): the block before, and the block itself
    keys, values = (
        pad(t, (0, 0, window, rest)).unfold(2, 2 * window, window).mT
        for t in (k, v)
    )
    mask = (
        band(2 * window, window, q.device)[window:].expand(blocks, -1, -1).clone()
    )
    mask[:1, :, :window] = False  # nothing stands before the first block
    out = attend(queries, keys, values, mask)
    return out.reshape(B, H, blocks * window, d)[:, :, :T]


def linear_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    """Attention with weights in proportion to phi(q) @ phi(k); phi is elu + 1."""
    q, k = elu(q) + 1, elu(k) + 1
    total = q @ k.sum(dim=-2).unsqueeze(-1)
    return q @ (k.mT @ v) / total


def flops(function, *args: object) -> int:
    with FlopCounterMode(display=False) as counter:
        function(*args)
    return counter.get_total_flops()


if __name__ == "__main__":
    print(f"{'tokens':30} {1024:>8} {2048:>8}")
    full, masked, grouped, blocks, linear = [], [], [], [], []
    for T in (1024, 2048):
        q, k, v = torch.randn(3, 1, 8, T, 64, device="meta")
        few = k[:, :2].repeat_interleave(4, dim=1)
        full.append(flops(attend, q, k, v, None))
        masked.append(flops(attend, q, k, v, band(T, 128, "meta")))
        grouped.append(flops(attend, q, few, few, None))
        blocks.append(flops(window_attention, q, k, v, 128))
        linear.append(flops(linear_attention, q, k, v))
    for name, counts in (
        ("full", full),
        ("window of 128 as a mask", masked),
        ("2 key heads, 8 queries", grouped),
        ("window of 128 in blocks", blocks),
        ("linear attention", linear),
    ):
        print(f"{name:24} MFLOP", *[f"{count / 1e6:8.0f}" for count in counts])
    for heads in (8, 2):
        size = 2 * torch.empty(heads, 2048, 64).nbytes / 2**20
        print(f"keys and values of 2048 tokens, {heads} heads: {size:.0f} MiB")
