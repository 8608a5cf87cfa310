def schedule(jobs: dict[str, int], gpus: int, gang: bool) -> list[str]:
    """Place workers of jobs in turn, and say which jobs ever start.

    A job starts when all its workers are placed, finishes, and frees its GPUs.

    Args:
        jobs: workers that each job needs, one GPU per worker.
        gang: place all workers of a job, or none.
    """
    placed = dict.fromkeys(jobs, 0)
    started: list[str] = []
    while True:
        moved = False
        for job, needs in jobs.items():
            if job in started:
                continue
            wanted = needs - placed[job] if gang else 1
            if wanted <= gpus:
                placed[job] += wanted
                gpus -= wanted
                moved = True
            if placed[job] == needs:
                started.append(job)
                gpus += needs  # it has finished
        if not moved:
            return started


if __name__ == "__main__":
    for jobs in ({"a": 6, "b": 6}, {"a": 4, "b": 4}, {"a": 4, "b": 5}):
        for gang in (False, True):
            how = "all or none" if gang else "one by one"
            started = schedule(jobs, gpus=8, gang=gang)
            print(f"8 GPUs, workers {jobs}, {how:11}: started {started}")
