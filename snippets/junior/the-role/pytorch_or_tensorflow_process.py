# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import subprocess
import sys
import tempfile

import torch
from torch import nn


class Model(nn.Module):
    """Two layers, (N, 3) -> (N, 2) for any N."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.head = nn.Linear(3, 8), nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.hidden(x).relu())


OTHER_PROCESS = """
import torch
loaders = {
    "state_dict.pt": lambda name: torch.load(name),
    "model.pt": lambda name: torch.load(name, weights_only=False),
    "program.pt2": lambda name: torch.export.load(name).module(),
}
for name, load in loaders.items():
    try:
        output = load(name)(torch.ones(5, 3))
        numbers = [round(value, 4) for value in output[0].tolist()]
        print(f"{name:15} output {numbers}")
    except (AttributeError, TypeError) as error:
        print(f"{name:15} {type(error).__name__}")
        print(" " * 15, error)
"""

if __name__ == "__main__":
    torch.manual_seed(0)
    model = Model().eval()
    output = [round(value, 4) for value in model(torch.ones(5, 3))[0].tolist()]
    print(f"{'this process':15} output {output}")
    with tempfile.TemporaryDirectory() as folder:
        torch.save(model.state_dict(), f"{folder}/state_dict.pt")
        torch.save(model, f"{folder}/model.pt")
        any_batch = {"x": {0: torch.export.Dim("batch")}}
        program = torch.export.export(
            model, (torch.ones(2, 3),), dynamic_shapes=any_batch
        )
        torch.export.save(program, f"{folder}/program.pt2")
        subprocess.run(
            [sys.executable, "-c", OTHER_PROCESS], cwd=folder, check=True
        )
