import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
y = torch.tensor([1.0, 4.0])

try:
    (x**2 + x * y).backward()
except RuntimeError as error:
    print(f"RuntimeError: {error}")

for weights in ([1.0, 1.0], [1.0, 0.0], [0.5, 0.5]):
    x.grad = None
    (x**2 + x * y).backward(torch.tensor(weights))
    print(f"backward({weights}): {x.grad.tolist()}")

x.grad = None
(x**2 + x * y).mean().backward()
print(f"mean().backward():    {x.grad.tolist()}")
