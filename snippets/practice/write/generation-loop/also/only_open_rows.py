import torch
from torch import nn


@torch.no_grad()
def generate(
    model: nn.Module,
    prompts: list[list[int]],
    max_new: int,
    end: int,
    pad: int,
) -> list[list[int]]:
    new = [[] for _ in prompts]
    training = [module for module in model.modules() if module.training]
    model.eval()
    for _ in range(max_new):
        rows = [i for i, text in enumerate(new) if not text or text[-1] != end]
        if not rows:
            break
        texts = [prompts[i] + new[i] for i in rows]
        T = max(map(len, texts))
        gap = [T - len(text) for text in texts]
        tokens = torch.tensor([[pad] * n + text for n, text in zip(gap, texts)])
        places = torch.arange(T) - torch.tensor(gap)[:, None]
        logits = model(tokens, places.clamp(min=0), places >= 0)
        for i, row in zip(rows, logits[:, -1]):
            new[i].append(row.argmax().item())
    for module in training:
        module.training = True
    return new
