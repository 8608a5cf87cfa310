// What stands above every question: the clocks, the map of all questions, and what can be done at any time.

import { button, counted, element } from "../../shared/dom.js"
import { recordButton } from "./recording.js"
import { session } from "./session.js"
import { clock } from "../../shared/clock.js"
import { fill, write } from "./view.js"

const STATES = { new: "not answered yet", asked: "begun", "follow-1": "begun", "follow-2": "begun", revealed: "answered", skipped: "skipped" }

const warned = new Set()  // questions whose end of time has been said
let parts = {}

const remaining = ms => (ms > -500 ? `${clock(Math.max(0, ms))} left` : `over by ${clock(-ms)}`)

const showClocks = () => {
  const { question, whole } = session.left
  write(parts.question, remaining(question))
  write(parts.whole, remaining(whole))
  const { id } = session.answer
  if (question < 0 && session.ticking && !warned.has(id)) {
    warned.add(id)
    write(parts.state, "The time for this question is up.")
  }
}

const showPause = () => {
  parts.pause.hidden = !session.answering
  parts.pause.firstChild.data = session.paused ? "Go on" : "Pause"
  write(parts.state, session.paused && session.answering ? "Paused. The clocks are stopped." : "")
}

const showMap = () => fill(parts.map, element("ol", { class: "tw-map" }, session.interview.answers.map((one, index) =>
  element("li", {}, element("button", {
    type: "button", "data-state": STATES[one.step].split(" ")[0], "aria-current": index === session.interview.current && "step",
    "aria-label": `Question ${index + 1}, ${STATES[one.step]}`, onclick: () => session.visit(index),
  }, String(index + 1))))))

const end = () => {
  const { open } = session
  if (!open || confirm(`${counted(open, "question")} not answered. End the interview?`)) session.finish()
}

/** The bar of the question that is shown now. */
export const bar = () => {
  parts = {
    question: element("strong", { role: "timer", "aria-label": "Time for this question" }),
    whole: element("strong", { role: "timer", "aria-label": "Time for the interview" }),
    pause: button("Pause", () => session.pause(!session.paused), { key: "k", quiet: true }),
    map: element("nav", { "aria-label": "Questions of this interview" }),
    state: element("p", { class: "tw-quiet", role: "status" }),
  }
  return [
    element("div", { class: "tw-clocks" },
      element("p", {}, element("span", {}, "This question"), parts.question),
      element("p", {}, element("span", {}, "Interview"), parts.whole),
      element("div", { class: "tw-actions" }, parts.pause, recordButton(), button("End interview", end, { quiet: true }))),
    parts.map, parts.state,
  ]
}

/** Fill the bar; what its status says is announced only once it is in the page. */
export const fillBar = () => {
  showMap()
  showClocks()
  showPause()
}

setInterval(() => session.tick(), 250)

session.addEventListener("tick", showClocks)

session.addEventListener("begin", () => warned.clear())
session.addEventListener("pause", showPause)
session.addEventListener("elsewhere", showMap)
