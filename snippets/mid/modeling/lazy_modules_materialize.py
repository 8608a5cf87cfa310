import torch
from torch import nn
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter


def materialize(model: nn.Module, *inputs: torch.Tensor) -> nn.Module:
    """Give all lazy layers of a model their shapes, with one pass in eval mode.

    Modes of all modules are restored, running statistics do not move, and nothing
    is recorded. Initial weights are drawn from the default generator.

    Args:
        model: on its final device, in its final dtype.
        inputs: what model(*inputs) takes; a batch of one is enough.

    Returns:
        The model itself.

    Raises:
        RuntimeError: a lazy layer was not reached by this pass.
    """
    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            model(*inputs)
    finally:
        for module, mode in modes.items():
            module.training = mode
    named = [*model.named_parameters(), *model.named_buffers()]
    lazy = (UninitializedParameter, UninitializedBuffer)
    left = [name for name, tensor in named if isinstance(tensor, lazy)]
    if left:
        raise RuntimeError(f"still without a shape: {', '.join(left)}")
    return model


if __name__ == "__main__":
    for train_mode in (True, False):
        torch.manual_seed(0)
        model = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d())
        if train_mode:
            model(torch.ones(2, 3))
        else:
            materialize(model, torch.ones(2, 3))
        norm = model[1]
        print("dry run in train mode:", train_mode)
        print("  batches counted:", norm.num_batches_tracked.item())
        print("  running mean moved:", norm.running_mean.any().item())
