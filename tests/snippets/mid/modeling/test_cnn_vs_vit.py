"""Every claim that docs/mid/modeling/cnn-vs-vit.md makes, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

run = load_snippet("mid/modeling/cnn_vs_vit_data.py")
cost = load_snippet("mid/modeling/cnn_vs_vit_cost.py")


class TestCnnVsVit:
    @pytest.mark.parametrize("batch", [1, 5])
    @pytest.mark.parametrize("train", [False, True])
    def test_the_block_is_the_encoder_layer_of_torch_on_shared_weights(self, batch, train):
        vit = run.ViT()
        theirs = nn.TransformerEncoderLayer(
            24, 2, 48, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        ).train(train)
        shared = {
            "self_attn.in_proj": vit.qkv,
            "self_attn.out_proj": vit.out,
            "linear1": vit.up,
            "linear2": vit.down,
            "norm1": vit.norms[0],
            "norm2": vit.norms[1],
        }
        state = {}
        for name, layer in shared.items():
            joint = "_" if name.endswith("in_proj") else "."
            state |= {f"{name}{joint}weight": layer.weight, f"{name}{joint}bias": layer.bias}
        theirs.load_state_dict(state)
        x = torch.randn(batch, 9, 24)
        torch.testing.assert_close(vit.encode(x), theirs(x), atol=1e-5, rtol=1e-4)

    def test_the_patches_are_those_of_a_convolution_with_the_stride_of_its_kernel(self):
        vit, x = run.ViT(), torch.randn(3, 12, 12)
        conv = nn.Conv2d(1, 24, 4, stride=4)
        conv.load_state_dict({"weight": vit.patch.weight.view(24, 1, 4, 4), "bias": vit.patch.bias})
        ours = vit.patch(x.unfold(-2, 4, 4).unfold(-2, 4, 4).flatten(-2).flatten(-3, -2))
        torch.testing.assert_close(ours, conv(x[:, None]).flatten(2).mT)

    def test_both_have_about_five_thousand_parameters(self):
        for build in (run.CNN, run.ViT):
            assert sum(p.numel() for p in build().parameters()) == pytest.approx(5000, rel=0.15)

    @pytest.mark.parametrize("shift", [1, 3])
    def test_a_convolution_follows_away_from_the_border_and_not_at_it_with_zero_padding(self, shift):
        conv, x = nn.Conv2d(1, 4, 3, padding=1), torch.randn(1, 1, 16, 16)
        moved, expected = conv(x.roll(shift, -1)), conv(x).roll(shift, -1)
        torch.testing.assert_close(moved[..., shift + 1 : -1], expected[..., shift + 1 : -1])
        assert not torch.allclose(moved, expected, atol=1e-3)

    @pytest.mark.parametrize("layer", [nn.Conv2d(1, 4, 2, stride=2), nn.MaxPool2d(2)])
    def test_a_stride_follows_even_shifts_only(self, layer):
        x = torch.randn(1, 1, 16, 16)
        torch.testing.assert_close(layer(x.roll(2, -1)), layer(x).roll(1, -1))
        assert not torch.allclose(layer(x).mean((2, 3)), layer(x.roll(1, -1)).mean((2, 3)))

    def test_without_positions_the_vit_is_invariant_to_moves_by_a_patch_and_not_by_a_pixel(self):
        vit, x = run.ViT(), torch.randn(2, 12, 12)
        assert not torch.allclose(vit(x), vit(x.roll(4, -1)), atol=1e-5)
        nn.init.zeros_(vit.place)
        torch.testing.assert_close(vit(x), vit(x.roll(4, -1)), atol=1e-5, rtol=1e-4)
        assert not torch.allclose(vit(x), vit(x.roll(1, -1)), atol=1e-4)

    @pytest.mark.parametrize("columns", [16, 24])
    def test_a_patch_that_enters_changes_all_cells_of_the_vit_and_only_the_border_of_a_convolution(self, columns):
        wide = torch.randn(1, 1, 16, columns + 4)
        before, after = wide[..., :-4], wide[..., 4:]  # the image moves by one patch of 4 pixels
        patches, conv = nn.Conv2d(1, 16, 4, stride=4), nn.Conv2d(1, 4, 3, padding=1)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)

        def vit(x):
            return layer(patches(x).flatten(2).mT).mT.unflatten(-1, (4, -1))

        same = torch.isclose(vit(before)[..., 1:], vit(after)[..., :-1], atol=1e-5).all(dim=1)
        assert not same.any()
        torch.testing.assert_close(patches(before)[..., 1:], patches(after)[..., :-1])
        torch.testing.assert_close(vit(before.roll(4, -1)), vit(before).roll(1, -1), atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(conv(before)[..., 5:-1], conv(after)[..., 1:-5])

    @pytest.mark.parametrize("side", [224, 320])
    def test_twice_the_side_is_sixteen_times_the_attention_and_four_times_the_linear_layers(self, side):
        def flops(side):
            x, image = torch.empty((side // 16) ** 2, 768), torch.empty(1, 64, side // 4, side // 4)
            attention = cost.billions(lambda x: x @ x.T @ x, x)
            return attention, cost.billions(lin, x), cost.billions(conv, image)

        with torch.device("meta"):
            lin, conv = nn.Linear(768, 768), nn.Conv2d(64, 64, 3, padding=1)
            once, twice = flops(side), flops(2 * side)
        assert [b / a for a, b in zip(once, twice, strict=True)] == pytest.approx([16, 4, 4])

    def test_the_shown_linear_layers_have_the_weights_of_an_encoder_layer(self):
        with torch.device("meta"):
            layer = nn.TransformerEncoderLayer(768, 12, 3072)
        theirs = sum(p.numel() for p in layer.parameters() if p.ndim == 2)
        assert sum(p.numel() for p in cost.linears.parameters() if p.ndim == 2) == theirs

    def test_train_and_test_share_no_image_and_digits_move(self):
        x, y, test, truth = run.split(0, 20)
        assert x.shape == (20, 12, 12) and test.shape == (200, 12, 12) and set(y.tolist()) <= {0, 1, 2}
        assert truth.shape == (200,)
        inner = torch.cat([x, test])
        assert ((inner > -1).sum(dim=(1, 2)) <= 64).all()

    def test_the_cnn_is_ahead_from_another_seed_too(self):
        torch.set_num_threads(1)
        torch.manual_seed(3)
        cnn, vit = (run.accuracies(build, 80, [0.01], seeds=1, steps=40) for build in (run.CNN, run.ViT))
        assert cnn.min() > vit.max() + 0.05
