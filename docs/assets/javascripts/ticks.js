// The end of a question's page: whether it is read, whether it is known, and back to the plan that was chosen.

import { store } from "./practice/shared/store.js"
import { address } from "./shared/address.js"
import { element } from "./shared/dom.js"
import { ticks } from "./shared/ticks.js"

const box = document.querySelector(".tw-mine")
const plan = store.get("place:plan")

box.append(ticks(box.dataset.question, document.querySelector("h1").firstChild.textContent.trim()))
if (plan) {
  box.append(element("a", { href: `${address("plan/")}?${new URLSearchParams({ time: plan.time, level: plan.level })}` }, "Back to your plan"))
}
box.hidden = false
