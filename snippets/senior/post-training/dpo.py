import torch
import torch.nn.functional as F


def dpo(log_p, ref, chosen, rejected, beta=0.1):
    """Log-probabilities of whole answers under the policy and the reference."""
    reward = beta * (log_p - ref)
    return -F.logsigmoid(reward[chosen] - reward[rejected])


if __name__ == "__main__":
    # Rows: the chosen answer, the rejected one, and two that are in no pair.
    features = torch.tensor([[1.0, 0], [1, -1], [1, 2], [0, 0]])
    weight = torch.zeros(2, requires_grad=True)
    ref = (features @ weight).log_softmax(0).detach()
    for step in range(101):
        log_p = (features @ weight).log_softmax(0)
        loss = dpo(log_p, ref, chosen=0, rejected=1)
        if step in (0, 10, 20, 100):
            p = " ".join(f"{x:.2f}" for x in log_p.exp().tolist())
            print(f"step {step:3}  loss {loss.item():.2f}  probabilities {p}")
        (gradient,) = torch.autograd.grad(loss, weight)
        weight.data -= 0.5 * gradient
