import torch

CASES = {"exp": torch.exp, "square": torch.square, "ten times": lambda h: 10 * h}
for name, function in CASES.items():
    for written in ("output", "input"):
        h = torch.ones(2, requires_grad=True) * 1
        y = function(h)
        tensor = y if written == "output" else h
        tensor += 1
        try:
            y.sum().backward()
            print(f"{name:10}{written:7}+= 1   runs")
        except RuntimeError as error:
            print(f"{name:10}{written:7}+= 1   {type(error).__name__}")
