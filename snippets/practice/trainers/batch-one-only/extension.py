import runpy
from pathlib import Path

import torch
from torch import nn


def same_in_company(model: nn.Module, x: torch.Tensor, atol: float = 1e-5) -> bool:
    """Whether each row gets the answer that it gets alone."""
    alone = torch.cat([model(row.unsqueeze(0)) for row in x])
    return torch.allclose(model(x), alone, atol=atol)


def same_in_any_order(
    model: nn.Module, x: torch.Tensor, atol: float = 1e-5
) -> bool:
    """Whether the answers follow the rows when these change places."""
    order = torch.arange(len(x)).roll(1)
    return torch.allclose(model(x[order]), model(x)[order], atol=atol)


if __name__ == "__main__":
    for name in ("broken", "fixed"):
        script = runpy.run_path(str(Path(__file__).with_name(f"{name}.py")))
        torch.manual_seed(0)
        model = script["Classifier"]().eval()  # new, nothing is trained
        for test in (same_in_company, same_in_any_order):
            for rows in (1, 4, 10):
                x, _ = script["draw"](rows)
                try:
                    passed = test(model, x)
                except RuntimeError:
                    passed = "error"
                print(f"{name:6} {test.__name__:17} {rows:2} rows: {passed}")
