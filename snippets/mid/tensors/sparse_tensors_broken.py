import torch

torch.sparse.check_sparse_tensor_invariants.enable()
s = torch.eye(1000).to_sparse()
x = torch.ones(1000, 2)
for name, operation in {
    "s * 2": lambda: s * 2,
    "s.relu()": lambda: s.relu(),
    "s + 1": lambda: s + 1,
    "s.exp()": lambda: s.exp(),
    "s.view(-1)": lambda: s.view(-1),
    "s[0, 0] = 2": lambda: s.__setitem__((0, 0), 2),
}.items():
    try:
        operation()
        print(f"{name:12} works")
    except (NotImplementedError, RuntimeError, TypeError) as error:
        print(f"{name:12} {type(error).__name__}")

for name, product in (
    ("s @ x:", torch.matmul),
    ("torch.sparse.mm(s, x):", torch.sparse.mm),
):
    leaf = s.clone().requires_grad_()
    product(leaf, x).sum().backward()
    print(f"gradient of s through {name:22} {leaf.grad.layout}")
