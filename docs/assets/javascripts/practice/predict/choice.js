// Which programs are shown: the form that chooses them, and the reader's progress beside it.

import { setFields } from "../../shared/address.js"
import { counted } from "../../shared/dom.js"
import { entryOf, puzzles } from "./puzzles.js"

const FILTERS = ["level", "topic", "which"]

// By what is stored of their answers.
const WHICH = {
  all: () => true,
  new: entry => !entry,
  wrong: entry => entry?.last === false,
}

const box = document.querySelector("#predict .tw-setup")
export const form = box.querySelector("form")

/** What the form says, by the names of its fields. */
export const chosen = () => Object.fromEntries(FILTERS.map(name => [name, form.elements[name].value]))

/** The puzzles that a choice leaves. */
export const matching = ({ level, topic, which }) => puzzles.filter(puzzle =>
  (!level || puzzle.level === level) && (!topic || puzzle.topic === topic) && WHICH[which](entryOf(puzzle)))

export const ALL = { level: "", topic: "", which: "all" }

/** Set the form, as far as it knows the values, and return the puzzles that it leaves. */
export const choose = wanted => {
  setFields(form, FILTERS, wanted)
  return matching(chosen())
}

/** Show how many of each topic are answered. */
export const showProgress = () => {
  for (const row of box.querySelectorAll("tbody tr")) {
    const all = puzzles.filter(puzzle => puzzle.topic === row.dataset.topic)
    const entries = all.map(entryOf).filter(Boolean)
    const [answered, right] = row.querySelectorAll("td")
    answered.textContent = `${entries.length} of ${all.length}`
    right.textContent = String(entries.filter(entry => entry.first === true).length)
  }
}

/** Show which of the chosen puzzles this is; null for none. */
export const showPosition = (queue, current) => {
  const at = queue.indexOf(current)
  const count = counted(queue.length, "program")
  box.querySelector(".tw-where").textContent = at < 0 ? count : `Program ${at + 1} of ${queue.length}`
  box.querySelector(".tw-chosen").textContent = queue.length ? count : "No program matches. Take one filter away."
}
