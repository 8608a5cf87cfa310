import torch


def grpo(log_p, old, rewards, mask, divide_by, clip=0.2):
    """Log-probabilities and mask: (P, G, T); rewards: (P, G)."""
    mean, std = rewards.mean(1, keepdim=True), rewards.std(1, keepdim=True)
    advantage = ((rewards - mean) / (std + 1e-4))[..., None]
    ratio = (log_p - old).exp()
    clipped = ratio.clamp(1 - clip, 1 + clip)
    token = torch.minimum(ratio * advantage, clipped * advantage) * mask
    return -(token.sum(-1) / divide_by).mean()


if __name__ == "__main__":
    rewards, lengths = torch.tensor([[1.0, 1, 0, 0]]), torch.tensor([[2, 8, 2, 8]])
    mask = torch.arange(8) < lengths[..., None]
    for name, divide_by in ("its own length", lengths), ("a constant 8", 8):
        log_p = torch.zeros(1, 4, 8, requires_grad=True)
        grpo(log_p, log_p.detach(), rewards, mask, divide_by).backward()
        print(f"divided by {name:14}", *(f"{-g:+.3f}" for g in log_p.grad[0, :, 0]))
