// The kit on paper: a page for each question, or the candidate's list. It stands in the page only to be printed.

import { counted, element, fragment } from "../../shared/dom.js"
import { isExercise, ladder, terms } from "../shared/cards.js"
import { dimensionsOf, label } from "../mock/score.js"
import { promptsOf, roundOf } from "../mock/set.js"
import { blank, overflows, ruled, showList } from "./list.js"
import { SCORES } from "./markdown.js"
import { minutesOf, total } from "./material.js"

const part = (name, title, ...children) => element("section", { class: `tw-kit-part tw-kit-part--${name}` }, element("h3", {}, title), children)

const code = text => element("pre", {}, element("code", {}, text))

const files = ([starter, judge]) => element("p", { class: "tw-kit-files" }, "Starter: ", element("a", { href: starter }, starter),
  judge && [" Judge: ", element("a", { href: judge }, judge)])

const scores = card => part("score", "Score", element("table", {},
  element("tbody", {}, dimensionsOf(roundOf(card)).map(name => element("tr", {}, element("th", { scope: "row" }, label(name)),
    SCORES.map((text, index) => element("td", {}, element("span", { class: "tw-kit-box" }), ` ${index + 1} ${text}`)))))))

// The browser's own Print does not wait.
const missing = (what, { page }) => element("p", {}, `${what} not been loaded: see `, element("a", { href: page }, page))
const missingTask = card => missing("The task has", card)

const followUps = card => element("ol", {}, card.next.map(({ question, answer }) =>
  element("li", {}, element("strong", {}, fragment(question)), " ", fragment(answer))))

const codingParts = ({ coding }) => [
  part("task", "Task", fragment(coding.task), code(coding.signature),
    files(coding.files)),
  part("core", "The core line", fragment(coding.core)),
  part("mistakes", "Mistakes to watch for", element("ul", {}, coding.mistakes.map(why => element("li", {}, why)))),
]

const sheet = (bank, card, number, count) => element("article", { class: "tw-kit-sheet" },
  element("header", {},
    element("p", {}, `${number} of ${count} · ${card.where} · ${minutesOf(card)} min${isExercise(card) ? "" : " with follow-ups"}`),
    element("p", {}, blank("Candidate"), blank("Date")),
    element("h2", {}, card.title)),
  isExercise(card) ? (card.coding ? codingParts(card) : missingTask(card)) : part("say", "The answer to hear", fragment(card.say), terms(card)),
  promptsOf(card).length > 0 && part("prompts", "Say at minute", element("ol", {}, promptsOf(card).map(([minute, text]) =>
    element("li", { value: minute }, text)))),
  card.next?.length !== 0 && part("next", "Ask next", card.next ? followUps(card) : missing("The follow-ups have", card)),
  part("ladder", "Listening for", ladder(bank, card)),
  scores(card),
  part("notes", "Notes", ruled()))

const asked = (card, number) => element("section", { class: "tw-kit-asked" },
  element("p", {}, element("strong", {}, `${number}. ${card.title}`), ` ${minutesOf(card)} min`),
  !isExercise(card) ? ruled()
    : card.coding ? [fragment(card.coding.task), code(card.coding.starter), files(card.coding.files.slice(0, 1))] : missingTask(card))

const candidates = (paper, cards) => showList(paper, `${counted(cards.length, "question")}, ${counted(total(cards), "minute")}`,
  cards.map((card, index) => asked(card, index + 1)))

// ---------- One page each ----------

// Take out the last of a list, down to so many.
const shorten = (one, selector, least) => {
  const items = one.querySelectorAll(`${selector} li`)
  if (items.length <= least) return false
  if (items.length === 1) items[0].closest("section").remove()
  else items[items.length - 1].remove()
  return true
}

const densely = one => {
  if (one.classList.contains("tw-kit-sheet--dense")) return false
  one.classList.add("tw-kit-sheet--dense")
  return true
}

// Their words are in the answer to hear, marked.
const withoutTerms = one => {
  const list = one.querySelector(".tw-terms")
  list?.remove()
  return list !== null
}

// What may be done to a page that is too long, the least loss first; each step as often as it changes something.
const STEPS = [
  one => shorten(one, ".tw-kit-part--next", 3),
  one => shorten(one, ".tw-kit-part--mistakes", 4),
  one => shorten(one, ".tw-kit-part--next", 2),
  densely,
  withoutTerms,
  one => shorten(one, ".tw-kit-part--mistakes", 2),
  one => shorten(one, ".tw-kit-part--mistakes", 1),
  one => shorten(one, ".tw-kit-part--next", 0),
]

// All are measured, then all are changed: measuring in between would lay out everything anew each time.
const fit = sheets => {
  for (const step of STEPS) {
    let long = sheets.filter(overflows)
    while (long.length) long = long.filter(step).filter(overflows)
  }
}

/**
 * Put what is chosen on paper whenever somebody prints, by the button or by the browser.
 *
 * @returns {{print: Function, choose: (version: string) => void}} `choose` says which version is printed.
 */
export const preparePaper = (app, { bank, byId, complete }, selection) => {
  const paper = element("div", { class: "tw-kit-paper" })
  app.after(paper)
  let version = "interviewer"
  const refresh = () => {
    const cards = selection.ids.map(id => byId.get(id))
    if (version === "candidate" && cards.length) {
      candidates(paper, cards)
      return
    }
    const sheets = cards.map((card, index) => sheet(bank, card, index + 1, cards.length))
    paper.replaceChildren(...sheets)
    fit(sheets)
  }
  // Whoever prints at once gets what there is; the button waits.
  const prepare = async () => {
    paper.ariaBusy = "true"
    const { ids } = selection
    await complete(ids).catch(() => { /* the button tries again, and says so */ })
    if (ids === selection.ids) paper.ariaBusy = "false"
  }
  prepare()
  selection.addEventListener("change", prepare)
  addEventListener("beforeprint", refresh)
  return { print: () => print(), choose: wanted => { version = wanted } }
}
