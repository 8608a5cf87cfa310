import torch


def show(module: torch.fx.GraphModule, example_inputs: list[torch.Tensor]):
    ops = [node.target for node in module.graph.nodes if "call" in node.op]
    print("  new graph:", *[getattr(op, "__name__", op) for op in ops])
    return module.forward


@torch.compile(backend=show)
def activate(x: torch.Tensor) -> torch.Tensor:
    x = x * 2
    if x.sum() > 0:
        return x.sin() + 1
    return x.cos() - 1


for value in (1.0, -1.0, 1.0):
    print(f"activate({value}):")
    activate(torch.full((3,), value))
