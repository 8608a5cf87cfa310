import torch

w = torch.zeros(2)
library = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.Adam([library], lr=0.1)
m, v = torch.zeros(2), torch.zeros(2)
for t in range(1, 101):
    g = torch.tensor([1000.0, 0.001]) * (w - 3)
    m = 0.9 * m + 0.1 * g  # running mean of the gradient
    v = 0.999 * v + 0.001 * g**2  # running mean of its square
    w = w - 0.1 * (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)
    library.grad = torch.tensor([1000.0, 0.001]) * (library.detach() - 3)
    optimizer.step()
print("by hand      ", [round(x, 3) for x in w.tolist()])
print("torch's Adam ", [round(x, 3) for x in library.tolist()])
