import torch
import torch.nn.functional as F

torch.manual_seed(0)
x, labels = torch.randn(20, 4), torch.randint(3, (20,))
w, costs = torch.randn(4, 3, requires_grad=True), torch.tensor([1.0, 1.0, 10.0])


def gradient(sizes, **options):
    w.grad = None
    for xs, ys in zip(x.split(sizes), labels.split(sizes)):
        (F.cross_entropy(xs @ w, ys, **options) / len(sizes)).backward()
    return w.grad


for sizes in ([4, 4, 4, 4, 4], [8, 8, 4]):
    for options in ({}, {"weight": costs}):
        error = (gradient(sizes, **options) - gradient([20], **options)).norm()
        print(sizes, *options, f"-> {error / w.grad.norm():.1%}")
