# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch

half = 64
frequency = 10_000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
distance = torch.arange(0, 1001)
turn = torch.polar(torch.ones(1001, half).double(), distance[:, None] * frequency)
ones = turn.real.mean(dim=-1)  # the score of q = k = ones, over 128

torch.manual_seed(0)
q, k = torch.randn(2, 2000, half, 2, dtype=torch.float64)
pairs = torch.view_as_complex(q) * torch.view_as_complex(k).conj()
spread = [
    (pairs * turn[d]).sum(-1).real.std() / 128**0.5 for d in range(0, 1001, 50)
]

for d in (0, 10, 100, 1000):
    mean = (pairs * turn[d]).sum(-1).real.mean() / 128**0.5
    print(f"distance {d:4}: ones {ones[d]:.2f}, random: mean {abs(mean):.1f}, "
          f"spread {spread[d // 50]:.1f}")  # fmt: skip
print("ones fall at every step:", bool((ones[1:] <= ones[:-1]).all()))

plt.figure(figsize=(5, 3))
plt.plot(distance, ones, label="q = k = ones")
plt.plot(range(0, 1001, 50), spread, "o--", label="random pairs, spread")
plt.xlabel("distance in tokens")
plt.ylabel("score, scaled to 1")
plt.ylim(0, 1.3)
plt.legend()
plt.show()
