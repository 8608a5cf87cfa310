import torch


@torch.library.custom_op("warmup_shape::first_two", mutates_args=())
def first_two(x: torch.Tensor) -> torch.Tensor:
    return x[:2].clone()


@first_two.register_fake
def fake(x):
    return torch.empty_like(x)  # wrong: the result has two elements


def mean(x: torch.Tensor) -> torch.Tensor:
    y = first_two(x)
    return y.sum() / y.shape[0]


x = torch.ones(4)
print("eager:   ", mean(x).item())
print("compiled:", torch.compile(mean, backend="eager", fullgraph=True)(x).item())
try:
    torch.library.opcheck(first_two, (x,))
except torch.testing._internal.optests.generate_tests.OpCheckError as error:
    print("opcheck: ", str(error).splitlines()[0][:60])
