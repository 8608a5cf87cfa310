import torch


def gae(rewards, values, gamma=1.0, lam=0.95):
    """Advantages of T rewards; values has T + 1, the last is 0 at a real end."""
    advantages, carry = torch.zeros_like(values[:-1]), 0.0
    for t in reversed(range(len(rewards))):
        delta = rewards[t] + gamma * values[t + 1] - values[t]
        advantages[t] = carry = delta + gamma * lam * carry
    return advantages


def ppo_loss(ratio, advantage, clip=0.2):
    clipped = ratio.clamp(1 - clip, 1 + clip) * advantage
    return -torch.minimum(ratio * advantage, clipped)


if __name__ == "__main__":
    print("push at ratio    0.5  0.9  1.1  1.5")
    for advantage in (1, -1):
        ratio = torch.tensor([0.5, 0.9, 1.1, 1.5], requires_grad=True)
        only = -ratio.clamp(0.8, 1.2) * advantage
        for name, loss in ("minimum", ppo_loss(ratio, advantage)), ("clamp", only):
            (slope,) = torch.autograd.grad(loss.sum(), ratio, retain_graph=True)
            print(f"{advantage:+}  {name:9}", *(f"{-s + 0:+4.0f}" for s in slope))
