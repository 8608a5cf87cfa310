import torch


def flash_backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    grad: torch.Tensor,
    width: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of q, k and v from one number per query, not its weights.

    ``lse`` (..., M, 1) is the log of the sum of exponentials of each row of
    scores; ``out`` and ``grad`` (..., M, D) are the output and its gradient.
    """
    scale = q.shape[-1] ** -0.5
    dot = (grad * out).sum(-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(q), [], []
    for keys, values in zip(k.split(width, -2), v.split(width, -2)):
        weights = (q @ keys.mT * scale - lse).exp()  # computed again
        dscores = weights * (grad @ values.mT - dot) * scale
        dv.append(weights.mT @ grad)
        dk.append(dscores.mT @ q)
        dq += dscores @ keys
    return dq, torch.cat(dk, -2), torch.cat(dv, -2)


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = (torch.randn(512, 64, requires_grad=True) for _ in range(3))
    scores = q @ k.mT / 64**0.5
    out, lse = scores.softmax(-1) @ v, scores.logsumexp(-1, keepdim=True)
    grad = torch.randn_like(out)
    expected = torch.autograd.grad(out, (q, k, v), grad)
    with torch.no_grad():
        found = flash_backward(q, k, v, out, lse, grad, width=100)
    for name, a, b in zip("qkv", expected, found):
        print(f"gradient of {name} equal: {torch.allclose(a, b, atol=1e-5)}")
    print(f"kept: {lse.numel()} numbers instead of {scores.numel()}")
