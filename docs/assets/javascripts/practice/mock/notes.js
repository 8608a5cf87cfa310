// What one writes to a question: notes, and code where code is asked. It is kept with each key.

import { element } from "../../shared/dom.js"
import { TEXTS } from "./kept.js"
import { session } from "./session.js"
import { app } from "./view.js"
import { whiteboard } from "./whiteboard.js"

// What is not prose: the browser leaves it as it is typed.
const AS_TYPED = { class: "tw-code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" }

const field = (name, label, rows, more = {}) => element("label", { class: "tw-written" },
  element("span", {}, label, element("span", { class: "tw-quiet" }, " Esc leaves the field.")),
  element("textarea", {
    rows, maxlength: TEXTS[name],
    oninput: ({ target }) => session.write(name, target.value),
    onkeydown: event => { if (event.key === "Escape") app.focus({ preventScroll: true }) },
    ...more,
  }, session.answer[name]))

/** The notes of the question that is shown. */
export const notesField = label => field("notes", `${label}.`, 3)

/** What one draws of a design, as text, and the drawing below it. */
export const padField = () => {
  const box = element("div", {}, whiteboard(session.answer.pad))
  return element("div", {}, field("pad", "Your components and arrows, one a line, such as: gateway -> queue: 25 ms.", 8, {
    ...AS_TYPED,
    oninput: ({ target }) => {
      session.write("pad", target.value)
      box.replaceChildren(whiteboard(target.value))
    },
  }), box)
}

/** The code of the question that is shown. */
export const codeField = () => field("code", "Your code. Nothing runs it.", 12, AS_TYPED)
