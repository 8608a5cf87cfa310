from torch import nn


def trained(layer: nn.Linear) -> list[str]:
    return [name for name, p in layer.named_parameters() if p.requires_grad]


body = nn.Linear(4, 4)
body.requires_grad = False
print("body.requires_grad = False        trains", trained(body))

body.weight.require_grad = False
print("body.weight.require_grad = False  trains", trained(body))

body.weight.requires_grad = False
print("body.weight.requires_grad = False trains", trained(body))

body.requires_grad_(False)
print("body.requires_grad_(False)        trains", trained(body))
