import runpy
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

script = runpy.run_path(str(Path(__file__).with_name("broken.py")))


class TooManySkipped(RuntimeError):
    """More steps were skipped than a healthy run needs."""


def train(seed: int, most: float) -> tuple[nn.Module, list[int], float]:
    """Skip steps whose gradient norm is not finite, a share ``most`` at most."""
    documents = script["read_documents"]()
    torch.manual_seed(seed)
    model = script["Classifier"]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    steps, skipped, losses = script["STEPS"], [], []
    for step in range(1, steps + 1):
        batch = documents[(step - 1) * script["BATCH"] : step * script["BATCH"]]
        words, labels = script["collate"](batch)
        loss = F.cross_entropy(model(words), labels)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if norm.isfinite():
            optimizer.step()
            losses.append(loss.item())
        else:
            skipped.append(step)
        if len(skipped) > most * steps:
            raise TooManySkipped(f"skipped steps {skipped} of {steps}")
    return model, skipped, sum(losses[-20:]) / 20


if __name__ == "__main__":
    try:
        train(0, most=0.01)
    except TooManySkipped as error:
        print(f"at most 1 %: {type(error).__name__}: {error}")
    model, skipped, loss = train(0, most=0.05)
    print(f"at most 5 %: skipped steps {skipped}, loss at the end {loss:.2f}")
    empty, other = torch.zeros(1, 6, dtype=torch.long), torch.tensor([[5, 9, 2, 0]])
    with torch.no_grad():
        print("finite answer to a document:", model(other).isfinite().all().item())
        print("to an empty one:", model(empty).isfinite().all().item())
