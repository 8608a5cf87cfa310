import math

import torch
from torch.nn.utils import clip_grad_norm_


def train_epoch(model, loader, loss_fn, optimizer, max_norm=None):
    model.train()
    losses, sizes = [], []
    model.zero_grad()
    for inputs, targets in loader:
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        if max_norm:
            clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        model.zero_grad()
        losses.append(float(loss.detach()))
        sizes.append(len(targets))
    return math.fsum(a * b for a, b in zip(losses, sizes)) / sum(sizes)


def evaluate(model, loader, loss_fn):
    modes = {module: module.training for module in model.modules()}
    model.eval()
    losses, right = [], []
    try:
        with torch.inference_mode():
            for inputs, targets in loader:
                outputs = model(inputs)
                losses += [loss_fn(outputs, targets).item()] * len(targets)
                right += (outputs.max(dim=1).indices == targets).tolist()
    finally:
        for module, mode in modes.items():
            module.training = mode
    return sum(losses) / len(losses), sum(right) / len(right)
