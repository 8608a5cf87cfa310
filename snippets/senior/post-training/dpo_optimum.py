import torch
import torch.nn.functional as F

torch.manual_seed(0)
reward, ref = torch.randn(2, 4, dtype=torch.double)
ref, beta = ref.log_softmax(0), 0.5
prefers = (reward[:, None] - reward).sigmoid()  # Bradley-Terry, for all pairs

logits = ref.clone().requires_grad_()
optimizer = torch.optim.LBFGS([logits], max_iter=200, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    implicit = beta * (logits.log_softmax(0) - ref)
    loss = -(prefers * F.logsigmoid(implicit[:, None] - implicit)).sum()
    loss.backward()
    return loss


optimizer.step(closure)
found = logits.detach().log_softmax(0)
best = (ref + reward / beta).log_softmax(0)  # of reward - beta * KL
implicit = beta * (found - ref)
print(
    "policy is ref * exp(reward / beta) / Z:",
    torch.allclose(found, best, atol=1e-3),
)
offset = reward - implicit
print("reward is known up to:", "one constant" if offset.std() < 1e-3 else "more")
