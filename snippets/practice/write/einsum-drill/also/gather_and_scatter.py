import torch


def pairwise_distance(a, b):
    dots = torch.einsum("nd,md->nm", a, b)
    own = torch.einsum("nd,nd->n", a, a)
    other = torch.einsum("md,md->m", b, b)
    return torch.relu(own.unsqueeze(1) + other.unsqueeze(0) - 2 * dots)


def last_hidden(h, lengths):
    return h.take_along_dim((lengths - 1)[:, None, None], dim=1).squeeze(1)


def segment_mean(x, ids, n):
    zeros = torch.zeros(n, x.shape[-1], dtype=x.dtype, device=x.device)
    where = ids.unsqueeze(1).expand(-1, x.shape[-1])
    return zeros.scatter_reduce(0, where, x, reduce="mean", include_self=False)


def relative_bias(table, t):
    rows = table.flip(0).unfold(0, t, 1)  # [r, h, j] is table[2t - 2 - r - j, h]
    return rows.flip(0).transpose(0, 1)


def packed_mask(doc):
    t = doc.shape[1]
    ones = torch.ones(t, t, dtype=torch.bool, device=doc.device)
    return torch.tril(ones) & doc.unsqueeze(2).eq(doc.unsqueeze(1))


def windows(x, size):
    rows, columns = x.shape
    row, column = x.stride()
    return x.as_strided(
        (rows, columns - size + 1, size), (row, column, column), x.storage_offset()
    )
