// A preview of an answer: what to hear and what to listen for, without leaving the page. One is open at a time.

import { idOf } from "../../shared/address.js"
import { element } from "../../shared/dom.js"
import { isExercise, ladder, say } from "../shared/cards.js"

const WIDE = matchMedia("(min-width: 60em)")

const part = (title, ...children) => element("div", { class: "tw-part" }, element("h3", {}, title), children)

const answer = (bank, card) => [
  part(isExercise(card) ? "The core line" : "Say it", say(card),
    card.terms && element("p", { class: "tw-kit__terms" }, `Terms to wait for: ${card.terms.join(", ")}.`)),
  part("Listening for", ladder(bank, card)),
  element("p", {}, element("a", { href: card.url }, "The whole page")),
]

/**
 * Previews of the chosen questions, in the panel beside them or, on a small screen, below their line; and of those in the
 * list, below their row.
 *
 * @returns {{line: Function, place: Function, open: Function}} `line(card)` makes the button of a chosen question, `place()`
 *   must be called when the lines have been made anew, and `open(id)` shows a chosen one where there is room beside it.
 */
export const previews = (app, items, { bank, byId }) => {
  const panel = app.querySelector(".tw-kit__preview")
  const box = element("div", { class: "tw-kit__answer" })
  let shown = ""  // the name of the button that has opened it

  const named = name => [...app.querySelectorAll("[data-answer]")].find(one => one.dataset.answer === name)

  const place = () => {
    const opener = named(shown)
    if (!opener) shown = ""
    for (const one of app.querySelectorAll("[data-answer]")) one.ariaExpanded = String(one === opener)
    const isBeside = Boolean(opener) && WIDE.matches && opener.closest(".tw-kit__chosen") !== null
    panel.hidden = !isBeside
    if (!opener) box.remove()
    else if (isBeside) panel.append(box)
    else opener.closest("li").append(box)
  }

  const show = (name, id) => {
    shown = name
    if (!name) {
      place()
      return
    }
    const card = byId.get(id)
    box.replaceChildren(...answer(bank, card))
    panel.querySelector("h2").textContent = card.title
    place()
    // Where an answer above has just been closed, the line that was pressed is elsewhere now.
    ;(panel.hidden ? named(name) : panel).scrollIntoView({ block: "nearest" })
  }

  const opener = (where, id, properties, text) => {
    const name = `${where} ${id}`
    return element("button", {
      type: "button", "data-answer": name, "aria-expanded": "false", ...properties,
      onclick: () => (shown === name ? show("") : show(name, id)),
    }, text)
  }

  panel.querySelector("button").addEventListener("click", () => {
    named(shown)?.focus()
    show("")
  })
  for (const item of items) {
    const { title } = byId.get(idOf(item)) ?? {}
    if (title) item.append(opener("list", idOf(item), { class: "tw-kit__open", "aria-label": `Answer: ${title}` }, "Answer"))
  }
  WIDE.addEventListener("change", place)
  return {
    line: card => opener("set", card.id, { class: "tw-kit__line" }, card.title),
    place,
    open: id => WIDE.matches && show(`set ${id}`, id),
  }
}
