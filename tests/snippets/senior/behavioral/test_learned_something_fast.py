"""What docs/senior/behavioral/learned-something-fast.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

learned = load_snippet("senior/behavioral/learned_something_fast.py")
SETTINGS = [(1, 16), (2, 24)]


@pytest.mark.parametrize(("seed", "width"), SETTINGS)
class TestLearnedSomethingFast:
    def test_the_right_layer_keeps_all_promises(self, seed, width):
        assert all(learned.promises(learned.LoRALinear, seed, width).values())

    def test_each_wrong_version_fails_a_test(self, seed, width):
        for kind in learned.VERSIONS[1:]:
            assert not all(learned.promises(kind, seed, width).values()), kind

    def test_the_merge_of_an_untrained_layer_catches_no_wrong_version_and_after_training_it_catches_one(
        self, seed, width
    ):
        for kind in learned.VERSIONS:
            kept = learned.promises(kind, seed, width)
            assert kept["merge, untrained"]
            assert kept["merge, trained"] == (kind is not learned.MergeWithoutScale)

    @pytest.mark.parametrize(
        ("name", "fails"),
        [
            ("BothZero", {"learns"}),
            ("BothRandom", {"starts as the base"}),
            ("NotFrozen", {"base unchanged", "few parameters"}),
            ("MergeWithoutScale", {"merge, trained"}),
            ("FullRank", {"few parameters"}),
        ],
    )
    def test_each_wrong_version_fails_where_it_is_wrong(self, seed, width, name, fails):
        kept = learned.promises(getattr(learned, name), seed, width)
        assert {test for test, ok in kept.items() if not ok} == fails


class TestLearnedSomethingFastLayer:
    def test_each_gradient_has_the_other_matrix_as_a_factor(self):
        layer = learned.LoRALinear(nn.Linear(8, 8), rank=2)
        layer(torch.randn(4, 8)).sum().backward()
        assert layer.a.grad.count_nonzero() == 0 and layer.b.grad.count_nonzero() > 0
        both = learned.BothZero(nn.Linear(8, 8))
        both(torch.randn(4, 8)).sum().backward()
        assert both.a.grad.count_nonzero() == both.b.grad.count_nonzero() == 0

    def test_merging_leaves_the_base_and_the_update_as_they_were(self):
        layer = learned.LoRALinear(nn.Linear(6, 10), rank=3)
        layer.b.data.normal_()
        before, x = layer.base.weight.clone(), torch.randn(5, 6)
        torch.testing.assert_close(layer.merged()(x), layer(x))
        assert torch.equal(layer.base.weight, before) and layer.merged().weight.shape == (10, 6)

    def test_in_bfloat16_the_merged_layer_differs_by_more_than_the_tolerance(self):
        torch.manual_seed(0)
        layer = learned.LoRALinear(nn.Linear(64, 64)).bfloat16()
        layer.b.data.normal_()
        x = torch.randn(32, 64, dtype=torch.bfloat16)
        assert not torch.allclose(layer.merged()(x), layer(x), atol=1e-4)

    def test_with_dropout_two_calls_differ_unless_in_eval_mode(self):
        model = nn.Sequential(learned.LoRALinear(nn.Linear(64, 64)), nn.Dropout())
        x = torch.randn(4, 64)
        assert not torch.equal(model(x), model(x))
        model.eval()
        assert torch.equal(model(x), model(x))
