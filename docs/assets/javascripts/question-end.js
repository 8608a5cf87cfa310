// The end of a question's page: whether it is read, whether it is known, on in the plan that was chosen, and back to it.

import { store } from "./shared/store.js"
import { address } from "./shared/address.js"
import { element } from "./shared/dom.js"
import { backToPlan } from "./shared/plan-link.js"
import { ticks, ticksOf } from "./shared/ticks.js"

const box = document.querySelector(".tw-mine")
const plan = store.get("place:plan")

/** The id of what comes next in the plan and is not read yet; undefined at its end, and where this page is not in it. */
const nextIn = ({ questions }) => {
  const at = Array.isArray(questions) ? questions.indexOf(box.dataset.question) : -1
  return at < 0 ? undefined : questions.slice(at + 1).find(id => /^\w+(\/[\w-]+){2}$/.test(id) && !ticksOf(id).read)
}

box.append(ticks(box.dataset.question, document.querySelector("h1").firstChild.textContent.trim()))
if (plan) {
  const next = nextIn(plan)
  if (next) box.append(element("a", { href: address(`${next}/`) }, "Next in your plan"))
  box.append(backToPlan())
}
box.hidden = false
