// Where the story of a question ends: whether one could say it, on in the plan that was chosen, and back to it.

import { store } from "./shared/store.js"
import { address } from "./shared/address.js"
import { button, element } from "./shared/dom.js"
import { backToPlan } from "./shared/plan-link.js"
import { ticksOf } from "./shared/ticks.js"
import { NOT_YET, KNOWN, settle, verdictOf } from "./practice/shared/verdict.js"

const box = document.querySelector(".tw-mine")
const { question } = box.dataset
const plan = store.get("place:plan")

/** The id of what comes next in the plan and is not read yet; undefined at its end, and where this page is not in it. */
const nextIn = ({ questions }) => {
  const at = Array.isArray(questions) ? questions.indexOf(question) : -1
  return at < 0 ? undefined : questions.slice(at + 1).find(id => /^\w+(\/[\w-]+){2}$/.test(id) && !ticksOf(id).read)
}

const choice = (verdict, text) => button(text, () => settle(question, verdict), { quiet: true })
const choices = new Map([[KNOWN, choice(KNOWN, "Known")], [NOT_YET, choice(NOT_YET, "Not yet")]])
const status = element("span", { role: "status", class: "tw-quiet" })
const SAID = { [KNOWN]: "Known, and read. Press again to undo.", [NOT_YET]: "Read; its card is due. Press again to undo." }

const follow = () => {
  const verdict = verdictOf(question)
  for (const [one, node] of choices) node.ariaPressed = String(one === verdict)
  const text = SAID[verdict] ?? (ticksOf(question).read ? "Read." : "")
  if (status.textContent !== text) status.textContent = text
}

box.append(element("strong", {}, "Could you say it?"), ...choices.values(), status)
if (plan) {
  const next = nextIn(plan)
  if (next) box.append(element("a", { href: address(`${next}/`) }, "Next in your plan"))
  box.append(backToPlan())
}
store.addEventListener("change", follow)
follow()
box.hidden = false

// A part below the cut is folded: a link to it opens it.
const open = () => {
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("summary")?.parentElement
  if (part) part.open = true
}
addEventListener("hashchange", open)
open()
