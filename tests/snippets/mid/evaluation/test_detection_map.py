"""Every claim of docs/mid/evaluation/detection-map.md, proven beyond the example shown."""

import pytest
import torch
from sklearn.metrics import average_precision_score

from warmup.testing import load_snippet

page = load_snippet("mid/evaluation/detection_map.py")
match = load_snippet("mid/evaluation/detection_map_match.py")
tight = load_snippet("mid/evaluation/detection_map_tight.py")


def random_hits(seed, n=30):
    return torch.rand(n, generator=torch.Generator().manual_seed(seed)) < 0.4


class TestDetectionMap:
    @pytest.mark.parametrize("seed", range(5))
    def test_it_is_the_area_below_the_best_precision_at_each_recall_or_a_higher_one(self, seed):
        hit, objects = random_hits(seed), 20
        found = hit.cumsum(0)
        precision, recall = found / torch.arange(1, 31), found / objects
        steps = torch.linspace(0, 1, 20_001)[1:]
        best = [precision[recall >= r - 1e-6].max().item() if (recall >= r - 1e-6).any() else 0 for r in steps]
        assert page.average_precision(hit, objects) == pytest.approx(sum(best) / 20_000, abs=1e-3)

    @pytest.mark.parametrize("seed", range(3))
    def test_without_interpolation_it_is_the_average_precision_of_a_ranking(self, seed):
        hit = random_hits(seed)
        plain = average_precision_score(hit, -torch.arange(30))
        assert page.average_precision(hit, int(hit.sum())) >= plain - 1e-6

    @pytest.mark.parametrize("false", [1, 10, 5000])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_false_boxes_below_the_last_hit_change_nothing(self, seed, false):
        hit = random_hits(seed)
        more = torch.cat([hit, torch.zeros(false, dtype=torch.bool)])
        assert page.average_precision(more, 20) == page.average_precision(hit, 20)

    @pytest.mark.parametrize("hits", [[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1]])
    def test_a_false_box_above_a_hit_lowers_it_and_costs_no_less_further_up(self, hits):
        values = []
        for place in range(len(hits)):
            worse = torch.tensor([*hits[:place], 0, *hits[place:]]) > 0
            values.append(page.average_precision(worse, 4))
        assert values == sorted(values)
        assert values[-1] < page.average_precision(torch.tensor(hits) > 0, 4)

    @pytest.mark.parametrize("seed", range(4))
    def test_a_threshold_never_raises_it_and_lowers_it_when_it_cuts_a_hit(self, seed):
        hit = random_hits(seed)
        last = hit.nonzero()[-1].item()
        values = [page.average_precision(hit[:n], 20) for n in range(1, 31)]
        assert values == sorted(values)
        assert page.average_precision(hit[:last], 20) < page.average_precision(hit, 20)

    def test_a_class_without_a_hit_has_zero(self):
        assert page.average_precision(torch.zeros(9, dtype=torch.bool), 3) == 0

    def test_a_class_without_an_object_has_no_value(self):
        value = page.average_precision(torch.zeros(3, dtype=torch.bool), 0)
        assert value != value

    @pytest.mark.parametrize("least", [0.5, 0.75])
    def test_each_object_counts_once(self, least):
        objects = torch.tensor([[0, 0, 10, 10], [20, 0, 30, 10]])
        boxes = objects[[0, 0, 1, 0]]
        assert match.hits(boxes, objects, least).tolist() == [True, False, True, False]

    @pytest.mark.parametrize(("width", "hit"), [(5, True), (4, False)])
    def test_a_box_is_a_hit_from_the_threshold_on(self, width, hit):
        objects = torch.tensor([[0, 0, 10, 10]])
        assert match.hits(torch.tensor([[0, 0, 10, width]]), objects, 0.5).tolist() == [hit]

    def test_a_second_box_on_a_found_object_takes_the_next_free_one(self):
        objects = torch.tensor([[0, 0, 10, 10], [2, 0, 12, 10]])
        boxes = torch.tensor([[0, 0, 10, 10], [0, 0, 10, 10]])
        assert match.hits(boxes, objects, 0.5).tolist() == [True, True]

    def test_matched_in_another_order_the_better_box_is_false(self):
        objects = torch.tensor([[0, 0, 10, 10]])
        loose, exact = torch.tensor([0, 0, 10, 7]), torch.tensor([0, 0, 10, 10])
        assert match.hits(torch.stack([loose, exact]), objects, 0.5).tolist() == [True, False]
        assert match.hits(torch.stack([exact, loose]), objects, 0.5).tolist() == [True, False]
        by_score, by_file = torch.tensor([True, False]), torch.tensor([False, True])
        assert page.average_precision(by_score, 1) > page.average_precision(by_file, 1)

    def test_the_mean_over_iou_thresholds_rewards_tight_boxes(self):
        results = {}
        for name, (found, overlap) in tight.MODELS.items():
            aps = [page.average_precision(torch.full((found,), overlap >= t), 100) for t in tight.THRESHOLDS]
            results[name] = aps[0], sum(aps) / 10
        assert results["A"][0] > results["B"][0] and results["A"][1] < results["B"][1]
        assert tight.THRESHOLDS[0] == 0.5 and tight.THRESHOLDS[-1] == pytest.approx(0.95)

    def test_what_the_alt_text_says_of_the_staircases(self):
        for hits, expected in (
            ([1, 0, 1, 1], [1, 1, 0.5, 2 / 3, 0.75]),
            ([1, 0, 0, 1, 1], [1, 1, 0.5, 1 / 3, 0.5, 0.6]),
        ):
            recall, precision = tight.stairs(torch.tensor(hits) > 0, 4)
            assert precision == pytest.approx(expected)
            assert recall[-1] == 0.75

    def test_one_box_moves_a_class_of_two_objects_by_a_half(self):
        values = [page.average_precision(torch.tensor(hits) > 0, 2) for hits in ([1, 0], [1, 1])]
        assert values == [0.5, 1.0]

    @pytest.mark.parametrize("offset", [101, 5000])
    def test_an_offset_per_class_takes_boxes_of_different_classes_apart(self, offset):
        generator = torch.Generator().manual_seed(0)
        low = torch.randint(50, (20, 2), generator=generator)
        boxes = torch.cat([low, low + torch.randint(1, 50, (20, 2), generator=generator)], dim=1)
        kind = torch.randint(3, (20,), generator=generator)
        moved = boxes + offset * kind[:, None]
        apart = kind[:, None] != kind
        size = moved[:, None, 2:].minimum(moved[:, 2:]) - moved[:, None, :2].maximum(moved[:, :2])
        assert (size.clamp(min=0).prod(dim=-1)[apart] == 0).all()
