import torch

w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(3.0, requires_grad=True)
for create_graph in (False, True):
    w.grad = None
    output = w * x
    (slope,) = torch.autograd.grad(
        output, x, create_graph=create_graph, retain_graph=True
    )
    loss = output + 10 * slope**2
    loss.backward()
    print(f"create_graph={create_graph}: loss {loss}, w.grad {w.grad}")
