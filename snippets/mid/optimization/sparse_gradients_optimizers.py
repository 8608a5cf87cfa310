import torch
from torch import nn

OPTIMIZERS = [
    "SGD",
    "Adam",
    "AdamW",
    "SparseAdam",
    "Adagrad",
    "RMSprop",
    "Adadelta",
    "Adamax",
    "NAdam",
    "RAdam",
    "ASGD",
    "Rprop",
    "Adafactor",
    "Muon",
    "LBFGS",
]


def accepts(name: str, **options: object) -> bool:
    """Whether an optimizer takes two steps with a sparse gradient."""
    table = nn.Embedding(6, 2, sparse=True)
    optimizer = getattr(torch.optim, name)(table.parameters(), lr=0.1, **options)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        result = table(torch.tensor([1, 4, 1])).sum()
        result.backward()
        return result

    try:
        for _ in range(2):
            optimizer.step(loss)
    except RuntimeError:
        return False
    return True


if __name__ == "__main__":
    torch.sparse.check_sparse_tensor_invariants.enable()
    for wanted in (True, False):
        names = [name for name in OPTIMIZERS if accepts(name) is wanted]
        print("accept:" if wanted else "raise: ", *names)
    for name, options in (
        ("SGD", {"momentum": 0.9}),
        ("SGD", {"weight_decay": 0.1}),
        ("SGD", {"fused": True}),
        ("Adagrad", {"weight_decay": 0.1}),
    ):
        verb = "accepts" if accepts(name, **options) else "raises"
        print(f"{name} {options}: {verb}")
