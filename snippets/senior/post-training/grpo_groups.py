from math import comb, sqrt


def pulls(success: float, group: int) -> tuple[float, float, float]:
    """Chance of a group without signal; mean pull on the success logit, twice.

    Of k right answers in a group, the pull is the mean of advantage times
    reward: the variance of the rewards, or their deviation if divided by it.
    """
    silent = plain = divided = 0.0
    for k in range(group + 1):
        chance = comb(group, k) * success**k * (1 - success) ** (group - k)
        variance = k / group * (1 - k / group)
        silent += chance * (variance == 0)
        plain += chance * variance
        divided += chance * sqrt(variance)
    return silent, plain, divided


if __name__ == "__main__":
    print("              of groups   pull, relative to a success rate of 50%")
    print("group success  no signal  minus mean  divided by std")
    for group in (8, 64):
        _, plain_half, divided_half = pulls(0.5, group)
        for success in (0.01, 0.1, 0.5, 0.9, 0.99):
            silent, plain, divided = pulls(success, group)
            print(f"{group:5}  {success:6.0%}  {silent:9.0%}", end="")
            print(f"  {plain / plain_half:10.2f}  {divided / divided_half:14.2f}")
