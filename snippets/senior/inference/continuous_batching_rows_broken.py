import torch


def serve(requests, slots, move_bans):
    """Texts by user. Each request has a first digit, a banned one and a length."""
    waiting, rows, texts = list(requests), [], {}
    digits, bans = torch.zeros(2, slots, dtype=torch.long)
    while waiting or rows:
        while waiting and len(rows) < slots:  # join
            user, digits[len(rows)], bans[len(rows)], length = waiting.pop(0)
            rows.append([user, length])
            texts[user] = ""
        n = len(rows)
        # A model that likes the next digit best, then the one after it.
        logits = -((torch.arange(10) - digits[:n, None] - 1) % 10).float()
        logits[torch.arange(n), bans[:n]] = -torch.inf
        digits[:n] = logits.argmax(1)
        for row, digit in zip(rows, digits.tolist(), strict=False):
            texts[row[0]] += str(digit)
            row[1] -= 1
        keep = [i for i, (_, left) in enumerate(rows) if left]  # leave
        rows = [rows[i] for i in keep]
        digits[: len(keep)] = digits[keep]
        if move_bans:
            bans[: len(keep)] = bans[keep]
    return texts


REQUESTS = [("A", 0, 2, 2), ("B", 0, 4, 6), ("C", 0, 6, 6), ("D", 0, 8, 6)]

if __name__ == "__main__":
    alone = {}
    for request in REQUESTS:
        alone |= serve([request], 1, move_bans=False)
    print("each alone     ", alone)
    print("rows and bans  ", serve(REQUESTS, 3, move_bans=True))
    print("rows, not bans ", serve(REQUESTS, 3, move_bans=False))
