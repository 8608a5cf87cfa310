import torch

x = torch.tensor(3.0, requires_grad=True)
h = 2 * x
seen = []
h.grad_fn.register_prehook(lambda _: seen.append("node of h"))
x.register_hook(lambda _: seen.append("hook of x"))
x.register_post_accumulate_grad_hook(lambda _: seen.append("after x.grad"))
loss = h**2

calls = {
    "grad(loss, h)": lambda: torch.autograd.grad(loss, h, retain_graph=True),
    "grad(loss, x)": lambda: torch.autograd.grad(loss, x, retain_graph=True),
    "loss.backward()": lambda: loss.backward(),
}
for name, call in calls.items():
    seen.clear()
    call()
    print(f"{name:15}  {', '.join(seen) or 'nothing'}")
