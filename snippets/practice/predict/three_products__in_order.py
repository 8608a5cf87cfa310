import torch

x, ran = torch.ones(1, requires_grad=True), []
one = x * 1
two = x * 2
three = x * 3
for name, result in {"one": one, "two": two, "three": three}.items():
    result.grad_fn.register_prehook(lambda _, name=name: ran.append(name))
(one + two + three).backward()
print(*ran)
