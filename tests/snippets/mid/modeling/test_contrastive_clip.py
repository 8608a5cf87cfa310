"""Every claim of docs/mid/modeling/contrastive-clip.md, proven beyond the example shown."""

import math

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

page = load_snippet("mid/modeling/contrastive_clip.py")
ranks = load_snippet("mid/modeling/contrastive_clip_ranks_broken.py")
cached = load_snippet("mid/modeling/contrastive_clip_two_passes.py")


def batch(b=24, c=16, seed=1, alike=1.0):
    torch.manual_seed(seed)
    image, text, weight = (torch.randn(n, c, dtype=torch.float64) for n in (b, b, c))
    scale = torch.tensor(math.log(1 / 0.07), dtype=torch.float64)
    return alike * image, image + text, weight.requires_grad_(), scale.requires_grad_()


def cosine(a, b):
    return F.cosine_similarity(a.flatten(), b.flatten(), dim=0).item()


def accumulated(loss, image, text, weight, size):
    parts = zip((image @ weight).split(size), (text @ weight).split(size), strict=True)
    return torch.autograd.grad(torch.stack([loss(i, t) for i, t in parts]).mean(), weight)[0]


def siglip(image, text):
    """Zhai et al.: a sigmoid per pair, the sum divided by the number of images."""
    image, text = F.normalize(image, dim=1), F.normalize(text, dim=1)
    signs = 2 * torch.eye(len(image), dtype=image.dtype) - 1
    return -F.logsigmoid(signs * (10 * image @ text.T - 10)).sum() / len(image)


class TestTheLoss:
    @pytest.mark.parametrize("b", [2, 9])
    def test_it_is_the_mean_of_both_cross_entropies_over_cosines(self, b):
        image, text, _, scale = batch(b)
        expected = 0.0
        for i in range(b):
            for own, others in ((image, text), (text, image)):
                cosines = F.cosine_similarity(own[i : i + 1], others)
                expected += (-scale.exp() * cosines).exp().reciprocal().sum().log() - scale.exp() * cosines[i]
        torch.testing.assert_close(page.clip_loss(image, text, scale), expected / (2 * b))

    @pytest.mark.parametrize(("b", "loss"), [(256, 5.5), (32_768, 10.4)])
    def test_equal_similarities_cost_log_b(self, b, loss):
        assert round(math.log(b), 1) == loss
        same = torch.ones(64, 8)
        assert math.isclose(page.clip_loss(same, same, torch.tensor(2.0)).item(), math.log(64), rel_tol=1e-4)

    def test_the_logits_of_32768_pairs_are_4_gib(self):
        logits = torch.empty(32768, 32768, device="meta")
        assert logits.numel() * logits.element_size() == 4 * 2**30

    def test_the_embeddings_of_32768_pairs_are_64_mib(self):
        assert 32_768 * 512 * 4 == 64 * 2**20

    @pytest.mark.parametrize("b", [2, 16])
    def test_a_wrong_caption_has_much_gradient_before_training_and_hardly_any_if_it_is_easy(self, b):
        for margin, low, high in ((0.0, 0.5, 1.0), (10.0, 0.0, 0.001)):
            logits = (margin * torch.eye(b)).requires_grad_()
            F.cross_entropy(logits, torch.arange(b)).backward()
            wrong = logits.grad.masked_fill(torch.eye(b, dtype=torch.bool), 0).sum(1) * b  # of one image
            assert (low <= wrong).all() and (wrong <= high).all()


class TestAccumulation:
    @pytest.mark.parametrize("alike", [0.0, 1.0], ids=["unrelated", "matching"])
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_smaller_micro_batches_turn_the_gradient_further(self, seed, alike):
        image, text, weight, scale = batch(32, 32, seed, alike)
        if not alike:
            image = torch.randn_like(text)
        grads = [accumulated(lambda i, t: page.clip_loss(i, t, scale), image, text, weight, n) for n in (32, 8, 2, 1)]
        cosines = [cosine(g, grads[0]) for g in grads]
        assert cosines[1] < 0.97 and cosines[2] < cosines[1] - 0.05
        assert not grads[3].any()

    @pytest.mark.parametrize("seed", [1, 2])
    def test_one_pair_has_loss_zero_and_gradient_zero(self, seed):
        image, text, weight, scale = batch(1, 16, seed)
        loss = page.clip_loss(image @ weight, text @ weight, scale)
        assert loss == 0
        assert not any(g.any() for g in torch.autograd.grad(loss, (weight, scale)))

    def test_four_blocks_of_8_have_224_of_992_wrong_pairs(self):
        assert (4 * 8 * 7, 32 * 31) == (224, 992)
        assert (4 * 2 * 1, 8 * 7) == (8, 56)

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_the_hardest_wrong_caption_of_a_small_batch_is_easier(self, seed):
        image, text, weight, _ = batch(32, 32, seed)
        cosines = F.normalize(image @ weight, dim=1) @ F.normalize(text @ weight, dim=1).T
        wrong = cosines.masked_fill(torch.eye(32, dtype=torch.bool), -2.0)
        block = torch.arange(32) // 4
        near = wrong.masked_fill(block[:, None] != block, -2.0)
        assert near.max(1).values.mean() < wrong.max(1).values.mean() - 0.1

    @pytest.mark.parametrize("size", [4, 12])
    def test_siglips_sum_over_pairs_is_not_accumulated_either_but_its_blocks_add_up(self, size):
        image, text, weight, _ = batch(24)
        whole = torch.autograd.grad(siglip(image @ weight, text @ weight), weight)[0]
        assert (accumulated(siglip, image, text, weight, size) - whole).norm() > 0.05 * whole.norm()
        a, b = F.normalize(image @ weight, dim=1), F.normalize(text @ weight, dim=1)
        total = 0.0
        for i in range(0, 24, size):
            for j in range(0, 24, size):
                signs = 2 * torch.eye(24, dtype=a.dtype)[i : i + size, j : j + size] - 1
                total += -F.logsigmoid(signs * (10 * a[i : i + size] @ b[j : j + size].T - 10)).sum() / 24
        torch.testing.assert_close(total, siglip(image @ weight, text @ weight))

    @pytest.mark.parametrize("size", [1, 6])
    def test_with_a_fixed_queue_of_negatives_it_is_exact(self, size):
        image, text, weight, scale = batch(24)
        queue = F.normalize(torch.randn(40, 16, dtype=torch.float64), dim=1)

        def loss(i, t):
            i, t = F.normalize(i, dim=1), F.normalize(t, dim=1)
            logits = scale.exp() * torch.cat([(i * t).sum(1, keepdim=True), i @ queue.T], dim=1)
            return F.cross_entropy(logits, torch.zeros(len(i), dtype=torch.long))

        whole = torch.autograd.grad(loss(image @ weight, text @ weight), weight)[0]
        torch.testing.assert_close(accumulated(loss, image, text, weight, size), whole)


class TestRanks:
    @pytest.mark.parametrize("n", [2, 3, 8])
    def test_which_gather_gives_the_gradient_of_the_whole_batch(self, n):
        data = batch(24)
        loss = page.clip_loss(data[0] @ data[2], data[1] @ data[2], data[3])
        full, full_scale = torch.autograd.grad(loss, data[2:])
        for pairs in ("own", "all"):
            grad, scale = ranks.ddp_gradient(*data, n, pairs, "gradient")
            torch.testing.assert_close((grad, scale), (full, full_scale))
        grad, scale = ranks.ddp_gradient(*data, n, "own", "detached")
        assert 0.5 < cosine(grad, full) < 0.995
        torch.testing.assert_close(scale, full_scale)
        grad, scale = ranks.ddp_gradient(*data, n, "all", "detached")
        torch.testing.assert_close(grad * n, full)
        torch.testing.assert_close(scale, full_scale)
        # Summed over the ranks: the towers are right, the scale is too large.
        torch.testing.assert_close(scale * n, full_scale * n)

    @pytest.mark.parametrize("n", [2, 4])
    def test_own_pairs_take_1_of_n_cross_entropies_and_2_of_n_logits(self, n):
        image, text = torch.randn(2, 16, 8)
        own = 16 // n
        rows, columns = image[:own] @ text.T, text[:own] @ image.T
        everything = image @ text.T  # its transpose serves the captions
        assert (len(rows) + len(columns)) * n == 2 * len(everything)
        assert (rows.numel() + columns.numel()) * n == 2 * everything.numel()

    def test_a_plain_all_gather_returns_no_graph(self):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        try:
            features = torch.ones(2, 3, requires_grad=True) * 2
            gathered = [torch.zeros(2, 3)]
            dist.all_gather(gathered, features)
        finally:
            dist.destroy_process_group()
        assert gathered[0].equal(features) and not gathered[0].requires_grad


class TestTwoPasses:
    @staticmethod
    def towers(*extra):
        torch.manual_seed(3)
        return [nn.Sequential(nn.Linear(16, 8), *extra, nn.GELU(), nn.Linear(8, 6)).double() for _ in range(2)]

    @staticmethod
    def gradients(towers, run):
        weights = [p for t in towers for p in t.parameters()]
        for w in weights:
            w.grad = None
        run()
        return [w.grad.clone() for w in weights]

    @pytest.mark.parametrize("size", [1, 5, 24])
    @pytest.mark.parametrize("loss", [siglip, lambda i, t: page.clip_loss(i, t, torch.tensor(2.0))])
    def test_they_are_exact_for_other_sizes_and_losses(self, loss, size):
        image, text, _, _ = batch(24)
        towers = self.towers()
        whole = self.gradients(towers, lambda: loss(towers[0](image), towers[1](text)).backward())
        two = self.gradients(towers, lambda: cached.two_passes(loss, towers, (image, text), size))
        torch.testing.assert_close(two, whole)
        value = cached.two_passes(loss, towers, (image, text), size)
        torch.testing.assert_close(value, loss(towers[0](image), towers[1](text)).detach())

    def test_batch_norm_makes_them_inexact_and_layer_norm_does_not(self):
        image, text, _, _ = batch(24)
        for norm, exact in ((nn.BatchNorm1d(8), False), (nn.LayerNorm(8), True)):
            towers = self.towers(norm)
            whole = self.gradients(towers, lambda t=towers: siglip(t[0](image), t[1](text)).backward())
            two = self.gradients(towers, lambda t=towers: cached.two_passes(siglip, t, (image, text), 6))
            assert all(torch.allclose(a, b) for a, b in zip(whole, two, strict=True)) == exact

    def test_batch_norm_has_the_same_features_in_both_passes_and_dropout_has_not(self):
        x = batch(24)[0]
        for extra, same in ((nn.BatchNorm1d(8), True), (nn.Dropout(0.5), False)):
            tower = self.towers(extra)[0]
            first, second = (torch.cat([tower(part) for part in x.split(6)]) for _ in range(2))
            assert first.equal(second) == same
            assert not torch.allclose(first, tower(x))  # the whole batch at once is another function

    def test_with_dropout_the_stored_random_state_makes_them_exact(self):
        image, text, _, _ = batch(24)
        towers = self.towers(nn.Dropout(0.5))

        def same_masks(tower):  # each micro-batch gets its own state, the same in both passes
            def run(part):
                torch.manual_seed(int(part.sum().item() * 1000))
                return tower(part)

            return run

        pair = image, text

        def whole():
            features = [torch.cat([same_masks(t)(p) for p in x.split(6)]) for t, x in zip(towers, pair, strict=True)]
            siglip(*features).backward()

        expected = self.gradients(towers, whole)
        for wrap, exact in ((same_masks, True), (lambda t: t, False)):
            run = [wrap(t) for t in towers]
            two = self.gradients(towers, lambda r=run: cached.two_passes(siglip, r, (image, text), 6))
            assert all(torch.allclose(a, b) for a, b in zip(expected, two, strict=True)) == exact


def test_clipping_sees_another_mixture_if_only_the_towers_gradient_is_divided():
    shares = []
    for factor in (1.0, 0.25):
        tower, scale = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(()))
        tower.grad, scale.grad = factor * torch.tensor([3.0, 4.0]), torch.tensor(2.0)
        nn.utils.clip_grad_norm_([tower, scale], 1.0)
        shares.append((tower.grad.norm() / scale.grad).item())
    assert shares == pytest.approx([2.5, 0.625])
