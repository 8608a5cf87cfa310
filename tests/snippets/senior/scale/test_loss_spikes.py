"""What docs/senior/scale/loss-spikes.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.nn.functional as F

from warmup.testing import load_snippet

main = load_snippet("senior/scale/loss_spikes.py")
shift = load_snippet("senior/scale/loss_spikes_shift_broken.py")


@pytest.fixture(scope="module", params=[(1, 10.0), (2, 30.0)], ids=["seed 1", "larger noise"])
def run(request):
    seed, noise = request.param
    task = main.Task(seed)
    saved = main.train(task, save_at=(10, 500))
    return task, saved, task.batch(), task.batch(noise=noise)


def rise(curve):
    return max(curve) / curve[0]


class TestLossSpikes:
    def test_the_bad_batch_makes_a_spike_in_the_late_state_only(self, run):
        task, saved, usual, bad = run
        assert rise(main.replay(task, saved[500], bad)) > 10
        assert rise(main.replay(task, saved[500], usual)) < 2
        assert rise(main.replay(task, saved[10], bad)) < 2

    def test_in_the_early_state_the_bad_batch_only_slows_the_fall(self, run):
        task, saved, usual, bad = run
        usually, slower = (main.replay(task, saved[10], batch) for batch in (usual, bad))
        assert max(slower) == slower[0] and 2 * usually[24] < slower[24] < 0.8 * slower[0]

    def test_the_gradient_norm_jumps_in_the_step_before_the_loss_does(self, run):
        task, saved, usual, bad = run
        norms = [main.step(saved[500], batch)[1] for batch in (usual, bad)]
        assert norms[1] > 20 * norms[0]
        curve = main.replay(task, saved[500], bad)
        assert curve[0] < 0.03  # measured before the step of the bad batch
        assert curve.index(max(curve)) > 2

    def test_clipping_above_the_usual_norm_or_skipping_removes_it(self, run):
        task, saved, usual, bad = run
        assert main.step(saved[500], usual)[1] < 1
        assert rise(main.replay(task, saved[500], bad, clip=1.0)) < 2

    @pytest.mark.parametrize("seed", [0, 3])
    @pytest.mark.parametrize("usually", [0.1, 0.5])
    def test_wherever_there_is_a_spike_clipping_and_a_smaller_beta2_make_it_smaller(self, seed, usually):
        task = main.Task(seed)
        usual = task.batch
        task.batch = lambda rows=32, noise=usually: usual(rows, noise)
        saved, small = (main.train(task, beta2=beta2)[800] for beta2 in (0.999, 0.95))
        bad = task.batch(noise=10.0)
        spike = max(main.replay(task, saved, bad))
        assert max(main.replay(task, saved, bad, clip=1.0)) < spike / 2
        assert max(main.replay(task, small, bad, beta2=0.95)) < spike / 2

    @pytest.mark.parametrize("seed", [0, 2])
    @pytest.mark.parametrize(("usually", "least", "most"), [(3.0, 1.0, 1.4), (0.1, 20, 100)])
    def test_if_the_usual_gradients_are_noisy_the_same_bad_batch_does_little(self, seed, usually, least, most):
        task = main.Task(seed)
        usual = task.batch
        task.batch = lambda rows=32, noise=usually: usual(rows, noise)
        for saved in main.train(task, save_at=(500, 800)).values():
            curves = [main.replay(task, saved, task.batch(noise=noise)) for noise in (usually, 10.0)]
            assert least < max(curves[1]) / max(curves[0]) < most

    def test_the_loss_comes_back_by_itself(self, run):
        task, saved, _, bad = run
        curve = main.replay(task, saved[500], bad, steps=300)
        assert curve[-1] < max(curve) / 5

    @pytest.mark.parametrize("times", [300.0, 10_000.0])
    def test_one_large_gradient_moves_a_weight_by_32_rates_or_by_6_with_a_smaller_beta2(self, times):
        for beta2, most in ((0.999, 32), (0.95, 6)):
            m, v, moved = 0.0, 1.0, 0.0  # after a long history of gradients of one size
            for t in range(60):
                g = times if t == 0 else (-1.0) ** t
                m, v = 0.9 * m + 0.1 * g, beta2 * v + (1 - beta2) * g * g
                moved += m / v**0.5
            assert 0.7 * most < moved < 1.1 * most

    def test_the_step_is_that_of_adam(self):
        for beta2 in (0.999, 0.95):
            task, state = main.Task(3), main.start()
            for t in range(1, 4):
                x, y = task.batch()
                g = 2 * x.T @ (x @ state[0] - y) / len(y)
                m = 0.9 * state[1] + 0.1 * g
                v = beta2 * state[2] + (1 - beta2) * g * g
                update = main.RATE * (m / (1 - 0.9**t)) / ((v / (1 - beta2**t)) ** 0.5 + 1e-8)
                after, norm = main.step(state, (x, y), beta2)
                torch.testing.assert_close(after[0], state[0] - update)
                assert norm == pytest.approx(g.norm().item()) and after[3] == t
                state = after


class TestShift:
    @pytest.mark.parametrize(("rows", "classes"), [(8, 10), (32, 300)])
    def test_the_loss_does_not_see_a_common_shift_and_z_loss_pulls_back(self, rows, classes):
        logits, labels = torch.randn(rows, classes).double(), torch.randint(classes, (rows,))
        first = F.cross_entropy(logits, labels)
        torch.testing.assert_close(F.cross_entropy(logits + 500, labels), first)
        for s in (3.0, 500.0):
            moved = logits + s
            moved.requires_grad_()
            F.cross_entropy(moved, labels).backward()
            assert abs(moved.grad.sum()) < 1e-12
            moved.grad = None
            shift.z_loss(moved).backward()
            expected = 2e-4 * moved.detach().logsumexp(1).mean()
            torch.testing.assert_close(moved.grad.sum(), expected)

    @pytest.mark.parametrize("big", [700.0, 1000.0])
    def test_bfloat16_rounds_a_logit_between_512_and_1024_to_a_multiple_of_4(self, big):
        logits = (torch.randn(1000) + big).bfloat16().float()
        assert (logits % 4 == 0).all()

    def test_softmax_gives_the_same_gradient_to_shifted_logits(self):
        labels = torch.tensor([1, 0])
        grads = []
        for s in (0.0, 40.0):
            z = (torch.tensor([[1.0, 2, 3], [0, -1, 4]], dtype=torch.double) + s).requires_grad_()
            F.cross_entropy(z, labels).backward()
            grads.append(z.grad)
        torch.testing.assert_close(grads[0], grads[1])
        assert grads[0].sum(1).abs().max() < 1e-12


class TestOneWrongRank:
    @pytest.mark.parametrize("ranks", [4, 8])
    def test_a_wrong_gradient_before_the_all_reduce_keeps_the_replicas_equal(self, ranks):
        weights = torch.zeros(ranks, 5).double()
        gradients = torch.ones(ranks, 5).double()
        gradients[1, 2] = 1e4  # one rank computes a wrong value
        weights -= 0.1 * gradients.mean(0)
        assert (weights == weights[0]).all()  # a checksum across ranks is silent
        norms = gradients.norm(dim=1)
        assert norms.argmax() == 1 and norms[1] > 1000 * norms[0]  # the local norm is not

    def test_a_wrong_sign_keeps_the_norm_and_changes_the_gradient(self):
        gradient = torch.tensor([3.0, -4.0])
        assert (-gradient).norm() == gradient.norm() and not torch.equal(-gradient, gradient)

    def test_a_wrong_weight_after_it_is_found_by_a_checksum(self):
        weights = torch.ones(4, 5).double()
        weights[3, 1] += 1e-9
        assert len(set(weights.sum(1).tolist())) == 2
