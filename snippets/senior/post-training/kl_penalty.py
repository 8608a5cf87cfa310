import torch

torch.manual_seed(0)
logits = torch.randn(6, dtype=torch.double, requires_grad=True)
ref = torch.randn(6, dtype=torch.double).log_softmax(0)
log_p = logits.log_softmax(0)
p, gap = log_p.exp(), ref - log_p


def gradient(x):
    return torch.autograd.grad(x.sum(), logits, retain_graph=True)[0]


exact = {"zero": gradient(0 * log_p), "reverse KL": gradient(p * -gap)}
exact["forward KL"] = gradient(ref.exp() * gap)
exact["reverse - forward"] = exact["reverse KL"] - exact["forward KL"]
for name, k in {"k1": -gap, "k2": gap**2 / 2, "k3": gap.exp() - 1 - gap}.items():
    row = f"{name}  mean {(p * k).sum():.2f}"
    for place, mean in {"loss": p.detach() * k, "reward": p * k.detach()}.items():
        same = [n for n, g in exact.items() if torch.allclose(g, gradient(mean))]
        row += f"  in the {place}: {(same or ['neither'])[0]:10}"
    print(row.rstrip())
