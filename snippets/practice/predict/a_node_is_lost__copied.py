import torch

w, saved = torch.zeros(1), {}
for step in range(6):
    w += 1  # an update
    if step % 2 == 1:
        saved = {"w": w.clone(), "step": step}
    if step == 4:
        break  # the node is lost, and another one goes on
w = saved["w"]
w += 6 - saved["step"]  # an update for each step that is left
print(w.item())
