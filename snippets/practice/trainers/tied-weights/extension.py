import copy
import runpy
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

script = runpy.run_path(str(Path(__file__).with_name("fixed.py")))


def separate(model: nn.Module) -> nn.Module:
    """A copy with two parameters, as if two pipeline stages held one each."""
    staged = copy.deepcopy(model)
    staged.head.weight = nn.Parameter(staged.embedding.weight.detach().clone())
    return staged


def add_gradients(staged: nn.Module) -> None:
    """What an all-reduce between the first and the last stage does."""
    both = staged.embedding.weight.grad + staged.head.weight.grad
    staged.embedding.weight.grad, staged.head.weight.grad = both, both.clone()


def train(model: nn.Module, reduce: bool, steps: int = 100) -> nn.Module:
    torch.manual_seed(1)
    chain = (2.5 * torch.randn(40, 40)).softmax(dim=1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(steps):
        tokens, following = script["draw"](256, chain)
        optimizer.zero_grad()
        F.cross_entropy(model(tokens), following).backward()
        if reduce:
            add_gradients(model)
        optimizer.step()
    return model


if __name__ == "__main__":
    torch.manual_seed(0)
    start = script["LanguageModel"]()
    tied = train(copy.deepcopy(start), reduce=False)
    for reduce in (False, True):
        staged = train(separate(start), reduce)
        e, h = staged.embedding.weight, staged.head.weight
        print("gradients added:", reduce)
        print("  the two copies are equal:", torch.equal(e, h))
        close = torch.allclose(e, tied.embedding.weight, atol=1e-2)
        print("  embedding as in the tied model:", close)
