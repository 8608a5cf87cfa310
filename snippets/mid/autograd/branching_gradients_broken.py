import torch

torch.manual_seed(0)
x = torch.randn(64, 8)
trunk, task_a, task_b = (torch.nn.Linear(8, n) for n in (8, 1, 1))
with torch.no_grad():  # task b wants the opposite of task a
    task_b.weight.copy_(-task_a.weight)
h = trunk(x).tanh()
losses = {"a": task_a(h).mean(), "b": task_b(h).mean()}

for name, loss in losses.items():
    (g,) = torch.autograd.grad(loss, trunk.weight, retain_graph=True)
    print(f"gradient from {name} alone, is zero:", bool((g.abs() < 1e-6).all()))
sum(losses.values()).backward()
print(
    "gradient from both, is zero:   ", bool((trunk.weight.grad.abs() < 1e-6).all())
)
