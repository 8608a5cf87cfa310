import torch
import torch.nn.functional as F
from torch import nn


def two_passes(loss_function, towers, inputs, size):
    """Add to .grad what one backward of the whole batch adds; return the loss.

    A tower must compute the same features in both passes, which dropout does not,
    and each row by itself, which batch norm in training mode does not.

    Args:
        loss_function: takes one tensor of features (B, D) per tower.
        towers: modules that map (b, ...) to (b, D), row by row.
        inputs: one tensor (B, ...) per tower.
        size: rows per forward pass.
    """
    pairs = list(zip(towers, inputs, strict=True))
    with torch.no_grad():
        features = [
            torch.cat([t(part) for part in x.split(size)]) for t, x in pairs
        ]
    for f in features:
        f.requires_grad_()
    loss = loss_function(*features)
    loss.backward()  # stops at the features
    for (tower, x), f in zip(pairs, features, strict=True):
        for part, grad in zip(x.split(size), f.grad.split(size), strict=True):
            tower(part).backward(grad)
    return loss.detach()


if __name__ == "__main__":
    torch.manual_seed(0)
    image, text = torch.randn(2, 32, 8, dtype=torch.float64)
    log_scale = nn.Parameter(torch.tensor(1 / 0.07, dtype=torch.float64).log())

    def clip_loss(image, text):
        image, text = F.normalize(image, dim=1), F.normalize(text, dim=1)
        logits, labels = log_scale.exp() * image @ text.T, torch.arange(len(image))
        rows, columns = (F.cross_entropy(z, labels) for z in (logits, logits.T))
        return (rows + columns) / 2

    towers = nn.ModuleList(
        nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 8))
        for _ in range(2)
    ).double()
    weights = [*towers.parameters(), log_scale]
    loss = clip_loss(towers[0](image), towers[1](text))
    whole = torch.autograd.grad(loss, weights)

    rows = {False: [], True: []}  # per call of a tower: without and with a graph
    for tower in towers:
        tower.register_forward_hook(
            lambda _, x, y: rows[y.requires_grad].append(len(x[0]))
        )
    two_passes(clip_loss, towers, (image, text), 8)
    same = all(
        torch.allclose(w.grad, g) for w, g in zip(weights, whole, strict=True)
    )
    print("the gradient of the whole batch:", same)
    print("rows without a graph", sum(rows[False]), "and with one", sum(rows[True]))
    print("rows with a graph at the same time", max(rows[True]))
