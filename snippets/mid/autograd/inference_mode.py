import torch

w = torch.ones(3, requires_grad=True)
for mode in (torch.no_grad, torch.inference_mode):
    with mode():
        t = w * 2
    for code in ("t * 2", "w + t", "w * t", "w * t.clone()", "t.add_(1)"):
        try:
            eval(code)
            print(f"{mode.__name__:15} {code:14} runs")
        except RuntimeError as error:
            print(f"{mode.__name__:15} {code:14} {type(error).__name__}")
