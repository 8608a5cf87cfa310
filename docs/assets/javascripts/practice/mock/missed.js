// What an interview showed to be missing, and how it comes back: as flashcards that are due.

import { button, counted, element } from "../../shared/dom.js"
import { AGAIN, isDue, review } from "../shared/fsrs.js"
import { ladder } from "../shared/cards.js"
import { store } from "../../shared/store.js"
import { label, weakIn } from "./score.js"
import { session } from "./session.js"
import { fill } from "./view.js"
import { whiteboard } from "./whiteboard.js"

const link = one => {
  const { url, title } = session.bank.byId.get(one.id)
  return element("a", { href: url }, title)
}

const weakOf = one => weakIn(one, session.interview.format)

const weakText = one => weakOf(one).map(name => label(name).toLowerCase()).join(", ")

const missedIn = one => {
  const card = session.bank.byId.get(one.id)
  return element("li", {},
    element("p", {}, link(one), weakOf(one).length > 0 && element("span", { class: "tw-quiet" }, ` weak: ${weakText(one)}`)),
    one.notes && element("p", { class: "tw-kept" }, one.notes),
    one.code && element("pre", { tabindex: "0", "aria-label": `Your code: ${card.title}` }, element("code", {}, one.code)),
    one.pad && [whiteboard(one.pad), element("pre", { tabindex: "0", "aria-label": `Your pad: ${card.title}` }, element("code", {}, one.pad))],
    weakOf(one).length > 0 && element("details", {}, element("summary", {}, "What an interviewer listens for"), ladder(session.bank, card)))
}

/** What was rated weak, and what one has written; null where there is nothing of either. */
export const missed = ({ answers }) => {
  const list = answers.filter(one => weakOf(one).length || one.notes || one.code || one.pad)
  return list.length > 0 && [element("h2", {}, "What was missing"), element("ul", { class: "tw-missed" }, list.map(missedIn))]
}

// ---------- Flashcards ----------

const nameOf = one => `card:${one.id}`

const isDueAlready = one => {
  const memory = store.get(nameOf(one))
  return memory !== undefined && isDue(memory, Date.now())
}

const about = one => {
  if (isDueAlready(one)) return "due already"
  if (weakOf(one).length) return `weak: ${weakText(one)}`
  return one.step === "revealed" ? "" : "not answered"
}

const isMissed = one => weakOf(one).length > 0 || one.step !== "revealed"

/** Ticks the questions that are to be due as flashcards: at first those with a weak rating, or without an answer. */
export const again = ({ answers }) => {
  const box = element("div", {})
  const said = element("p", { role: "status" })

  const send = chosen => {
    const before = chosen.map(one => [nameOf(one), store.get(nameOf(one))])
    const now = Date.now()
    for (const [name, memory] of before) store.set(name, { ...review(memory, AGAIN, now), grade: AGAIN })
    const undo = () => {
      for (const [name, memory] of before) {
        if (memory) store.set(name, memory)
        else store.remove(name)
      }
      said.replaceChildren("They are as they were.")
      choose()
      box.querySelector("button").focus()
    }
    said.replaceChildren(`${counted(chosen.length, "flashcard")} ${chosen.length === 1 ? "is" : "are"} due now. `,
      element("a", { href: "../flashcards/?start=due" }, "Start with what is due"), " ", button("Undo", undo, { quiet: true }))
    fill(box)
    said.querySelector("button").focus()
  }

  const choose = () => fill(box, element("form", {
    onsubmit: event => {
      event.preventDefault()
      const ticked = [...new FormData(event.target).keys()]
      if (ticked.length) send(answers.filter(one => ticked.includes(one.id)))
      else said.replaceChildren("No question is ticked.")
    },
  },
  element("fieldset", { class: "tw-choices" },
    element("legend", {}, "As if graded Again there: asked today, and more often than before."),
    answers.map(one => element("label", {},
      element("input", { type: "checkbox", name: one.id, checked: isMissed(one) && !isDueAlready(one), disabled: isDueAlready(one) }),
      element("span", {}, session.bank.byId.get(one.id).title, " ", element("span", { class: "tw-quiet" }, about(one)))))),
  element("div", { class: "tw-actions" }, element("button", { class: "tw-button tw-button--quiet" }, "Make them due"))))

  choose()
  return element("section", { class: "tw-again" }, element("h2", {}, "Ask again as flashcards"), box, said)
}
