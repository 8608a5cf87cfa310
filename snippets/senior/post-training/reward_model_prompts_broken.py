import torch
import torch.nn.functional as F

# Per prompt a chosen and a rejected answer. A new model scores prompts differently.
start = torch.tensor([[20.0, 20.0], [5.0, 5.0], [-5.0, -5.0], [-20.0, -20.0]])
reward = start.clone().requires_grad_()
for _ in range(200):
    loss = -F.logsigmoid(reward[:, 0] - reward[:, 1]).sum()
    (gradient,) = torch.autograd.grad(loss, reward)
    reward = (reward - 0.5 * gradient).detach().requires_grad_()

chosen, rejected = reward.T
print("chosen  ", " ".join(f"{r:6.1f}" for r in chosen.tolist()))
print("rejected", " ".join(f"{r:6.1f}" for r in rejected.tolist()))
print(f"right within a prompt: {(chosen > rejected).float().mean():.0%}")
kept = reward > reward.median()
print(f"upper half of all: {kept[:, 0].sum()} chosen, {kept[:, 1].sum()} rejected")
