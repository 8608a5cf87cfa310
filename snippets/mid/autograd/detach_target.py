import torch

# One transition: value estimates w of two states, reward 1, discount 0.9
for name in "target detached", "target attached":
    w = torch.tensor([0.0, 2.0], requires_grad=True)
    target = 1 + 0.9 * w[1]
    if name == "target detached":
        target = target.detach()
    loss = (target - w[0]) ** 2
    loss.backward()
    print(f"{name}: loss {loss.item():.2f}, gradient", end=" ")
    print([round(g, 2) for g in w.grad.tolist()])
