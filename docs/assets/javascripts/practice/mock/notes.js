// What one writes to a question: notes, and code where code is asked. It is kept with each key.

import { element } from "../../shared/dom.js"
import { TEXTS } from "./kept.js"
import { session } from "./session.js"
import { app } from "./view.js"

const field = (name, label, rows, more = {}) => element("label", { class: "tw-written" },
  element("span", {}, label, element("span", { class: "tw-quiet" }, " Esc leaves the field.")),
  element("textarea", {
    rows, maxlength: TEXTS[name], ...more,
    oninput: ({ target }) => session.write(name, target.value),
    onkeydown: event => { if (event.key === "Escape") app.focus({ preventScroll: true }) },
  }, session.answer[name]))

/** The notes of the question that is shown. */
export const notesField = label => field("notes", `${label}.`, 3)

/** The code of the question that is shown. */
export const codeField = () => field("code", "Your code. Nothing runs it.", 12, {
  class: "tw-code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
})
