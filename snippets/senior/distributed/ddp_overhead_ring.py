import torch


def ring_all_reduce(
    tensors: list[torch.Tensor],
) -> tuple[list[torch.Tensor], list[int]]:
    """Sum one tensor per rank, and the bytes that each rank sent.

    Each rank sends to its right neighbor only, one chunk in each of 2(n - 1) steps.

    Args:
        tensors: one for each rank, all of the same shape and dtype.

    Returns:
        the sum as every rank holds it, and bytes per rank.
    """
    n = len(tensors)
    chunks = [list(t.flatten().tensor_split(n)) for t in tensors]
    sent = [0] * n
    for step in range(2 * (n - 1)):
        messages = []
        for rank in range(n):
            which = (rank - step) % n
            messages.append((rank, which, chunks[rank][which]))
            sent[rank] += chunks[rank][which].nbytes
        for rank, which, message in messages:
            right = chunks[(rank + 1) % n]
            # The first n - 1 steps add, the others pass finished sums on.
            right[which] = right[which] + message if step < n - 1 else message
    return [torch.cat(c).view_as(t) for c, t in zip(chunks, tensors)], sent


if __name__ == "__main__":
    print("ranks  steps  MiB sent by each rank, for 1 MiB of gradients")
    for n in (2, 4, 8, 16, 64):
        gradients = [torch.full((2**18,), float(rank)) for rank in range(n)]
        sums, sent = ring_all_reduce(gradients)
        assert all((s == n * (n - 1) / 2).all() for s in sums)
        print(f"{n:5}{2 * (n - 1):7}{max(sent) / 2**20:9.3f}")
