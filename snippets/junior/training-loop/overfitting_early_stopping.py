import copy
import math

from torch import nn


class EarlyStopping:
    """Say when the held-out loss no longer improves, and keep the best weights.

    Args:
        model: parameters and buffers are copied at each new best loss.
        patience: so many calls without a new best loss end the run, at least 1.
        min_delta: a loss counts as new best if it is lower by more than this.

    Raises:
        ValueError: patience is less than 1.
    """

    def __init__(
        self, model: nn.Module, patience: int, min_delta: float = 0.0
    ) -> None:
        if patience < 1:
            raise ValueError(f"patience {patience} is less than 1")
        self.model, self.patience, self.min_delta = model, patience, min_delta
        self.best, self.waited = math.inf, 0
        self.weights = copy.deepcopy(model.state_dict())

    def __call__(self, loss: float) -> bool:
        """Take the held-out loss after an epoch; True if the run should end.

        NaN is no improvement.
        """
        if loss < self.best - self.min_delta:
            self.best, self.waited = float(loss), 0
            self.weights = copy.deepcopy(self.model.state_dict())
        else:
            self.waited += 1
        return self.waited >= self.patience

    def restore(self) -> None:
        """Put the best weights back; those from the start if none was better."""
        self.model.load_state_dict(self.weights)


if __name__ == "__main__":
    model = nn.Linear(1, 1)
    stop = EarlyStopping(model, patience=2)
    for epoch, loss in enumerate([0.9, 0.5, 0.6, 0.4, 0.7, 0.4, 0.3], 1):
        nn.init.constant_(model.weight, epoch)  # stands for an epoch of training
        if stop(loss):
            break
    stop.restore()
    print(f"stopped after epoch {epoch}, best loss {stop.best}", end=", ")
    print(f"weights of epoch {model.weight.item():.0f}")
