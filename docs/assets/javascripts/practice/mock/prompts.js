// What the interviewer says while one answers, each at its minute.

import { element } from "../../shared/dom.js"
import { session } from "./session.js"
import { FORMATS } from "./set.js"

let list = null

// Each is announced when its minute comes; what has come stays.
const refresh = () => {
  if (!list?.isConnected || !session.answering) return
  const due = FORMATS[session.interview.format].prompts.filter(([minute]) => session.answer.ms >= minute * 60_000)
  for (const [minute, text] of due.slice(list.childElementCount)) {
    list.append(element("li", {}, element("strong", {}, `Minute ${minute}. `), text))
  }
  list.hidden = due.length === 0
}

/** The prompts of the answer that is shown; it fills itself once it is in the page. */
export const prompts = () => {
  list = element("ol", { class: "tw-prompts", role: "log", "aria-label": "What the interviewer says", hidden: true })
  queueMicrotask(refresh)
  return list
}

session.addEventListener("tick", refresh)
