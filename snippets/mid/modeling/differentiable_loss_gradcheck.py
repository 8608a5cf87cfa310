import torch
from torch.autograd import gradcheck

z = torch.tensor([[2.0, -1.0], [0.3, 0.8]], dtype=torch.float64, requires_grad=True)
for name, loss_of in {
    "argmax": lambda z: z.argmax(1).double().mean(),
    "round": lambda z: z.round().mean(),
    "weight detached": lambda z: (z.softmax(1).detach() * z).sum(),
    "one term by item()": lambda z: z.mean() + z.square().mean().item(),
    "logsumexp": lambda z: z.logsumexp(1).mean(),
}.items():
    print(f"{name:19}", gradcheck(loss_of, (z,), raise_exception=False))
