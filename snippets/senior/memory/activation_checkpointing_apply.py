from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def checkpoint_blocks(
    model: nn.Module, kind: type[nn.Module], every: int = 1
) -> int:
    """Checkpoint blocks of a model that you did not write.

    Args:
        model: changed in place; its state_dict keeps its names.
        kind: class of the blocks, such as `nn.TransformerEncoderLayer`. A block
            must give the same result when it runs again on the same input.
        every: checkpoint one block of `every`, in the order of `model.modules()`.

    Returns:
        How many blocks are checkpointed.

    Raises:
        ValueError: if no block is of that class, one contains another, or one has
            its own forward, as after a first call.
    """
    blocks = [module for module in model.modules() if isinstance(module, kind)]
    if not blocks:
        raise ValueError(f"no {kind.__name__} in the model")
    for block in blocks:
        if "forward" in vars(block):
            raise ValueError("a block has its own forward already")
        if any(isinstance(part, kind) for part in list(block.modules())[1:]):
            raise ValueError("a block contains another one")
    for block in blocks[::every]:
        block.forward = partial(checkpoint, block.forward, use_reentrant=False)
    return len(blocks[::every])


if __name__ == "__main__":
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    model = nn.TransformerEncoder(layer, 6)
    names, calls = list(model.state_dict()), []
    print(
        "checkpointed:",
        checkpoint_blocks(model, nn.TransformerEncoderLayer, every=2),
    )
    for block in model.layers:
        block.linear1.register_forward_hook(lambda *_: calls.append(1))
    model(torch.randn(2, 8, 32)).sum().backward()
    print("calls of six linear1:", len(calls))
    print("same state_dict names:", names == list(model.state_dict()))
