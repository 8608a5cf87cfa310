RATE, ITEMS, WIDTH, CANDIDATES = 5_000, 10_000_000, 128, 500  # RATE: per second
RANKER, FEATURES = 20e6, 1_000  # FLOPs to score one item, bytes that describe it
USERS, LISTED = 50_000_000, 100  # answers in advance: 100 ids of 8 bytes each
GPU = 0.2 * 989e12  # FLOP/s that we plan with, 20% of the peak of an H100
BUDGET_MS = {"network": 60, "user features": 15, "user tower": 5, "retrieval": 20}
BUDGET_MS |= {"ranking": 30, "re-ranking": 5, "slack": 15}

retrieve, rank = 2 * ITEMS * WIDTH, CANDIDATES * RANKER  # FLOPs of one request
print(" + ".join(f"{name} {ms}" for name, ms in list(BUDGET_MS.items())[:4]), "+")
print(
    " + ".join(f"{name} {ms}" for name, ms in list(BUDGET_MS.items())[4:]), end=""
)
print(f" = {sum(BUDGET_MS.values())} ms")
print(f"GPUs to rank all items        {RATE * ITEMS * RANKER / GPU:6,.0f}")
print(f"GPUs to retrieve, exactly     {RATE * retrieve / GPU:11.4f}")
print(f"GPUs to rank 500              {RATE * rank / GPU:11.4f}")
print(f"GPUs for both stages          {RATE * (retrieve + rank) / GPU:11.4f}")
print(f"item vectors, bfloat16        {2 * ITEMS * WIDTH / 1e9:9.2f} GB")
print(f"item features, all            {ITEMS * FEATURES / 1e9:9.2f} GB")
print(
    f"item features, fetched        {RATE * CANDIDATES * FEATURES / 1e9:9.2f} GB/s"
)
print(
    f"lists of all users: computing {USERS * (retrieve + rank) / GPU / 60:9.2f} min"
)
print(f"lists of all users: storing   {USERS * LISTED * 8 / 1e9:9.2f} GB")
