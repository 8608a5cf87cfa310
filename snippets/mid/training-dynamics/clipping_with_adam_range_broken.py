import torch


def moved(scale: float, dtype: torch.dtype) -> tuple[float, float]:
    """How far Adam moves a weight, in learning rates.

    Returns:
        The distance in 100 steps whose gradient is ``scale``, and that in the 100
        steps after them, whose gradient is 1.
    """
    w = torch.zeros(1, dtype=dtype, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=1.0)
    places = []
    for gradient in (scale, 1.0):
        for _ in range(100):
            w.grad = torch.full_like(w, gradient)
            optimizer.step()
        places.append(-w.item())
    return places[0], places[1] - places[0]


if __name__ == "__main__":
    print("gradient    moved in float32, then with 1    in float64, then with 1")
    for scale in (1e-12, 1e-10, 1e-8, 1e-6, 1.0, 1e18, 1e20, 1e21):
        cells = [moved(scale, dtype) for dtype in (torch.float32, torch.float64)]
        numbers = [f"{abs(a):11.2f} {abs(b):13.1f}" for a, b in cells]
        print(f"{scale:8g}", "   ".join(numbers))
