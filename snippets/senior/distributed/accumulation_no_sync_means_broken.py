import torch

RANKS = (
    ([1.0], [2.0, 3.0]),  # rank 0: two micro-batches, 1 and 2 tokens
    ([4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 10.0]),  # rank 1: 3 and 4 tokens
)


def gradient(divide: str) -> float:
    """The gradient after DDP's average, for a loss w * x of each token."""
    tokens = sum(len(x) for micro_batches in RANKS for x in micro_batches)
    average = 0.0
    for micro_batches in RANKS:
        w = torch.ones((), requires_grad=True)
        for x in micro_batches:
            losses = w * torch.tensor(x)
            if divide == "mean / micro-batches":
                loss = losses.mean() / len(micro_batches)
            elif divide == "sum / tokens of this rank":
                loss = losses.sum() / sum(len(x) for x in micro_batches)
            elif divide == "sum / tokens of all ranks":
                loss = losses.sum() / tokens
            else:  # "sum / tokens of all ranks * ranks"
                loss = losses.sum() / tokens * len(RANKS)
            loss.backward()
        average += w.grad.item() / len(RANKS)  # what DDP's all-reduce does
    return average


if __name__ == "__main__":
    for divide in (
        "mean / micro-batches",
        "sum / tokens of this rank",
        "sum / tokens of all ranks",
        "sum / tokens of all ranks * ranks",
    ):
        print(f"{divide:35}{gradient(divide):5g}")
