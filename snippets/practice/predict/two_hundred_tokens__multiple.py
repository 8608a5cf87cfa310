from torch.nn.attention.flex_attention import create_block_mask


def causal(batch, head, query, key):
    return query >= key


mask = create_block_mask(causal, 1, 1, 256, 256, device="cpu", BLOCK_SIZE=128)
print(round(mask.sparsity(), 1))  # percent
