import torch
import torch.nn.functional as F


def ddp_gradient(image, text, weight, log_scale, ranks, pairs, gather):
    """CLIP's gradient by (weight, log_scale): the mean over ranks, as DDP has it.

    The ranks take turns in this process. Each one has all features.

    Args:
        image, text: shape (B, C), B a multiple of ranks.
        pairs: whose loss a rank computes, "own" or "all".
        gather: "gradient" returns gradients to other ranks' features, "detached"
            keeps the graph of the rank's own features only.
    """
    own, labels, grads = len(image) // ranks, torch.arange(len(image)), []
    features = [F.normalize(x @ weight, dim=1) for x in (image, text)]
    for rank in range(ranks):
        mine = torch.arange(len(image)) // own == rank
        keep = mine[:, None] | (gather == "gradient")
        a, b = (x.where(keep, x.detach()) for x in features)
        logits = log_scale.exp() * a @ b.T
        rows = mine if pairs == "own" else mine | True
        loss = F.cross_entropy(logits[rows], labels[rows])
        loss = (loss + F.cross_entropy(logits.T[rows], labels[rows])) / 2
        inputs = (weight, log_scale)
        grads.append(torch.autograd.grad(loss, inputs, retain_graph=True))
    return [torch.stack(g).mean(0) for g in zip(*grads, strict=True)]


if __name__ == "__main__":
    torch.manual_seed(0)
    image, text, weight = torch.randn(3, 32, 32, dtype=torch.float64)
    text = image + text
    log_scale = torch.tensor(1 / 0.07, dtype=torch.float64).log()
    batch = image, text, weight.requires_grad_(), log_scale.requires_grad_()
    full, full_scale = ddp_gradient(*batch, 1, "all", "gradient")
    print("loss of    gather     cosine  length  length for the scale")
    for pairs in ("own", "all"):
        for gather in ("detached", "gradient"):
            grad, scale = ddp_gradient(*batch, 4, pairs, gather)
            cosine = F.cosine_similarity(grad.flatten(), full.flatten(), dim=0)
            length = grad.norm() / full.norm()
            print(
                f"{pairs} pairs  {gather}   {cosine:.2f}    {length:.2f}",
                end="    ",
            )
            print(f"{(scale / full_scale).item():.2f}")
