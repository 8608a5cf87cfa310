import torch

print("lr      decay   difference     lr**2 * decay")
for lr, decay in ((1e-4, 0.01), (0.1, 0.1), (0.1, 3.0)):
    w = torch.tensor(1.0, dtype=torch.float64)
    sign = torch.tensor(1.0, dtype=torch.float64)
    decay_first = w * (1 - lr * decay) - lr * sign
    sign_first = (w - lr * sign) * (1 - lr * decay)
    difference = (sign_first - decay_first).item()
    print(f"{lr:<7g} {decay:<7g} {difference:.3e}      {lr**2 * decay:.3e}")

print("\ndecay per step, lr * lambda")
for name, lr, decay in (
    ("AdamW", 1e-3, 0.01),
    ("Lion, rate / 10, decay * 10", 1e-4, 0.1),
    ("Lion, rate / 10, decay / 4 ", 1e-4, 0.0025),
):
    print(f"{name:28} {lr * decay:.1e}")
