// What the reader must know about their progress.

import { button, element, save } from "../../shared/dom.js"
import { store } from "../../shared/store.js"

/** Show what the store has to say in `box` (role="status"), now and after every change. */
export const showNotices = box => {
  const show = () => {
    const { notice } = store
    if (box.dataset.shown === (notice?.text ?? "")) return
    box.dataset.shown = notice?.text ?? ""
    box.hidden = !notice
    box.replaceChildren(...(notice ? [
      element("p", {}, notice.text),
      notice.copy && element("p", {}, button(
        "Save what was stored", () => save("torch-warmup-damaged.txt", notice.copy, "text/plain"), { quiet: true })),
    ].filter(Boolean) : []))
  }
  store.addEventListener("change", show)
  show()
}
