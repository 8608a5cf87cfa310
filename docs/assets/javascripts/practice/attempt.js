// The page of an exercise or of a broken trainer: a clock that can be ignored, hints one by one, and what is kept.

import { button, element } from "../shared/dom.js"
import { backToPlan } from "../shared/plan-link.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"
import { store } from "../shared/store.js"

const box = document.querySelector(".tw-try")
const name = box.dataset.exercise ? `write:${box.dataset.exercise}` : `trainer:${box.dataset.trainer}`
const whole = Number(box.dataset.minutes) * 60_000

/** What is kept: whether it is done, how often it was judged, and for how long the clock ran, in milliseconds. */
const kept = () => store.get(name) ?? { done: false, tries: 0, ms: 0 }

// ---------- The clock ----------

let since = null  // when it was last read; null while it stands still

const used = () => kept().ms + (since === null ? 0 : performance.now() - since)

/** Keep what has passed since the clock was read last, and read it. */
const keep = (changes = {}) => {
  const { done, tries } = kept()
  const ms = Math.round(used())
  if (since !== null) since = performance.now()
  store.set(name, { done, tries, ms, ...changes })
}

const text = milliseconds => {
  const seconds = Math.floor(Math.abs(milliseconds) / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

const clock = element("span", { class: "tw-clock", role: "timer", "aria-label": "Time left" })
const message = element("p", { class: "tw-said", role: "status" })
const start = button("", () => {
  if (since === null) since = performance.now()
  else {
    keep()
    since = null
  }
  show()
})
const reset = button("Reset the clock", () => {
  since = null
  keep({ ms: 0 })
  start.focus()
}, { quiet: true })
const done = button("", () => {
  const now = !kept().done
  keep({ done: now })
  if (now) since = null
  show()
}, { quiet: true })

const show = () => {
  const left = whole - used()
  clock.textContent = left < 0 ? `${text(left)} over` : text(Math.ceil(left / 1000) * 1000)
  start.textContent = since !== null ? "Pause" : used() > 0 ? "Go on" : "Start the clock"
  reset.hidden = since !== null || used() === 0
  done.textContent = kept().done ? "Not done after all" : "Mark as done"
  const { tries } = kept()
  message.textContent = kept().done ? `Done${tries > 1 ? `, at judgment ${tries}` : ""}.` : ""
}

setInterval(() => { if (since !== null) show() }, 250)
addEventListener("pagehide", () => {
  if (since !== null) keep()
})
store.addEventListener("change", show)

// Where a page can judge, what it said comes from the program.
document.addEventListener("judged", ({ detail: { passed } }) => {
  if (passed) for (const fold of document.querySelectorAll("details.tw-spoiler")) fold.open = true
  const before = kept()
  if (before.done) return
  if (passed) {
    keep({ done: true, tries: before.tries + 1 })
    since = null
    show()
  } else keep({ tries: before.tries + 1 })
})

// ---------- Hints, one by one ----------

const hints = [...document.querySelectorAll("#hints ~ details.tip")]
hints.forEach((hint, index) => {
  if (index === 0) return
  hint.hidden = !hints[index - 1].open
  hints[index - 1].addEventListener("toggle", () => { if (hints[index - 1].open) hint.hidden = false })
})

const notice = element("div", { class: "tw-notice", hidden: true })
const toPlan = backToPlan()
box.querySelector(".tw-attempt__tools")
  .replaceChildren(element("div", { class: "tw-actions" }, start, clock, reset, done), message, ...toPlan ? [element("p", {}, toPlan)] : [], notice)
showNotices(notice)
show()
