"""What docs/senior/system-design/recommender.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

budget = load_snippet("senior/system-design/recommender.py")
versions = load_snippet("senior/system-design/recommender_versions_broken.py")
index = load_snippet("senior/system-design/recommender_index.py")


class TestRecommender:
    def test_the_parts_of_the_latency_add_up_to_150_and_15_of_them_are_slack(self):
        assert sum(budget.BUDGET_MS.values()) == 150
        assert budget.BUDGET_MS["slack"] == 15

    def test_two_stages_need_0_32_gpus_and_one_stage_5056(self):
        both = budget.RATE * (budget.retrieve + budget.rank) / budget.GPU
        assert both == pytest.approx(0.32, abs=0.005)
        assert budget.RATE * budget.ITEMS * budget.RANKER == 1e18
        assert pytest.approx(5056, abs=0.5) == 1e18 / budget.GPU
        assert budget.ITEMS / budget.CANDIDATES == 20_000
        assert budget.retrieve / budget.ITEMS == 256

    def test_fetching_features_is_20_gbit_per_second_and_keeping_them_10_gb(self):
        assert 8 * budget.RATE * budget.CANDIDATES * budget.FEATURES == 20e9
        assert budget.ITEMS * budget.FEATURES == 10e9

    def test_the_follow_ups_numbers_of_the_ranker(self):
        assert budget.RATE * 500 * 20e6 == 50e12 and budget.RATE * 500 * 1e6 == 2.5e12
        assert pytest.approx(25, abs=0.5) == budget.RATE * 500 * 2e9 / budget.GPU

    def test_one_pass_over_the_vectors_and_the_scores_of_64_requests(self):
        assert pytest.approx(0.76e-3, abs=5e-6) == 2 * budget.ITEMS * budget.WIDTH / 3.35e12
        assert 64 * budget.ITEMS * 2 == 1.28e9
        assert pytest.approx(3.8, abs=0.05) == budget.RATE * 2 * budget.ITEMS * budget.WIDTH / 3.35e12


class TestVersions:
    @pytest.mark.parametrize(("seed", "first", "second"), [(1, 4, 5), (2, 7, 8)])
    def test_two_trainings_do_not_share_coordinates(self, seed, first, second):
        data = versions.world(seed)
        old, new = versions.train(data, first), versions.train(data, second)
        for towers in (old, new):
            assert versions.recall(towers[0], towers[1], data) > 0.95
        assert versions.recall(new[0], old[1], data) < 0.2
        assert versions.recall(old[0], new[1], data) < 0.2

    def test_rotating_both_towers_leaves_every_product_and_rotating_one_does_not(self):
        user, item = torch.randn(5, 16, dtype=torch.double), torch.randn(7, 16, dtype=torch.double)
        turn, _ = torch.linalg.qr(torch.randn(16, 16, dtype=torch.double))
        torch.testing.assert_close((user @ turn) @ (item @ turn).T, user @ item.T)
        assert not torch.allclose((user @ turn) @ item.T, user @ item.T)

    def test_a_tower_that_is_fine_tuned_on_the_same_clicks_fits_the_old_index(self):
        data = versions.world(3)
        old = versions.train(data, 1)
        tuned = versions.train(data, 2, start=old)
        assert versions.recall(tuned[0], old[1], data) > 0.9
        assert any(not torch.equal(a, b) for a, b in zip(old.parameters(), tuned.parameters(), strict=True))

    @pytest.mark.parametrize("seed", [1, 2])
    def test_two_trainings_from_the_same_random_weights_nearly_fit(self, seed):
        data = versions.world(seed)
        torch.manual_seed(1)
        start = torch.nn.ModuleList(torch.nn.Linear(32, 16, bias=False) for _ in range(2))
        old, new = (versions.train(data, order, start=start) for order in (2, 3))
        assert versions.recall(new[0], old[1], data) > 0.9


class TestIndex:
    @pytest.mark.parametrize("seed", [1, 2])
    def test_one_list_suffices_for_clustered_and_ten_do_not_for_random_vectors(self, seed):
        found = {}
        for make in (index.random_vectors, index.clustered_vectors):
            vectors = make(8_100, seed)
            found[make.__name__] = index.curve(vectors[:8_000], vectors[8_000:], [1, 10])
        (_, one), (share, ten) = found["random_vectors"]
        assert one < 0.3 and ten < 0.75 and 0.05 < share < 0.15
        assert found["clustered_vectors"][0][1] > 0.9

    def test_random_queries_on_clustered_vectors_find_less_than_half_in_one_list(self):
        vectors = index.clustered_vectors(8_000, 1)
        (_, recall), (_, everything) = index.curve(vectors, index.random_vectors(100, 2), [1, 100])
        assert recall < 0.5 and everything == 1

    @pytest.mark.parametrize(("spread", "found"), [(1.0, 0.67), (1.5, 0.25)])
    def test_if_clusters_overlap_one_list_does_not_suffice(self, spread, found):
        vectors = index.clustered_vectors(8_100, 1, spread)
        ((_, recall),) = index.curve(vectors[:8_000], vectors[8_000:], [1])
        assert recall == pytest.approx(found, abs=0.06)

    def test_opening_every_list_is_exact_search(self):
        for make in (index.random_vectors, index.clustered_vectors):
            vectors = make(1_050, 3)
            assert index.curve(vectors[:1_000], vectors[1_000:], [100]) == [(1.0, 1.0)]
