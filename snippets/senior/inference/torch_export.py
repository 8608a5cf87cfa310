import io
import zipfile

import torch
from torch import nn


class Model(nn.Module):
    """(rows, 4) to (rows, 2), both float; in training also (rows, 1000)."""

    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 2)
        self.auxiliary = nn.Linear(8, 1000)  # a second loss in training

    def forward(self, x):
        y = self.body(x).relu()
        return (self.head(y), self.auxiliary(y)) if self.training else self.head(y)


if __name__ == "__main__":
    model, example = Model().eval(), torch.tensor([[1985.0, 12, 31, 7]] * 2)
    rows = torch.export.Dim("rows", min=1)
    program = torch.export.export(model, (example,), dynamic_shapes=({0: rows},))
    print(
        "operators:",
        [n.name for n in program.graph.nodes if n.op == "call_function"],
    )
    torch.export.save(program, file := io.BytesIO())
    for entry in zipfile.ZipFile(file).infolist():
        name = entry.filename.split("/", 1)[1]
        if "weight_" in name:
            print(f"{name} {entry.file_size:6} bytes")
    file.seek(0)
    print("example in the file:", torch.export.load(file).example_inputs[0][0][0])
