// What a reader has ticked of a question: that it is read, that it is known. Kept with the other progress.

import { store } from "./store.js"
import { element } from "./dom.js"

/** The reader's ticks of a question, by its id: {read, known}. */
export const ticksOf = id => store.get(`question:${id}`) ?? { read: false, known: false }

/**
 * Two boxes to tick, which follow the store, also where another tab changes it.
 *
 * @param {string} id the question's.
 * @param {string} title names the boxes for those who hear one alone.
 */
export const ticks = (id, title) => {
  const box = (field, text) => {
    // Without autocomplete, or Back shows the box as it stood when the page was left.
    const input = element("input", { type: "checkbox", autocomplete: "off", "aria-label": `${text}: ${title}`, onchange: () => {
      const { read, known } = ticksOf(id)
      store.set(`question:${id}`, { read, known, [field]: input.checked })
    } })
    const follow = () => { input.checked = ticksOf(id)[field] }
    store.addEventListener("change", follow)
    follow()
    return element("label", {}, input, text)
  }
  return element("span", { class: "tw-ticks" }, box("read", "Read"), box("known", "Known"))
}
