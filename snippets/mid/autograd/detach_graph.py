# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch


def draw(node, names: dict, axes, x: float = 0.5, y: float = 0.0) -> None:
    """Draw the graph behind ``node``, a ``grad_fn``, as a tree, root on top.

    A node that several others lead to is drawn once for each of them.

    Args:
        node: a node of the graph, or None for an input without gradient.
        names: leaf tensor to name, for the leaves that require grad.
        axes: Matplotlib axes. x, y: where the node is drawn, in data units.
    """
    if node is None:
        text = "None"
    elif hasattr(node, "variable"):
        text = names[node.variable] + ".grad"
    else:
        text = node.name().removesuffix("Backward0")
    box = {"boxstyle": "round", "facecolor": "none", "edgecolor": "0.5"}
    axes.text(x, y, text, ha="center", va="center", bbox=box, fontsize=12)
    below = node.next_functions if node is not None else ()
    for i, (child, _) in enumerate(below):
        at = x + (i - (len(below) - 1) / 2) * 0.5
        axes.plot([x, at], [y - 0.25, y - 0.75], color="0.5")
        draw(child, names, axes, at, y - 1)


if __name__ == "__main__":
    g, d = (torch.tensor(2.0, requires_grad=True) for _ in range(2))
    fake = (g * 0.5).tanh()
    figure, both = plt.subplots(1, 2, figsize=(5, 3.2))
    for axes, title, batch in zip(
        both, ("d * fake", "d * fake.detach()"), (fake, fake.detach())
    ):
        draw((d * batch).grad_fn, {g: "g", d: "d"}, axes)
        axes.set(title=title, xlim=(-0.1, 1.1), ylim=(-3.3, 0.3))
        axes.axis("off")
        print(f"{title:17} {[text.get_text() for text in axes.texts]}")
    plt.show()
