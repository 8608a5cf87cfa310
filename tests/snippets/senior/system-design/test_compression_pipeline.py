"""What docs/senior/system-design/compression-pipeline.md claims, proven beyond the example shown."""

import io
import re

import pytest
import torch
from torch import nn
from torch.nn.utils import prune

from warmup.testing import SNIPPETS, load_snippet

budget = load_snippet("senior/system-design/compression_pipeline.py")
stages = load_snippet("senior/system-design/compression_pipeline_stages.py")


@pytest.fixture(scope="module")
def trained():
    torch.manual_seed(1)
    order = torch.randperm(len(stages.IMAGES))
    data = stages.IMAGES[order[:1000]], stages.LABELS[order[:1000]]
    test = stages.IMAGES[order[1000:]], stages.LABELS[order[1000:]]
    return stages.train(stages.network(256), *data, seed=1), data, test


def file_bytes(module):
    buffer = io.BytesIO()
    torch.save(module.state_dict(), buffer)
    return len(buffer.getvalue())


class TestCompressionPipeline:
    @pytest.mark.parametrize("width", [64, 256])
    def test_float32_bytes_are_those_of_the_real_network(self, width):
        real = sum(p.nbytes for p in stages.network(width).parameters())
        assert budget.size(width, 4) == real and (width != 256 or real == 4 * 85_002)

    def test_only_width_or_many_zeros_reach_ten_times(self):
        ten = {name for name, count in budget.rows.items() if budget.base / count >= 10}
        assert ten == {"80% zeros, int8, one bit each", "width 128, int8", "width 64, int8"}
        assert pytest.approx(6.7, abs=0.05) == 4 / 0.6

    @pytest.mark.parametrize("zeros", [0.4, 0.45])
    def test_a_value_and_a_32_bit_index_per_weight_take_more_than_the_zeros_save(self, zeros):
        weight = torch.rand(256, 256)
        weight[weight < zeros] = 0
        assert weight.count_nonzero() * (4 + 4) > weight.nbytes

    def test_a_quarter_of_the_width_is_an_embedding_four_times_smaller(self):
        assert nn.Embedding(1000, 64).weight.nbytes == 4 * nn.Embedding(1000, 16).weight.nbytes

    @pytest.mark.parametrize("pruner", ["l1_unstructured", "ln_structured"])
    def test_pruned_zeros_do_not_make_the_file_smaller(self, pruner):
        layer = nn.Linear(128, 128)
        before = file_bytes(layer)
        options = {"n": 2, "dim": 0} if pruner == "ln_structured" else {}
        getattr(prune, pruner)(layer, "weight", amount=0.4, **options)
        assert {"weight_orig", "weight_mask"} < set(layer.state_dict()) and file_bytes(layer) > 1.8 * before
        prune.remove(layer, "weight")
        assert file_bytes(layer) == pytest.approx(before, rel=0.05) and layer.weight.shape == (128, 128)
        assert (layer.weight == 0).double().mean() == pytest.approx(0.4, abs=0.01)

    def test_the_interval_of_797_images_is_1_4_points(self):
        error = (0.96 * 0.04 / 797) ** 0.5
        assert error == pytest.approx(0.007, abs=0.0005) and 1.96 * error == pytest.approx(0.014, abs=0.0005)


class TestCompressionPipelineStages:
    def test_a_cut_network_falls_below_the_target_and_fine_tuning_brings_it_back(self, trained):
        teacher, data, test = trained
        full = stages.accuracy(teacher, *test)
        cut = stages.narrow(teacher, 64)
        assert stages.accuracy(cut, *test) < 0.9 * full
        stages.train(cut, *data, seed=1)
        rounded = stages.int8(cut)
        assert stages.accuracy(cut, *test) > 0.97 * full < stages.accuracy(rounded, *test) / 0.96
        assert stages.on_grid(rounded) and not stages.on_grid(cut)

    @pytest.mark.parametrize("steps", [1, 20])
    def test_training_moves_weights_off_the_grid(self, trained, steps):
        teacher, data, _ = trained
        rounded = stages.int8(teacher)
        assert stages.on_grid(rounded)
        assert not stages.on_grid(stages.train(rounded, *data, steps=steps))

    def test_narrow_keeps_the_function_if_the_other_units_are_dead(self):
        torch.manual_seed(0)
        model, x = stages.network(8), torch.randn(5, 64)
        with torch.no_grad():
            for layer in (model[0], model[2]):
                layer.weight[[1, 3, 4]] = 0
                layer.bias[[1, 3, 4]] = 0
        torch.testing.assert_close(stages.narrow(model, 5)(x), model(x))

    @pytest.mark.parametrize("rows", [3, 40])
    def test_int8_changes_a_weight_by_half_a_step_at_most(self, rows):
        torch.manual_seed(rows)
        model = nn.Sequential(nn.Linear(16, rows))
        step = model[0].weight.abs().amax(1, keepdim=True) / 127
        assert ((stages.int8(model)[0].weight - model[0].weight).abs() <= step * 0.5001).all()


class TestCompressionPipelineCalibration:
    @pytest.mark.parametrize("seed", [2, 3])
    def test_limits_too_low_are_seen_at_the_limit_and_too_high_ones_are_not(self, capsys, seed):
        path = SNIPPETS / "senior/system-design/compression_pipeline_calibration_broken.py"
        threads = torch.get_num_threads()
        exec(path.read_text().replace("manual_seed(0)", f"manual_seed({seed})"), {"__name__": "another seed"})
        torch.set_num_threads(threads)
        found = re.findall(r"(.*?) +accuracy (\S+) +inputs at the limit (\S+)", capsys.readouterr().out)
        accuracy, limit = ({name: float(row[i]) for name, *row in found} for i in (0, 1))
        assert accuracy["float32"] - accuracy["100 ordinary images"] < 0.02
        assert accuracy["dark images"] < accuracy["float32"] - 0.04
        assert accuracy["one not scaled"] < accuracy["float32"] - 0.04
        assert limit["dark images"] > 0.08 and limit["one not scaled"] < 0.001
