"""What docs/senior/behavioral/why-that-choice.md claims, proven beyond the example shown."""

import functools
import math
from statistics import mean

import pytest
import torch

from warmup.testing import load_snippet

page = load_snippet("senior/behavioral/why_that_choice.py")
SMALL = """
found = []
found.append(given)
found.append(1)  # choice: one
if True:
    found.append(2)
    found.append(3)  # choice: three
"""


@functools.cache
def accuracy(*without, seeds=(3,), script=page.SCRIPT):
    x, y = page.DIGITS
    runs = [page.run(script, without, x=x, y=y, seed=seed) for seed in seeds]
    return 100 * mean(run["right"].float().mean().item() for run in runs)


def at_rate(rate, *removed, seeds=(3,)):
    """The script with another rate."""
    script = page.SCRIPT.replace("decay, rate, steps = 0.0, 0.9, 60", f"decay, rate, steps = 0.0, {rate}, 60")
    assert script != page.SCRIPT
    return accuracy(*removed, seeds=seeds, script=script)


class TestWhyThatChoice:
    @pytest.mark.parametrize("name", page.choices(page.SCRIPT))
    def test_without_one_line_training_does_not_break(self, name):
        assert accuracy(name) > 60

    @pytest.mark.parametrize("name", ["scaled inputs", "warmup", "falling rate"])
    def test_without_clipping_each_of_three_lines_is_needed(self, name):
        assert accuracy(name, "clipping") < 60

    def test_without_clipping_weight_decay_is_not_needed(self):
        assert accuracy("weight decay", "clipping") > 80

    def test_the_falling_rate_is_the_only_line_worth_many_points(self):
        whole = accuracy()
        assert accuracy("falling rate") < whole - 4
        assert all(accuracy(name) > whole - 7 for name in ("weight decay", "warmup"))

    @pytest.mark.parametrize("name", ["scaled inputs", "warmup", "falling rate"])
    def test_at_a_rate_of_a_tenth_clipping_and_any_other_can_go_together_and_nothing_breaks(self, name):
        assert at_rate(0.1, name, "clipping") > 60

    @pytest.mark.parametrize("seeds", [(0, 2), (3,)])
    def test_a_constant_rate_of_a_tenth_needs_none_of_the_three_lines_about_steps(self, seeds):
        found = at_rate(0.1, "falling rate", "warmup", "clipping", seeds=seeds)
        assert abs(found - accuracy(seeds=seeds)) < 2

    @pytest.mark.parametrize("more", [(), ("falling rate",)])
    def test_without_three_of_them_training_breaks_even_at_a_tenth(self, more):
        assert at_rate(0.1, "scaled inputs", "warmup", "clipping", *more) < 60

    @pytest.mark.parametrize("seeds", [(0, 2), (3,)])
    def test_the_falling_rate_is_worth_more_than_ten_points(self, seeds):
        assert accuracy("falling rate", seeds=seeds) < accuracy(seeds=seeds) - 10

    def test_scaled_inputs_make_the_gradients_of_all_layers_smaller(self):
        x, y = page.DIGITS
        script = page.SCRIPT.replace("0.0, 0.9, 60", "0.0, 0.0, 1")
        runs = [page.run(script, (*without, "clipping"), x=x, y=y, seed=0) for without in ((), ("scaled inputs",))]
        scaled, raw = ([p.grad.norm() for p in run["model"].parameters() if p.dim() == 2] for run in runs)
        assert len(scaled) == 4 and all(10 * small < large for small, large in zip(scaled, raw, strict=True))

    def test_clipping_acts_in_most_steps_of_the_whole_recipe(self):
        x, y = page.DIGITS
        call = "    nn.utils.clip_grad_norm_"
        script = page.SCRIPT.replace(call, "    norms += [0]\n    norms[-1] = nn.utils.clip_grad_norm_")
        norms = page.run(script, (), x=x, y=y, seed=0, norms=[])["norms"]
        assert len(norms) == 60 and 30 < sum(norm > 1 for norm in norms) < 60

    def test_the_runs_are_paired_because_no_choice_draws_random_numbers(self):
        x, y = page.DIGITS
        script = page.SCRIPT.replace("0.0, 0.9, 60", "0.0, 0.9, 1")
        names = page.choices(page.SCRIPT)
        rows = [page.run(script, case, x=x, y=y, seed=1)["rows"] for case in [(), *((name,) for name in names)]]
        assert len(rows) == 6 and all(torch.equal(rows[0], other) for other in rows)
        dropout = "torch.nn.functional.dropout(torch.ones(3))  # choice: dropout\n"
        script = script.replace("for step in range(steps):", dropout + "for step in range(steps):")
        with_it, without = (page.run(script, case, x=x, y=y, seed=1)["rows"] for case in ((), ("dropout",)))
        assert not torch.equal(with_it, without)

    @pytest.mark.parametrize("n", [5, 12])
    def test_the_number_of_pairs(self, n):
        assert math.comb(n, 2) == n * (n - 1) // 2
        assert math.comb(5, 2) == 10


class TestWhyThatChoiceHarness:
    @pytest.mark.parametrize(
        ("without", "found"),
        [((), [0, 1, 2, 3]), (("one",), [0, 2, 3]), (("three",), [0, 1, 2]), (("one", "three"), [0, 2])],
    )
    def test_it_runs_the_script_without_these_lines(self, without, found):
        assert page.run(SMALL, without, given=0)["found"] == found

    def test_it_names_the_choices_in_order(self):
        assert page.choices(SMALL) == ["one", "three"]
        assert len(page.choices(page.SCRIPT)) == 5

    def test_an_unknown_choice_is_an_error_and_not_a_run_with_everything(self):
        with pytest.raises(ValueError, match="two"):
            page.run(SMALL, ("two",), given=0)

    def test_two_runs_share_nothing(self):
        first, second = (page.run(SMALL, (), given=given) for given in (0, 7))
        assert first["found"][0] == 0 and second["found"][0] == 7

    @pytest.mark.parametrize("seed", [0, 9])
    def test_the_same_seed_gives_the_same_run(self, seed):
        x, y = page.DIGITS
        script = page.SCRIPT.replace("0.0, 0.9, 60", "0.0, 0.9, 5")
        losses = [page.run(script, ("warmup",), x=x, y=y, seed=s)["loss"].item() for s in (seed, seed, seed + 1)]
        assert losses[0] == losses[1] != losses[2]


def test_weight_decay_shrinks_a_weight_by_about_one_percent_in_these_steps():
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], 0.9, 0.9, weight_decay=1e-4)
    weight.grad = torch.zeros(1)
    for step in range(60):
        optimizer.param_groups[0]["lr"] = 0.9 * min(1, (step + 1) / 50) * (1 - step / 60)
        optimizer.step()
    assert 0.985 < weight.item() < 0.993
