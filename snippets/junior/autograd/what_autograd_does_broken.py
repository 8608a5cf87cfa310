import torch

programs = {
    "x * x": lambda x: x * x,
    "x * x.item()": lambda x: x * x.item(),
    "x * x.detach()": lambda x: x * x.detach(),
    "x * x.round()": lambda x: x * x.round(),
}
for name, program in programs.items():
    x = torch.tensor(3.0, requires_grad=True)
    result = program(x)
    result.backward()
    print(f"{name:15} value {result:.0f}, gradient {x.grad:.0f}")
