import torch


@torch.library.custom_op("puzzle::first_two", mutates_args=())
def first_two(x: torch.Tensor) -> torch.Tensor:
    return x[:2].clone()


first_two.register_fake(lambda x: x.new_empty(2))


@torch.compile(backend="eager")
def mean(x):
    return first_two(x).sum() / len(first_two(x))


print(mean(torch.ones(4)).item())
