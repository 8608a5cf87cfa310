import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import default_partition


def show(stage):
    def compiler(module, inputs, **options):
        print(
            stage, *[node.name for node in module.graph.nodes if "call" in node.op]
        )
        if stage == "joint graph:":
            return default_partition(module, inputs, **options)
        return make_boxed_func(module.forward)

    return compiler


cut, fw, bw = map(show, ["joint graph:", "compile forward:", "compile backward:"])
backend = aot_autograd(partition_fn=cut, fw_compiler=fw, bw_compiler=bw)
activate = torch.compile(lambda x: torch.sin(x) * 2, backend=backend)
for call in (1, 2):
    loss = activate(torch.ones(3, requires_grad=True)).sum()
    print(f"call {call} has returned, backward() not yet called")
    loss.backward()
