import random
from collections.abc import Iterator

BLOCK, CHATS, TURNS = 16, 100, 4
draw = random.Random(0)


def words(count: int) -> list[int]:
    """Random token ids."""
    return [draw.randrange(100_000) for _ in range(count)]


SYSTEM = words(480)
# Each turn of a chat has a question of 60 tokens and an answer of 100.
HISTORY = [[words(160) for _ in range(TURNS)] for _ in range(CHATS)]


def keys(tokens: list[int]) -> Iterator[tuple]:
    """A key per full block: the block, chained to the key of all before it."""
    key = ()
    for start in range(0, len(tokens) - BLOCK + 1, BLOCK):
        key = hash((key, *tokens[start : start + BLOCK]))
        yield key


def serve(requests: list[tuple[list[int], list[int]]]) -> tuple[int, int]:
    """Prompt tokens in all, and those that an unlimited cache had."""
    cache, total, reused = set(), 0, 0
    for prompt, answer in requests:
        total += len(prompt)
        for key in keys(prompt[:-1]):  # the last token must run, for its logits
            if key not in cache:
                break
            reused += BLOCK
        cache.update(keys(prompt + answer))
    return total, reused


def traffic(layout: str) -> list[tuple[list[int], list[int]]]:
    """Prompts and answers of all chats, one turn of each after the other."""
    requests = []
    for turn in range(TURNS):
        for chat in range(CHATS):
            past = sum(HISTORY[chat][:turn], []) + HISTORY[chat][turn][:60]
            user, now = [200_000 + chat], [300_000 + len(requests)]
            prompt = {
                "system, history": SYSTEM + past,
                "system, user id, history": SYSTEM + user + past,
                "user id, system, history": user + SYSTEM + past,
                "system, time, history": SYSTEM + now + past,
                "time, system, history": now + SYSTEM + past,
                "system, history, time": SYSTEM + past + now,
            }[layout]
            requests.append((prompt, HISTORY[chat][turn][60:]))
    return requests


LAYOUTS = (
    "system, history",
    "system, user id, history",
    "user id, system, history",
    "system, history, time",
    "system, time, history",
    "time, system, history",
)

if __name__ == "__main__":
    print(
        "                           prompt tokens   reused  computed  share reused"
    )
    for layout in LAYOUTS:
        total, reused = serve(traffic(layout))
        row = f"{layout:27}{total:13,}{reused:9,}{total - reused:10,}"
        print(f"{row}{reused / total:10.0%}")
