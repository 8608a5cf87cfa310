// Statements to judge true or false, by click or by key, with a score by level and what to read of those missed.
//
// The statements and what is true of each come from a recorded run. One table of the page has a row for each, in the
// same order: its last column leads to the page that explains it.

import { button, element } from "./shared/dom.js"
import { shortcuts } from "./shared/keys.js"

const list = document.querySelector(".tw-statements")
const table = [...document.querySelectorAll("article tbody")].find(one => one.rows.length === list.children.length)
const score = element("div", { class: "tw-score", role: "status" })
const hint = element("p", { class: "tw-quiet" }, "Click, or press T or Y for true and F or N for false while a button has the focus.")

const statements = [...list.children].map((item, index) => ({
  item,
  level: item.dataset.level,
  isTrue: item.dataset.truth === "true",
  link: table.rows[index].cells[table.rows[index].cells.length - 1].querySelector("a"),
  answer: null,
  verdict: element("span", { class: "tw-verdict" }),
  buttons: [],
}))

const isRight = one => one.answer === one.isTrue
const readingFor = one => element("a", { href: one.link.href }, one.link.textContent)

const verdictOf = one => {
  const fact = `It is ${one.isTrue ? "true" : "false"}.`
  return isRight(one) ? [`Right. ${fact}`] : [`Wrong. ${fact} Read `, readingFor(one), "."]
}

const show = one => {
  for (const made of one.buttons) made.setAttribute("aria-pressed", String(one.answer === (made.dataset.answer === "true")))
  one.item.classList.toggle("tw-right", one.answer !== null && isRight(one))
  one.item.classList.toggle("tw-wrong", one.answer !== null && !isRight(one))
  one.verdict.replaceChildren(...(one.answer === null ? [] : verdictOf(one)))
}

const summary = () => {
  const answered = statements.filter(one => one.answer !== null)
  const last = statements.length - answered.length
  if (last > 0) return [element("p", {}, `${answered.filter(isRight).length} of ${answered.length} right, ${last} to go.`)]
  const levels = [...new Set(statements.map(one => one.level))]
  const toRead = [...new Map(statements.filter(one => !isRight(one)).map(one => [one.link.href, one])).values()]
  return [
    element("p", {}, element("strong", {}, `${statements.filter(isRight).length} of ${statements.length} right.`)),
    element("ul", {}, levels.map(level => {
      const own = statements.filter(one => one.level === level)
      return element("li", {}, `${level}: ${own.filter(isRight).length} of ${own.length}`)
    })),
    toRead.length > 0 && element("p", {}, "Read ", toRead.map((one, index) => [index > 0 && ", ", readingFor(one)]), "."),
    button("Answer them again", again, { quiet: true }),
  ].filter(Boolean)
}

const say = (one, answer) => {
  const isFirst = one.answer === null
  one.answer = answer
  show(one)
  // What a screen reader hears: the verdict, then the score.
  score.replaceChildren(element("p", { class: "tw-hidden" }, one.verdict.textContent), ...summary())
  const next = statements.slice(statements.indexOf(one) + 1).find(other => other.answer === null)
    ?? statements.find(other => other.answer === null)
  if (next) next.buttons[0].focus()
  else if (isFirst) score.scrollIntoView({ block: "nearest" }) // all of it, also where the last statement is at the end of the screen
}

const again = () => {
  for (const one of statements) {
    one.answer = null
    show(one)
  }
  score.replaceChildren()
  statements[0].buttons[0].focus()
}

for (const one of statements) {
  one.buttons = [true, false].map(value => element("button", {
    type: "button",
    class: "tw-button tw-button--quiet",
    "data-answer": String(value),
    "aria-pressed": "false",
    "aria-label": `${value ? "True" : "False"}: ${one.item.querySelector(".tw-statement").textContent}`,
    onclick: () => say(one, value),
  }, value ? "True" : "False"))
  one.item.append(element("span", { class: "tw-judge" }, one.buttons, one.verdict))
}
list.before(hint)
list.after(score)

shortcuts(list, key => {
  const value = { t: true, y: true, f: false, n: false }[key.toLowerCase()]
  const one = statements.find(({ item }) => item.contains(document.activeElement))
  if (value === undefined || !one) return false
  say(one, value)
  return true
})
