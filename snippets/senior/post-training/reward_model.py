import torch


def best_of(n, quality, score):
    """Mean score and mean quality of each prompt's best by score, of n answers."""
    best = score[:, :n].argmax(1, keepdim=True)
    return score.gather(1, best).mean().item(), quality.gather(
        1, best
    ).mean().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    quality, normal, other = torch.randn(3, 4000, 1024)
    heavy = other / torch.randn(3, 4000, 1024).norm(dim=0)  # variance 1, too
    for name, error in ("normal error", normal), ("heavy tail", heavy):
        score = quality + error
        same = (quality[:, 0] > quality[:, 1]) == (score[:, 0] > score[:, 1])
        print(f"{name}: {same.double().mean():.0%} of pairs ranked right")
        for n in 1, 4, 16, 64, 256, 1024:
            proxy, gold = best_of(n, quality, score)
            print(f"  best of {n:4}: score {proxy:4.1f}, quality {gold:4.1f}")
