"""Every claim of docs/mid/modeling/vit-patches.md, proven beyond the example shown."""

import functools

import pytest
import torch
from torch import nn
from torch.nn.functional import interpolate, scaled_dot_product_attention, unfold
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

page = load_snippet("mid/modeling/vit_patches.py")
cost = load_snippet("mid/modeling/vit_patches_cost.py")
positions = load_snippet("mid/modeling/vit_patches_positions_broken.py")
count = functools.cache(cost.cost)


class TestPatches:
    @pytest.mark.parametrize(("c", "h", "w", "p"), [(1, 4, 6, 2), (3, 12, 8, 4), (2, 9, 9, 3)])
    def test_they_are_what_a_strided_convolution_and_unfold_see(self, c, h, w, p):
        torch.manual_seed(1)
        image, conv = torch.randn(2, c, h, w).double(), nn.Conv2d(c, 5, p, stride=p).double()
        patches = page.patchify(image, p)
        torch.testing.assert_close(patches, unfold(image, p, stride=p).mT)
        out = patches @ conv.weight.flatten(1).T + conv.bias
        torch.testing.assert_close(out, conv(image).flatten(2).mT)
        wrong = image.reshape(patches.shape)
        assert wrong.shape == patches.shape and not wrong.equal(patches)

    def test_a_plain_reshape_of_224_pixels_is_three_and_a_half_rows_of_red(self):
        image = torch.arange(3 * 224 * 224).view(1, 3, 224, 224)
        first = image.reshape(1, 196, 768)[0, 0]
        assert 16 * 16 * 3 == 768 and 3.4 < 768 / 224 < 3.5
        assert (first // 224**2 == 0).all() and (first // 224).unique().tolist() == [0, 1, 2, 3]

    def test_an_image_of_230_pixels_loses_6_rows_or_raises(self):
        image, conv = torch.randn(1, 3, 230, 230), nn.Conv2d(3, 4, 16, stride=16)
        assert conv(image).equal(conv(image[..., :224, :224]))
        with pytest.raises(RuntimeError, match="invalid for input of size"):
            page.patchify(image, 16)

    def test_one_output_of_the_patch_layer_sees_one_patch(self):
        image = torch.randn(1, 1, 8, 8, requires_grad=True)
        out = nn.Conv2d(1, 3, 4, stride=4)(image)
        (grad,) = torch.autograd.grad(out[0, :, 1, 0].sum(), image)
        seen = torch.zeros(8, 8, dtype=torch.bool)
        seen[4:, :4] = True
        assert (grad[0, 0] != 0).equal(seen)

    def test_channels_last_memory_needs_another_permute(self):
        image = torch.randn(1, 3, 8, 8)
        stored = image.permute(0, 2, 3, 1)  # height, width, channels
        assert not stored.reshape(1, 3, 8, 8).equal(image)
        assert page.patchify(stored.permute(0, 3, 1, 2), 4).equal(page.patchify(image, 4))


class TestCost:
    @pytest.mark.parametrize(("side", "billions"), [(224, 17.6), (384, 55.5)])
    def test_it_is_torchvisions_number_of_operations(self, side, billions):
        assert round(count(side, 16)[1] / 1e9, 1) == billions

    @pytest.mark.parametrize(("side", "patch"), [(224, 32), (64, 8), (320, 16)])
    def test_the_formula_of_a_layer_is_the_count(self, side, patch):
        n, total, scores, model = count(side, patch)
        d, patches = 768, (side // patch) ** 2
        assert n == patches + 1
        assert scores == 12 * 2 * n * n * d
        rest = patches * d * 3 * patch**2 + d * 1000
        assert total == 12 * (12 * n * d**2 + 2 * n * n * d) + rest
        linear = [m for m in model.layers[0].modules() if isinstance(m, nn.Linear)]
        assert sum(m.weight.numel() for m in linear) == 12 * d**2

    def test_doubling_the_side_costs_4_5_times_at_224_and_10_times_at_1088(self):
        def ratio(n, d):
            return (4 + 16 * n / (6 * d)) / (1 + n / (6 * d))

        assert ratio(197, 768) == pytest.approx(4.5, abs=0.05)
        counted = count(448, 16)[1] / count(224, 16)[1]
        assert counted == pytest.approx(4.5, abs=0.05)
        assert count(2176, 16)[1] / count(1088, 16)[1] == pytest.approx(10, abs=0.1)
        assert 15.8 < (785 / 197) ** 2 < 16
        assert [6 * d for d in (768, 192)] == [4608, 1152]

    def test_with_patches_of_32_doubling_costs_four_times(self):
        small, large = count(224, 32), count(448, 32)
        assert large[1] / small[1] == pytest.approx(4, abs=0.07)
        assert small[2] / small[1] < 0.02

    def test_half_the_patch_costs_as_much_as_twice_the_side(self):
        assert count(224, 8)[1] / count(448, 16)[1] == pytest.approx(1, abs=0.01)

    def test_a_larger_image_adds_only_positions(self):
        small, large = count(224, 16)[3], count(448, 16)[3]
        before, after = (sum(p.numel() for p in m.parameters()) for m in (small, large))
        assert after - before == 588 * 768
        assert 0.0045 < (after - before) / before < 0.0055

    def test_attention_in_windows_costs_four_times(self):
        flops = []
        for n in (196, 784):
            q = torch.empty(n // 49, 12, 49, 64, device="meta")
            with FlopCounterMode(display=False) as counter:
                (q @ q.mT).softmax(-1) @ q
            flops.append(counter.get_total_flops())
        assert flops[1] == 4 * flops[0]

    def test_the_counted_layer_attends_as_pytorch_does(self):
        torch.manual_seed(0)
        layer, x = cost.Layer().eval(), torch.randn(2, 5, 768)
        q, k, v = layer.qkv(layer.norms[0](x)).chunk(3, dim=-1)
        heads = (z.unflatten(-1, (12, 64)).transpose(1, 2) for z in (q, k, v))
        y = x + layer.out(scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2))
        y = y + layer.down(nn.functional.gelu(layer.up(layer.norms[1](y))))
        torch.testing.assert_close(layer(x), y, rtol=1e-4, atol=1e-4)


class TestPositions:
    @staticmethod
    def places(h, w):
        return torch.cartesian_prod(torch.arange(float(h)), torch.arange(float(w)))

    @pytest.mark.parametrize(("old", "new"), [(14, 28), (7, 21), (14, 24)])
    def test_a_grid_keeps_rows_and_columns_and_a_line_does_not(self, old, new):
        places = self.places(old, old)
        true = (self.places(new, new) + 0.5) * old / new - 0.5
        grid, line = positions.resize_positions(places, old, new), positions.stretch(places, new)
        torch.testing.assert_close(grid, true.clamp(0, old - 1))
        assert line.shape == grid.shape
        assert (line - grid).abs().max() > old / 3

    def test_the_second_row_of_a_line_starts_in_the_middle_of_the_first(self):
        line = positions.stretch(self.places(14, 14), 28)
        assert line[28, 0] == 0 and 6 < line[28, 1] < 7.5

    def test_with_one_row_of_patches_a_line_is_right(self):
        line = interpolate(torch.arange(6.0)[None, None], 12, mode="linear", align_corners=False)
        grid = interpolate(torch.arange(6.0).view(1, 1, 1, 6), (1, 12), mode="bilinear", align_corners=False)
        torch.testing.assert_close(line[0, 0], grid[0, 0, 0])
