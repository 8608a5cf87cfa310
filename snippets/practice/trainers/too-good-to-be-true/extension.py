import runpy
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

LENGTH, WIDTH = 8, 16


def leaks(model: Callable[[Tensor], Tensor], x: Tensor) -> list[int]:
    """By how many places the future reaches back, from the gradient.

    x (batch, time, width) to outputs (batch, time, any): each d for which an output
    at some time t depends on the input at time t + d.
    """
    x = x.detach().requires_grad_()
    outputs = model(x)
    # Random weights: through a norm, a plain sum can have a gradient of zero.
    weights = torch.randn(outputs.shape[-1])
    found = set()
    for t in range(x.shape[1]):
        chosen = (outputs[0, t] * weights).sum()
        (gradient,) = torch.autograd.grad(chosen, x, retain_graph=True)
        later = gradient[:, t + 1 :].abs().amax(dim=(0, 2)) > 0
        found |= {d + 1 for d in later.nonzero().flatten().tolist()}
    return sorted(found)


def without_embedding(name: str) -> Callable[[Tensor], Tensor]:
    """The model of broken.py or fixed.py, from embedded tokens to logits."""
    script = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))
    model = script["Model"]()
    return lambda x: model.head(model.norm(model.block(x)))


def batch_norm(training: bool) -> Callable[[Tensor], Tensor]:
    layer = nn.BatchNorm1d(WIDTH).train(training)
    return lambda x: layer(x.mT).mT


def encoder(mask: Tensor | None) -> Callable[[Tensor], Tensor]:
    layer = nn.TransformerEncoderLayer(WIDTH, 2, 32, dropout=0.0, batch_first=True)
    return lambda x: layer(x, src_mask=mask)


if __name__ == "__main__":
    torch.manual_seed(0)
    causal = nn.Transformer.generate_square_subsequent_mask(LENGTH)
    gru = nn.GRU(WIDTH, WIDTH, batch_first=True)
    both = nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)
    models = {
        "broken.py": without_embedding("broken"),
        "fixed.py": without_embedding("fixed"),
        "encoder layer, causal mask": encoder(causal),
        "encoder layer, no mask": encoder(None),
        "GRU": lambda x: gru(x)[0],
        "GRU, bidirectional": lambda x: both(x)[0],
        "batch norm, training": batch_norm(True),
        "batch norm, evaluation": batch_norm(False),
    }
    for name, model in models.items():
        width = 32 if name.endswith(".py") else WIDTH
        print(f"{name:27} {leaks(model, torch.randn(4, LENGTH, width))}")
