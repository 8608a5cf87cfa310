import torch
from torch.nn.functional import cosine_similarity, cross_entropy, normalize


def clip_loss(image, text, log_scale):
    """CLIP's loss of B pairs: image and text (B, D), and the log of the scale."""
    logits = log_scale.exp() * normalize(image, dim=1) @ normalize(text, dim=1).T
    labels = torch.arange(len(logits), device=logits.device)
    return (cross_entropy(logits, labels) + cross_entropy(logits.T, labels)) / 2


if __name__ == "__main__":
    torch.manual_seed(0)
    image, noise, weight = torch.randn(3, 32, 32, dtype=torch.float64)
    features = [x @ weight.requires_grad_() for x in (image, image + noise)]
    grads, log_scale = [], torch.tensor(1 / 0.07).log()
    print("batches   loss  cosine  length")
    for size in (32, 16, 8, 2, 1):
        parts = zip(*(x.split(size) for x in features), strict=True)
        loss = torch.stack([clip_loss(*part, log_scale) for part in parts]).mean()
        grads += torch.autograd.grad(loss, weight, retain_graph=True)
        cos = cosine_similarity(grads[0].flatten(), grads[-1].flatten(), dim=0)
        ratio = grads[-1].norm() / grads[0].norm()
        print(f"{32 // size:2} x {size:2}  {loss:.3f}    {cos:.2f}    {ratio:.2f}")
