# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.1
# ///
import torch

EXPERTS, K, TOKENS, LEARNING_RATE = 8, 2, 256, 0.5


def train(
    weight: float = 0.0, rate: float = 0.0, seed: int = 0, steps: int = 100
) -> tuple[float, float]:
    """Train a router and eight experts, and return how they are loaded at the end.

    Args:
        weight: of the load-balancing loss.
        rate: how far the bias of each expert moves per step.

    Returns:
        The largest load in multiples of an equal share, and the share of all
        assignments that capacity factor 1.25 drops: means of the last 20 steps.
    """
    g = torch.Generator().manual_seed(seed)
    router = (torch.randn(16, EXPERTS, generator=g) / 4).requires_grad_()
    up = (torch.randn(EXPERTS, 16, 16, generator=g) / 4).requires_grad_()
    down = (torch.randn(EXPERTS, 16, 4, generator=g) / 4).requires_grad_()
    teacher = torch.randn(16, 4, generator=g) / 2
    bias, loads = torch.zeros(EXPERTS), []
    for _ in range(steps):
        x = torch.randn(TOKENS, 16, generator=g)
        x[:, 0] += 2  # all tokens have something in common
        probabilities = (x @ router).softmax(-1)
        chosen = (probabilities + bias).topk(K).indices  # the bias only chooses
        gates = probabilities.gather(1, chosen)
        gates = gates / gates.sum(-1, keepdim=True)
        gates = torch.zeros_like(probabilities).scatter(1, chosen, gates)
        outputs = (x @ up).relu() @ down  # a study: all experts run
        y = torch.einsum("te,eto->to", gates, outputs)
        task = (y - (x @ teacher).sin()).square().mean()
        share = chosen.flatten().bincount(minlength=EXPERTS) / chosen.numel()
        balance = EXPERTS * (share * probabilities.mean(0)).sum()
        (task + weight * balance).backward()
        with torch.no_grad():
            for weights in (router, up, down):  # gradient descent
                weights -= LEARNING_RATE * weights.grad
                weights.grad = None
        bias += rate * (1 / EXPERTS - share).sign()
        loads.append(EXPERTS * share)
    last = torch.stack(loads[-20:])
    dropped = (last - 1.25).clamp(min=0).sum(1).mean() / EXPERTS
    return last.mean(0).max().item(), dropped.item()


if __name__ == "__main__":
    print("                     largest load  dropped")
    for name, options in {
        "no balancing": {},
        "loss, weight 0.1": {"weight": 0.1},
        "bias, rate 0.01": {"rate": 0.01},
    }.items():
        largest, dropped = train(**options)
        print(f"{name:21}{largest:12.1f}{dropped:8.0%}")
