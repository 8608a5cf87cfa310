import inspect

import torch
import torch.nn.functional as F

for function in (F.dropout, F.dropout2d, F.alpha_dropout, F.rrelu, F.batch_norm):
    training = inspect.signature(function).parameters["training"]
    print(f"F.{function.__name__:14} training={training.default}")

torch.manual_seed(0)
query = key = torch.randn(1, 64, 8)
value = torch.eye(64).unsqueeze(0)
weights = F.scaled_dot_product_attention(query, key, value, dropout_p=0.5)
print("F.scaled_dot_product_attention has no training argument")
share = (weights == 0).float().mean()
print(f"    dropout_p=0.5: share of attention weights that are zero {share:.2f}")
