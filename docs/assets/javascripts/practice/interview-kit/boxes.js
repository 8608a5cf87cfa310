// A box to tick at each question of the list.

import { idOf } from "../../shared/address.js"
import { button, counted, element } from "../../shared/dom.js"
import { MOST } from "../../shared/kit-link.js"

/**
 * Put a box before each question, and a button that chooses all that are shown.
 *
 * @returns {(shown: HTMLElement[]) => void} must be called with the items that the filter shows.
 */
export const addTicks = (app, items, selection) => {
  const boxes = items.map(item => {
    const id = idOf(item)
    const box = element("input", {
      type: "checkbox", value: id, "aria-label": `Choose: ${item.querySelector("a").textContent}`,
      onchange: () => (box.checked ? selection.add(id) : selection.remove(id)),
    })
    item.prepend(element("label", { class: "tw-kit__tick" }, box))
    return box
  })
  let shown = []
  const all = button("", () => selection.add(...shown.map(idOf)), { quiet: true })
  app.querySelector(".tw-filter").append(all)
  const refresh = () => {
    for (const box of boxes) box.checked = selection.has(box.value)
    const more = shown.filter(item => !selection.has(idOf(item))).length
    all.hidden = more === 0 || selection.ids.length + more > MOST
    all.textContent = `Choose ${more === shown.length ? "all" : "the other"} ${counted(more, "question")} shown`
  }
  selection.addEventListener("change", refresh)
  selection.addEventListener("full", refresh)
  refresh()
  return found => {
    shown = found
    refresh()
  }
}
