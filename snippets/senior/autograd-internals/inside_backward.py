import torch


def order(written: str) -> list[str]:
    w, v = (torch.tensor(n, requires_grad=True) for n in (1.0, 2.0))
    if written == "double, triple":
        double, triple = w * 2, w * 3
    else:
        triple, double = w * 3, w * 2
    total = double + triple
    loss = total * v
    nodes = {"loss": loss, "total": total, "double": double, "triple": triple}
    nodes = {name: tensor.grad_fn for name, tensor in nodes.items()}
    nodes["v.grad"] = loss.grad_fn.next_functions[1][0]  # AccumulateGrad
    nodes["w.grad"] = double.grad_fn.next_functions[0][0]
    ran = []
    for name, node in nodes.items():
        node.register_prehook(lambda g, name=name: ran.append(f"{name} {g[0]:.0f}"))
    loss.backward()
    return ran


for written in ("double, triple", "triple, double"):
    print(f"written {written}: {', '.join(order(written))}")
