import torch

x, y = 2.0, 1.0
w1 = torch.tensor(0.5, requires_grad=True)
w2 = torch.tensor(3.0, requires_grad=True)
hidden = torch.relu(w1 * x)
output = w2 * hidden
loss = (output - y) ** 2
loss.backward()

with torch.no_grad():  # by hand, from the loss back
    d_output = 2 * (output - y)
    d_w2 = d_output * hidden
    d_hidden = d_output * w2
    d_w1 = d_hidden * (w1 * x > 0) * x
print(f"w2: by hand {d_w2:.0f}, autograd {w2.grad:.0f}")
print(f"w1: by hand {d_w1:.0f}, autograd {w1.grad:.0f}")
