import torch
from torch import nn


class FourKinds(nn.Module):
    """The same tensor, float32 (2,), kept in four ways."""

    def __init__(self) -> None:
        super().__init__()
        self.plain = torch.zeros(2)
        self.parameter = nn.Parameter(torch.zeros(2))
        self.register_buffer("buffer", torch.zeros(2))
        self.register_buffer("temporary", torch.zeros(2), persistent=False)


if __name__ == "__main__":
    model = FourKinds().double()
    trained = dict(model.named_parameters())
    saved = model.state_dict()
    print(f"{'':10}  parameters()  state_dict()  follows double()  gradient")
    for name in ("plain", "parameter", "buffer", "temporary"):
        tensor = getattr(model, name)
        follows = tensor.dtype == torch.float64
        print(
            f"{name:10}  {name in trained!s:12}  {name in saved!s:12}  {follows!s:16}  {tensor.requires_grad}"
        )
