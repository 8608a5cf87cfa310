"""What docs/mid/autograd/loop-order.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

more = load_snippet("mid/autograd/loop_order_more.py")
growth = load_snippet("mid/autograd/loop_order_growth.py")


def run_loop(order: str, optimizer: type, layers: int, steps: int = 6) -> tuple[nn.Module, list[bool]]:
    """A trained model, and whether each step changed its first weight."""
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(layers)))
    made, moved = optimizer(model.parameters(), lr=0.01), []
    for x in torch.randn(steps, 8, 4):
        for call in order.split():
            if call == "forward":
                loss = (model(x) - x.flip(1)).square().mean()
            elif call == "backward":
                loss.backward()
            elif call == "zero":
                made.zero_grad()
            else:
                before = model[0].weight.detach().clone()
                made.step()
                moved.append(not torch.equal(before, model[0].weight))
    return model, moved


class TestLoopOrder:
    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop])
    @pytest.mark.parametrize("layers", [1, 3])
    def test_zero_grad_is_free_between_step_and_backward(self, optimizer: type, layers: int):
        usual, _ = run_loop("zero forward backward step", optimizer, layers)
        for order in ("forward zero backward step", "forward backward step zero"):
            model, _ = run_loop(order, optimizer, layers)
            assert all(map(torch.equal, model.parameters(), usual.parameters()))

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW, torch.optim.RMSprop])
    @pytest.mark.parametrize("layers", [1, 3])
    def test_between_backward_and_step_it_leaves_the_model_untrained(self, optimizer: type, layers: int):
        for order in ("forward zero step backward", "forward backward zero step", "forward step backward zero"):
            assert not any(run_loop(order, optimizer, layers)[1])

    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    def test_a_step_between_forward_and_backward_raises_if_a_weight_was_saved(self, optimizer: type):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            run_loop("forward step zero backward", optimizer, layers=2)
        _, moved = run_loop("forward step zero backward", optimizer, layers=1)
        assert moved == [False] + [True] * 5

    def test_without_zero_grad_every_step_updates(self):
        for optimizer in (torch.optim.SGD, torch.optim.AdamW):
            assert run_loop("forward backward step", optimizer, 2, steps=20)[1] == [True] * 20

    def test_a_clip_that_nobody_reads_is_no_clip(self):
        without = more.train("zero forward backward step schedule")
        for order in ("zero forward clip backward step schedule", "zero forward backward step clip schedule"):
            assert torch.equal(more.train(order), without)
        assert not torch.equal(more.train(more.USUAL), without)
        assert torch.equal(more.train("forward backward clip zero step schedule"), more.train(more.USUAL, 0))

    def test_a_scheduler_before_the_step_warns_and_skips_the_first_rate(self):
        weight = nn.Parameter(torch.zeros(1))
        used = {}
        for first in ("step", "schedule"):
            sgd = torch.optim.SGD([weight], lr=1.0)
            scheduler = torch.optim.lr_scheduler.StepLR(sgd, 1, gamma=0.5)
            weight.grad = torch.ones(1)
            used[first] = []
            for i in range(3):
                if first == "schedule":
                    if i == 0:
                        with pytest.warns(UserWarning, match="before `optimizer.step"):
                            scheduler.step()
                    else:
                        scheduler.step()
                used[first].append(sgd.param_groups[0]["lr"])
                sgd.step()
                if first == "step":
                    scheduler.step()
        assert used == {"step": [1.0, 0.5, 0.25], "schedule": [0.5, 0.25, 0.125]}

    def test_the_sum_of_gradients_grows_with_the_signal(self):
        found = {name: growth.growth(*setting, problems=30)[-1] for name, setting in growth.SETTINGS.items()}
        assert found["one batch, repeated"] == pytest.approx(10, rel=1e-4)
        assert found["new batches, labels are noise"] == pytest.approx(10**0.5, rel=0.05)
        assert 7 < found["new batches, clear signal"] < 9.5
        assert found["new batches, labels are noise"] < growth.growth(0.3, 1.0, False, problems=30)[-1] < 8.5

    def test_the_norm_before_backward_is_zero(self):
        model = nn.Linear(2, 1)
        assert nn.utils.clip_grad_norm_(model.parameters(), 1.0) == 0
        model(torch.ones(1, 2)).sum().backward()
        assert nn.utils.clip_grad_norm_(model.parameters(), 1.0) > 0

    @pytest.mark.parametrize("order", ["zero clip backward step", "clip zero backward step"])
    def test_the_norm_before_zero_grad_is_that_of_the_batch_before(self, order: str):
        torch.manual_seed(0)
        model, norms = nn.Linear(2, 1), []
        sgd = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            for call in order.split():
                if call == "backward":
                    model(torch.ones(1, 2)).square().sum().backward()
                elif call == "clip":
                    norms.append(nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
                else:
                    sgd.step() if call == "step" else sgd.zero_grad()
        assert [norm > 0 for norm in norms] == [False] + [order.startswith("clip")] * 2

    @pytest.mark.parametrize("start", [0.0, 0.1])
    def test_a_step_at_rate_zero_changes_no_weight(self, start: float):
        model = nn.Linear(2, 1)
        before = model.weight.detach().clone()
        adamw = torch.optim.AdamW(model.parameters(), lr=0.1)
        torch.optim.lr_scheduler.LambdaLR(adamw, lambda epoch: start + epoch / 10)
        model(torch.ones(1, 2)).sum().backward()
        adamw.step()
        assert torch.equal(model.weight, before) == (start == 0)

    def test_each_zero_grad_clears_its_own(self):
        one, two = nn.Linear(2, 2), nn.Linear(2, 1)
        two(one(torch.ones(1, 2))).sum().backward()
        torch.optim.SGD(two.parameters(), lr=0.1).zero_grad()
        assert two.weight.grad is None and one.weight.grad is not None
