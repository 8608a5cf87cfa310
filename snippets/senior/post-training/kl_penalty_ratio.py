import torch

torch.manual_seed(0)
logits = torch.randn(6, dtype=torch.double, requires_grad=True)
ref, old = torch.randn(2, 6, dtype=torch.double).log_softmax(1)
log_p = logits.log_softmax(0)
gap, ratio = ref - log_p, (log_p - old).exp()


def gradient(x):
    return torch.autograd.grad(x.sum(), logits, retain_graph=True)[0]


exact = {
    "zero": logits * 0,
    "reverse KL": gradient(-log_p.exp() * gap),
    "forward KL": gradient(ref.exp() * gap),
}
print("in the loss, samples from an older policy")
print("    no ratio      detached ratio  ratio with its gradient")
for name, k in {"k1": -gap, "k2": gap**2 / 2, "k3": gap.exp() - 1 - gap}.items():
    row = name
    for weight in (1, ratio.detach(), ratio):
        g = gradient(old.exp() * weight * k)
        found = [n for n, e in exact.items() if torch.allclose(e, g)]
        row += f"  {(found or ['neither'])[0]:14}"
    print(row.rstrip())
