// Rating one's answer, and going on from it.

import { element } from "../../shared/dom.js"
import { noteWords } from "../shared/words.js"
import { notesField } from "./notes.js"
import { dimensionsOf, label, rubricOf } from "./score.js"
import { session } from "./session.js"
import { view, write } from "./view.js"

const noted = new WeakSet()  // answers whose words have been noted; one can come back to them
let asked = null  // the answer that one was asked to rate

/** Leave the answer for the next question. Without any rating one is asked for it once, and stays. */
export const goOn = () => {
  const { answer, interview } = session
  if (asked === answer || dimensionsOf(interview.format).some(name => answer[name] !== null)) {
    if (!noted.has(answer)) noteWords(session.card, view)
    noted.add(answer)
    session.onward()
    return
  }
  asked = answer
  view.querySelector(".tw-rubric input").focus()
  write(view.querySelector(".tw-rubric [role=status]"), "Nothing is rated yet: press 1, 2 or 3 for each row. Or go on once more, and the answer stays unrated.")
}

/** The form in which one rates the answer that is shown. */
export const rubric = () => element("form", { class: "tw-rubric", onsubmit: event => { event.preventDefault(); goOn() } },
  Object.entries(rubricOf(session.interview.format)).map(([dimension, anchors]) => element("fieldset", { class: "tw-choices" },
    element("legend", {}, label(dimension)),
    anchors.map((anchor, value) => element("label", {},
      element("input", {
        type: "radio", name: dimension, value, checked: session.answer[dimension] === value,
        onchange: () => session.rate(dimension, value),
      }),
      element("span", {}, element("strong", {}, session.bank.grades[value]), " ", anchor))))),
  notesField("What was missing"),
  element("p", { role: "status", class: "tw-quiet" }),
  element("div", { class: "tw-actions" }, element("button", { class: "tw-button" },
    session.next < 0 ? "Finish" : "Next question", element("kbd", { "aria-hidden": "true" }, "Enter"))))

/** Rate the row that has the focus, else the first that is not rated, and go on to the next. */
export const rateByKey = value => {
  const rows = [...view.querySelectorAll(".tw-rubric fieldset")]
  const row = document.activeElement.closest(".tw-rubric fieldset")
    ?? rows.find(one => !one.querySelector(":checked")) ?? rows[0]
  row.querySelectorAll("input")[value].click()
  const after = rows[rows.indexOf(row) + 1]
  const target = after ? after.querySelector(":checked") ?? after.querySelector("input") : view.querySelector(".tw-rubric button")
  target.focus()
}
