import torch

ids = torch.tensor([7, 7, 42])
for sparse in (False, True):
    table = torch.nn.Embedding(100_000, 16, sparse=sparse)
    table(ids).sum().backward()
    grad = table.weight.grad
    parts = [grad._indices(), grad._values()] if sparse else [grad]
    print(f"sparse={sparse}: weight {table.weight.layout}, grad {grad.layout}")
    print(f"  {sum(part.nbytes for part in parts):,} bytes of gradient")
print("rows of the gradient:", grad._indices().tolist())
print("after coalesce():    ", grad.coalesce().indices().tolist())
