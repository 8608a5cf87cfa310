import torch
from torch.library import custom_op, opcheck


@custom_op("warmup_wrong::adds_in_place", mutates_args=())
def adds_in_place(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x.clone()


@custom_op("warmup_wrong::returns_its_input", mutates_args=())
def returns_its_input(x: torch.Tensor) -> torch.Tensor:
    return x


@custom_op("warmup_wrong::other_strides", mutates_args=())
def other_strides(x: torch.Tensor) -> torch.Tensor:
    return x.T.contiguous().T


for operator in (adds_in_place, returns_its_input, other_strides):
    operator.register_fake(lambda x: torch.empty_like(x))

    x = torch.ones(2, 3)
    try:
        operator(x)
        results = opcheck(operator, (x,), raise_exception=False)
        failed = [test for test, result in results.items() if result != "SUCCESS"]
        print(f"{operator._name:18} the call is ok, opcheck fails:", *failed)
    except RuntimeError as error:
        print(f"{operator._name:18} the call raises {type(error).__name__}")
