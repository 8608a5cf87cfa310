import torch
from torch import nn


class Classifier(nn.Module):
    """Logits divided by a learned temperature: float (N, 4) to (N, 2)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 8, bias=False)
        self.dropout = nn.Dropout(0.5)
        self.temperature = nn.Parameter(torch.ones(()))
        self.head = nn.Linear(8, 2, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.dropout(self.body(x).relu())) / self.temperature


if __name__ == "__main__":
    model = Classifier().double().eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.head = nn.Linear(8, 2, bias=False)  # a new head for a new task

    held = {id(parameter) for parameter in optimizer.param_groups[0]["params"]}
    print(f"{'':12} saved  dtype          mode   in the optimizer")
    for name, parameter in model.named_parameters():
        owner = model.get_submodule(name.rpartition(".")[0])
        mode = "train" if owner.training else "eval"
        saved, trained = name in model.state_dict(), id(parameter) in held
        print(f"{name:12} {saved}   {parameter.dtype}  {mode:5}  {trained}")
