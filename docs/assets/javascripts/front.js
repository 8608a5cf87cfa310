// The front page: which cards are due, and which plan was chosen.

import { countDue } from "./practice/flashcards/due.js"
import { store } from "./shared/store.js"
import { counted, element } from "./shared/dom.js"

const box = document.querySelector(".tw-today")

const refresh = () => {
  const due = countDue()
  const { time, level } = store.get("place:plan") ?? {}
  const plan = document.querySelector(`[data-plan="${CSS.escape(`${time}-${level}`)}"]`)
  for (const link of document.querySelectorAll("[data-plan]")) link.toggleAttribute("aria-current", link === plan)
  box.replaceChildren(...[
    due > 0 && element("a", { class: "tw-button", href: "practice/flashcards/?start=due" },
      `${counted(due, "card")} ${due === 1 ? "is" : "are"} due today`),
    plan && element("a", { class: "tw-button tw-button--quiet", href: plan.href },
      `Go on: ${plan.querySelector(".tw-hidden").textContent.replace(/:\s*$/, "")}`),
  ].filter(Boolean))
  box.hidden = box.childElementCount === 0
}

store.addEventListener("change", refresh)
document.addEventListener("visibilitychange", refresh)  // who comes back to an open tab may do so on another day
refresh()
