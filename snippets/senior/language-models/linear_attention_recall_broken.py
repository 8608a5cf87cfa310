# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

WIDTH = 32  # of a key


def write(keys, values, rule, decay=1.0):
    """State (d, d_v) after writing the pairs in order; rule is "sum" or "delta"."""
    state = keys.new_zeros(keys.shape[1], values.shape[1])
    for key, value in zip(keys, values, strict=True):
        state = decay * state
        old = key @ state if rule == "delta" else 0
        state = state + torch.outer(key, value - old)
    return state


def recalled(pairs, rule, decay=1.0, width=WIDTH):
    """For each stored pair: is the value that its key reads nearest to its own?"""
    keys = F.normalize(torch.randn(pairs, width, dtype=torch.float64), dim=1)
    values = F.normalize(torch.randn(pairs, 64, dtype=torch.float64), dim=1)
    if rule == "softmax":
        read = (keys @ keys.T * 20).softmax(1) @ values  # keeps all keys
    else:
        read = keys @ write(keys, values, rule, decay)
    return (read @ values.T).argmax(1) == torch.arange(pairs)


if __name__ == "__main__":
    torch.manual_seed(0)
    print("pairs  softmax   sum  delta   delta, the last 8")
    hits = {}
    for pairs in (16, 32, 64, 128, 256):
        for rule in ("softmax", "sum", "delta"):
            draws = [recalled(pairs, rule) for _ in range(20)]
            hits[rule, pairs] = torch.stack(draws).double()
        row = [hits[rule, pairs].mean() for rule in ("softmax", "sum", "delta")]
        last = hits["delta", pairs][:, -8:].mean()
        print(f"{pairs:5}  {row[0]:7.2f} {row[1]:5.2f}  {row[2]:5.2f}  {last:6.2f}")

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    for rule, style in (("softmax", ":"), ("sum", "--"), ("delta", "-")):
        by_age = hits[rule, 128].mean(0).view(16, 8).mean(1)
        axes.plot(range(4, 128, 8), by_age, style, label=rule)
    axes.set(xlabel="position of the pair, of 128", ylabel="share recalled")
    axes.legend()
    plt.show()
