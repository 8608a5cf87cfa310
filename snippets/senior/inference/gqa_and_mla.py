import torch

torch.manual_seed(0)
T, H, D, R = 10, 4, 16, 8  # tokens, heads, size of a head, size of the latent
x = torch.randn(T, 64, dtype=torch.double)
W_q = torch.randn(H, 64, D, dtype=torch.double) / 8
down = torch.randn(64, R, dtype=torch.double) / 8
up_k, up_v = torch.randn(2, H, R, D, dtype=torch.double)

q, latent = x @ W_q, x @ down  # the latent (T, R) is all that is cached
k, v = latent @ up_k, latent @ up_v  # (H, T, D): keys and values of each head
expanded = (q @ k.mT / D**0.5).softmax(-1) @ v

q_up = q @ up_k.mT  # (H, T, R): the query goes to the latent instead
weights = (q_up @ latent.T / D**0.5).softmax(-1)
absorbed = weights @ latent @ up_v  # average latents, then up to values
print("same outputs:", torch.allclose(expanded, absorbed))
print("heads have the same keys:", torch.allclose(k[0], k[1]))
print(
    "numbers per token:", latent.numel() // T, "not", (k.numel() + v.numel()) // T
)
