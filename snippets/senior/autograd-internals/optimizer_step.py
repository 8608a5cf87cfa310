import torch

weights = [torch.nn.Parameter(torch.ones(1)) for _ in range(3)]
used, zero, unused = weights
optimizer = torch.optim.SGD(weights, lr=0.1, weight_decay=0.5)
(3 * used + 0 * zero).sum().backward()

before = [(w.data_ptr(), w._version) for w in weights]
optimizer.step()
for w, (pointer, version) in zip(weights, before):
    grad = None if w.grad is None else w.grad.item()
    print(
        f"grad {grad!s:4}  weight {w.item():.2f}  "
        f"same memory {w.data_ptr() == pointer}  version +{w._version - version}  "
        f"grad_fn {w.grad_fn}"
    )
