import torch


def balance_loss(probabilities: torch.Tensor, k: int) -> torch.Tensor:
    """E times the sum over experts of load share times mean probability.

    Args:
        probabilities: of the router, float, shape (tokens, E), rows sum to 1.
        k: how many experts each token uses.
    """
    experts = probabilities.shape[1]
    chosen = probabilities.topk(k).indices.flatten()
    share = chosen.bincount(minlength=experts) / chosen.numel()
    return experts * (share * probabilities.mean(0)).sum()


if __name__ == "__main__":
    code = torch.tensor([[0.9, 0.1]]).repeat(8, 1)  # a micro-batch of code ...
    prose = torch.tensor([[0.1, 0.9]]).repeat(8, 1)  # ... and one of prose
    micro = (balance_loss(code, 1) + balance_loss(prose, 1)) / 2
    print(f"mean of two micro-batches  {micro:.2f}")
    whole = balance_loss(torch.cat([code, prose]), 1)
    print(f"whole batch                {whole:.2f}")
