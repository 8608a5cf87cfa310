# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "scikit-learn>=1.4"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.1
# ///
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

X, y = (torch.tensor(part) for part in load_digits(return_X_y=True))
X = (X / 16).float()
train, test = torch.arange(1200), torch.arange(1200, len(X))


def fit(width, inputs, loss, steps=150, seed=0):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model(inputs)).backward()
        optimizer.step()
    return model.requires_grad_(False)


def soft(logits, teacher, T):
    """KL(teacher || student) at temperature T, times T squared."""
    log_q, log_p = F.log_softmax(logits / T, 1), F.log_softmax(teacher / T, 1)
    return F.kl_div(log_q, log_p, reduction="batchmean", log_target=True) * T**2


def accuracy_on(digit, model):
    rows = test[y[test] == digit]
    return (model(X[rows]).argmax(1) == digit).float().mean().item()


def students(digit, temperatures, seed=0):
    """Accuracy on a digit that no student has seen, only the teacher."""
    teacher = fit(64, X[train], lambda z: F.cross_entropy(z, y[train]), seed=seed)
    seen = train[y[train] != digit]
    targets = teacher(X[seen])
    hard = fit(32, X[seen], lambda z: F.cross_entropy(z, y[seen]), seed=seed)
    yield "labels", accuracy_on(digit, hard)
    for T in temperatures:
        student = fit(32, X[seen], lambda z, T=T: soft(z, targets, T), seed=seed)
        yield f"T = {T}", accuracy_on(digit, student)


if __name__ == "__main__":
    torch.set_num_threads(1)  # the tensors are small
    for name, share in students(3, (1, 4, 8)):
        print(f"{name:8} {share:.2f}")
