import torch
import torch.nn.functional as F

WORDS, LENGTH = 200, 16  # word k and word k + 200 mean the same


def paraphrase(questions: torch.Tensor, every: int = 3) -> torch.Tensor:
    """Every third word is replaced by its synonym."""
    other = questions.clone()
    other[:, ::every] = (other[:, ::every] + WORDS) % (2 * WORDS)
    return other


def grams(questions: torch.Tensor, n: int) -> set[tuple[int, ...]]:
    rows = questions.tolist()
    return {tuple(row[i : i + n]) for row in rows for i in range(LENGTH - n + 1)}


def bags(questions: torch.Tensor) -> torch.Tensor:
    """How often each word is in each question."""
    counts = torch.zeros(len(questions), 2 * WORDS, dtype=torch.double)
    return counts.scatter_add(1, questions, torch.ones_like(counts[:, :LENGTH]))


def train(questions: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    """Weights of a linear model of a question's words, with four answers."""
    x, weight = bags(questions), torch.zeros(2 * WORDS, 4, dtype=torch.double)
    for _ in range(80):
        wrong = (x @ weight).softmax(1) - F.one_hot(answers, 4)
        weight -= 4.0 * x.T @ wrong / len(x)  # the gradient of the cross-entropy
    return weight


def experiment(seed: int = 0, pool: int = 1000, tests: int = 300) -> dict:
    """13-gram overlap, accuracy on the old test and on fresh questions."""
    torch.manual_seed(seed)
    meaning = torch.randn(WORDS, 4, dtype=torch.double)

    def answers(questions):
        return meaning[questions % WORDS].sum(1).argmax(1)

    def accuracy(weight, questions):
        right = (bags(questions) @ weight).argmax(1) == answers(questions)
        return right.double().mean().item()

    known, old, fresh = (
        torch.randint(2 * WORDS, (n, LENGTH)) for n in (pool, tests, 1000)
    )
    rows = {}
    for name, extra in (
        ("other questions", old[:0]),
        ("and the test", old),
        ("and paraphrases of it", paraphrase(old)),
    ):
        seen = torch.cat([known, extra])
        weight = train(seen, answers(seen))
        overlap = len(grams(old, 13) & grams(seen, 13)) / len(grams(old, 13))
        rows[name] = [overlap, accuracy(weight, old), accuracy(weight, fresh)]
    return rows


if __name__ == "__main__":
    print("trained on             13-grams   old test   fresh questions")
    for name, row in experiment().items():
        print(f"{name:22} {row[0]:8.0%} {row[1]:10.0%} {row[2]:17.0%}")
