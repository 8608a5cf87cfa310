import torch

ref = torch.tensor([0.4, 0.3, 0.2, 0.1]).double().log()
reward = torch.tensor([0, 0, 0, 1]).double()
BETA = 0.5


def train(estimate, place: str) -> torch.Tensor:
    """Returns the policy after 400 steps on the expected gradient."""
    logits = ref.clone().requires_grad_()
    for _ in range(400):
        log_p = logits.log_softmax(0)
        penalty = BETA * estimate(ref - log_p)
        kept = reward - penalty.detach() if place == "reward" else reward
        loss = -(log_p.exp() * kept).sum()
        if place == "loss":  # the samples are constants, the estimate is not
            loss = loss + (log_p.exp().detach() * penalty).sum()
        (step,) = torch.autograd.grad(loss, logits)
        logits = (logits - step).detach().requires_grad_()
    return logits.softmax(0).detach()


if __name__ == "__main__":
    best = (ref + reward / BETA).softmax(0)
    print(f"optimum of reward - {BETA} KL  {best[3]:.2f}")
    for name, estimate, place in (
        ("no penalty", lambda gap: 0 * gap, "loss"),
        ("k1 in the loss", lambda gap: -gap, "loss"),
        ("k3 in the loss", lambda gap: gap.exp() - 1 - gap, "loss"),
        ("k2 in the loss", lambda gap: gap**2 / 2, "loss"),
        ("k1 in the reward", lambda gap: -gap, "reward"),
        ("k3 in the reward", lambda gap: gap.exp() - 1 - gap, "reward"),
    ):
        policy = train(estimate, place)
        print(f"{name:16} P(rewarded) {policy[3]:.2f}")
