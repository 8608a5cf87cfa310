import random
from collections import Counter

BLOCK, CHATS, TURNS = 16, 200, 4


def chats(seed: int = 0) -> list[tuple[int, int, list[int], list[int]]]:
    """Requests in order of arrival: application, chat, prompt and answer.

    Three applications have 70, 20 and 10% of the chats, and a system prompt each.
    """
    draw = random.Random(seed)
    requests = []
    for chat in range(CHATS):
        app = draw.choices((0, 1, 2), (70, 20, 10))[0]
        text, start = [app] * 480, draw.random()
        for turn in range(TURNS):
            text = text + [draw.randrange(10, 100_000) for _ in range(60)]
            answer = [draw.randrange(10, 100_000) for _ in range(100)]
            arrival = start + turn + draw.random() / 2
            requests.append((arrival, app, chat, text, answer))
            text = text + answer
    return [request[1:] for request in sorted(requests)]


def keys(tokens: list[int]) -> list[int]:
    """A key per full block, chained to the key before it."""
    chain = [0]
    for end in range(BLOCK, len(tokens) + 1, BLOCK):
        chain.append(hash((chain[-1], *tokens[end - BLOCK : end])))
    return chain[1:]


def serve(requests: list, replicas: int, route: str) -> tuple[float, float]:
    """Share of prompt tokens reused, and the busiest replica over the mean."""
    draw = random.Random(1)
    caches = [set() for _ in range(replicas)]
    total, work = 0, Counter()
    for app, chat, prompt, answer in requests:
        replica = {
            "random": draw.randrange(replicas),
            "by conversation": chat % replicas,
            "by system prompt": app % replicas,
        }[route]
        total += len(prompt)
        work[replica] += len(prompt)
        for key in keys(prompt[:-1]):
            if key not in caches[replica]:
                break
            work[replica] -= BLOCK
        caches[replica].update(keys(prompt + answer))
    computed = sum(work.values())
    return 1 - computed / total, max(work.values()) * replicas / computed


if __name__ == "__main__":
    requests = chats()
    print("                    4 replicas              16 replicas")
    print("route               reused  busiest / mean  reused  busiest / mean")
    for route in ("random", "by conversation", "by system prompt"):
        row = ""
        for replicas in (4, 16):
            reused, busiest = serve(requests, replicas, route)
            row += f"{reused:6.0%}{busiest:14.1f}    "
        print(f"{route:20}{row.rstrip()}")
