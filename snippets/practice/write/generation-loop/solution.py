import torch
from torch import Tensor, nn


def pad_left(prompts: list[list[int]], pad: int) -> tuple[Tensor, Tensor]:
    T = max(map(len, prompts))
    tokens = [[pad] * (T - len(prompt)) + prompt for prompt in prompts]
    mask = [[t >= T - len(prompt) for t in range(T)] for prompt in prompts]
    return torch.tensor(tokens), torch.tensor(mask)


@torch.no_grad()
def generate(
    model: nn.Module,
    prompts: list[list[int]],
    max_new: int,
    end: int,
    pad: int,
) -> list[list[int]]:
    tokens, mask = pad_left(prompts, pad)
    new: list[list[int]] = [[] for _ in prompts]
    going = torch.ones(len(prompts), dtype=torch.bool)
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    for _ in range(max_new):
        positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
        chosen = model(tokens, positions, mask)[:, -1].argmax(dim=-1)
        for row in going.nonzero().flatten().tolist():
            new[row].append(int(chosen[row]))
        tokens = torch.cat([tokens, chosen[:, None]], dim=1)
        mask = torch.cat([mask, going[:, None]], dim=1)
        going = going & (chosen != end)
        if not going.any():
            break
    for module, training in modes:
        module.training = training
    return new
