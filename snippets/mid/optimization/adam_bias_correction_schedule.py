import torch

weights = []
for corrected in (True, False):
    w = torch.tensor([4.0, -2.0], dtype=torch.float64, requires_grad=True)
    m, v = torch.zeros_like(w), torch.zeros_like(w)
    optimizer = torch.optim.Adam([w], lr=0.01, eps=0.0)
    for t in range(1, 101):
        (g,) = torch.autograd.grad((w**4).sum(), w)
        factor = (1 - 0.9**t) / (1 - 0.999**t) ** 0.5
        if corrected:  # the library, at another rate in every step
            optimizer.param_groups[0]["lr"] = 0.01 * factor
            w.grad = g
            optimizer.step()
        else:  # by hand, without any correction
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
            with torch.no_grad():
                w -= 0.01 * m / v.sqrt()
    weights.append(w.detach())
    print([round(value, 6) for value in w.tolist()])
print("same to 1e-12:", torch.allclose(*weights, rtol=0, atol=1e-12))
