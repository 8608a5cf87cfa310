"""Every claim of docs/mid/modeling/in-batch-negatives.md, proven beyond the example shown."""

import pytest
import torch
from torch import Tensor

from warmup.testing import load_snippet

masked = load_snippet("mid/modeling/in_batch_negatives_masked_broken.py")
towers = load_snippet("mid/modeling/in_batch_negatives_towers.py")


def users(n: int, items: int, seed: int = 0) -> Tensor:
    torch.manual_seed(seed)
    return torch.randn(n, items, dtype=torch.float64).softmax(dim=1)


def minimize(loss, shape, steps=180, lr=6.0) -> Tensor:
    scores = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
    for _ in range(steps):
        (grad,) = torch.autograd.grad(loss(scores), scores)
        with torch.no_grad():
            scores -= lr * grad
    return scores.detach()


def in_batch(p: Tensor, q: Tensor, size: int, positive: Tensor, negative: Tensor):
    """The expected loss of one user, with one correction for each side of the row."""
    batch = torch.cartesian_prod(*[torch.arange(len(p))] * size)
    chance = p[batch[:, 0]] * q[batch[:, 1:]].prod(dim=1)

    def loss(scores):
        logits = torch.cat([(scores - positive)[batch[:, :1]], (scores - negative)[batch[:, 1:]]], dim=1)
        return -(chance * logits.log_softmax(dim=1)[:, 0]).sum()

    return loss


class TestWhatIsLearned:
    @pytest.mark.parametrize("size", [2, 4])
    @pytest.mark.parametrize("items", [3, 4])
    def test_plain_scores_learn_p_over_q_and_corrected_ones_p(self, items, size):
        p = users(2, items)
        q, none = p.mean(dim=0), torch.zeros(items).double()
        plain = minimize(in_batch(p[0], q, size, none, none), (items,)).softmax(dim=0)
        torch.testing.assert_close(plain, (p[0] / q) / (p[0] / q).sum(), rtol=0, atol=1e-3)
        corrected = minimize(in_batch(p[0], q, size, q.log(), q.log()), (items,)).softmax(dim=0)
        torch.testing.assert_close(corrected, p[0], rtol=0, atol=1e-3)

    def test_the_pages_numbers_in_the_head(self):
        p, q = torch.tensor([0.6, 0.3, 0.1]), torch.tensor([0.6, 0.2, 0.2])
        torch.testing.assert_close(p / q, torch.tensor([1.0, 1.5, 0.5]))

    @pytest.mark.parametrize("weight", [0.3, 1.0], ids=["mixture", "uniform"])
    def test_the_correction_uses_the_distribution_of_the_negatives(self, weight):
        p = users(2, 4, seed=3)
        q = (1 - weight) * p.mean(dim=0) + weight / 4
        corrected = minimize(in_batch(p[0], q, 3, q.log(), q.log()), (4,)).softmax(dim=0)
        torch.testing.assert_close(corrected, p[0], rtol=0, atol=1e-3)
        none = torch.zeros(4).double()
        plain = minimize(in_batch(p[0], q, 3, none, none), (4,)).softmax(dim=0)
        assert torch.allclose(plain, p[0], atol=1e-3) == (weight == 1)

    @pytest.mark.parametrize("size", [3, 4])
    def test_correcting_only_the_negatives_is_not_log_p(self, size):
        p = users(2, 4, seed=1)
        q = p.mean(dim=0)
        half = minimize(in_batch(p[0], q, size, torch.zeros(4).double(), q.log()), (4,)).softmax(dim=0)
        assert (half - p[0]).abs().max() > 0.02

    @pytest.mark.parametrize("size", [2, 3])
    def test_both_directions_still_learn_pmi(self, size):
        joint = users(3, 4, seed=2) / 3  # users are equally frequent
        user, item = joint.sum(dim=1), joint.sum(dim=0)
        others_i = torch.cartesian_prod(*[torch.arange(4)] * size)
        others_u = torch.cartesian_prod(*[torch.arange(3)] * size)

        def loss(scores):
            total = 0.0
            for u in range(3):
                chance = joint[u][others_i[:, 0]] * item[others_i[:, 1:]].prod(dim=1)
                total -= (chance * scores[u][others_i].log_softmax(dim=1)[:, 0]).sum()
            for i in range(4):
                chance = joint[:, i][others_u[:, 0]] * user[others_u[:, 1:]].prod(dim=1)
                total -= (chance * scores[:, i][others_u].log_softmax(dim=1)[:, 0]).sum()
            return total

        scores = minimize(loss, (3, 4), lr=6.0)
        pmi = (joint / user[:, None] / item).log()
        torch.testing.assert_close(scores - scores.mean(), pmi - pmi.mean(), rtol=0, atol=5e-3)

    def test_two_towers_on_sampled_batches(self):
        torch.manual_seed(1)
        popular = torch.arange(1, towers.ITEMS + 1).double() ** -1
        taste = torch.randn(towers.USERS, 2).double() @ torch.randn(2, towers.ITEMS).double() / 2
        p = (popular.log() + taste).softmax(dim=1)
        q = p.mean(dim=0)
        targets = [towers.centered(x.log()) for x in (p / q, p)]
        fits, tops = [], []
        for correction in (0 * q, q.log()):
            scores = towers.centered(towers.train(p, correction))
            fits.append([towers.correlation(scores, t).item() for t in targets])
            tops.append(q[scores.argmax(dim=1)].mean())
        assert fits[0][0] > 0.9 > fits[0][1] + 0.1
        assert fits[1][1] > 0.95 > fits[1][0] + 0.1
        assert tops[1] > 2 * tops[0]


class TestMasking:
    def test_it_lifts_the_most_frequent_item_more_in_a_larger_batch(self):
        p, q = torch.tensor([[0.5, 0.3, 0.2], [0.4, 0.3, 0.3]]).double()
        shares = [masked.learned(p, q, size, True)[0].item() for size in (2, 3, 4)]
        assert shares[0] == pytest.approx(0.5, abs=1e-3)
        assert shares[0] + 0.01 < shares[1] < shares[2] - 0.01
        for size in (2, 4):
            torch.testing.assert_close(masked.learned(p, q, size, False), p, rtol=0, atol=1e-3)

    @pytest.mark.parametrize(("largest", "change"), [(0.03, "small"), (0.4, "large")])
    def test_it_does_little_if_each_item_is_a_small_part_of_a_users_clicks(self, largest, change):
        # A large batch: the row holds q of each item, without the positive's own.
        p = torch.full((60,), 1.0, dtype=torch.float64)
        p[0] = 59 * largest / (1 - largest)
        p = p / p.sum()
        q = (p + 1 / 60) / 2
        assert p.max() == pytest.approx(largest)

        def loss(scores):
            others = (~torch.eye(60, dtype=torch.bool)).double()
            return -(p * (scores - (others @ scores.exp()).log())).sum()  # corrected: q cancels

        learned = minimize(loss, (60,), steps=800).softmax(dim=0)
        distance = (learned - p).abs().sum().item() / 2
        assert distance < 0.002 if change == "small" else distance > 0.05, (distance, q.max())


def test_serving_minus_log_q_is_pmi_again_and_one_coordinate_holds_it():
    p = users(3, 5)
    q = p.mean(dim=0)
    torch.testing.assert_close(p.log() - q.log(), (p / q).log())
    user, item = torch.randn(3, 4).double(), torch.randn(5, 4).double()
    longer = torch.cat([user, torch.ones(3, 1).double()], 1) @ torch.cat([item, -0.5 * q.log()[:, None]], 1).T
    torch.testing.assert_close(longer, user @ item.T - 0.5 * q.log())


def test_an_item_in_no_batch_gets_no_gradient():
    item = torch.randn(5, 4, requires_grad=True)
    logits = torch.randn(3, 4) @ item[torch.tensor([0, 2, 3])].T
    torch.nn.functional.cross_entropy(logits, torch.arange(3)).backward()
    assert item.grad[[0, 2, 3]].any(dim=1).all() and not item.grad[[1, 4]].any()


def test_a_constant_correction_changes_nothing():
    logits = torch.randn(4, 6, dtype=torch.float64)
    torch.testing.assert_close((logits - torch.tensor(0.01).log()).softmax(dim=1), logits.softmax(dim=1))


@pytest.mark.parametrize(("size", "in_every_batch"), [(10, False), (400, True)])
def test_the_mean_of_the_steps_between_batches_stops_at_1_unless_copies_count(size, in_every_batch):
    torch.manual_seed(0)
    counts = torch.distributions.Binomial(size, torch.tensor(0.03)).sample((20_000,))
    seen = counts.nonzero()[:, 0].diff().double()  # steps from one batch with the item to the next one
    copies = torch.cat([seen, torch.zeros(int((counts[1:] - 1).clamp(min=0).sum()))])
    assert 1 / copies.mean() == pytest.approx(0.03 * size, rel=0.05)
    assert (1 / seen.mean() < 0.1 * 0.03 * size) == in_every_batch
    assert 1 / seen.mean() <= 1


@pytest.mark.parametrize(("temperature", "reaches"), [(1.0, False), (0.05, True)])
def test_normalized_vectors_need_a_small_temperature_for_log_p(temperature, reaches):
    p = torch.tensor([0.9, 0.06, 0.04]).double()
    cosines = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    for _ in range(3000):
        logits = cosines.tanh() / temperature
        (grad,) = torch.autograd.grad(-(p * logits.log_softmax(dim=0)).sum(), cosines)
        with torch.no_grad():
            cosines -= (5.0 if temperature == 1 else 0.02) * grad
    learned = (cosines.detach().tanh() / temperature).softmax(dim=0)
    assert (abs(learned[0] - p[0]) < 0.01) == reaches
