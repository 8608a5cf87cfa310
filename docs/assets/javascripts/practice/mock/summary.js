// What an interview comes to, what to read next, and how to take it along.

import { address } from "../../shared/address.js"
import { button, counted, element, save } from "../../shared/dom.js"
import { writeLink } from "./link.js"
import { again, missed } from "./missed.js"
import { recordingsOfAll } from "./recording.js"
import { report } from "./report.js"
import { label, ratings, scoreText, summarize } from "./score.js"
import { session } from "./session.js"
import { backToSetup } from "./setup.js"
import { clock } from "../../shared/clock.js"
import { focus, heading, name, on, show, tell, view } from "./view.js"

const linkOf = one => new URL(writeLink(one), location.href.split(/[?#]/)[0]).href

const markdown = one => report(one, session.bank, {
  absolute: url => new URL(url, address("practice/mock/")).href, date: on(one.began), link: linkOf(one),
})

// ---------- Tables ----------

const questionLink = one => {
  const { url, title } = session.bank.byId.get(one.id)
  return element("a", { href: url }, title)
}

const number = text => element("td", { class: "tw-number" }, String(text))

const table = (caption, columns, ...bodies) => element("div", { class: "tw-wide" }, element("table", { class: "tw-progress" },
  element("caption", { class: "tw-hidden" }, caption),
  element("thead", {}, element("tr", {}, columns.map((text, index) => element("th", { scope: "col", class: index > 0 && "tw-number" }, text)))),
  bodies))

const dimensionTable = ({ dimensions }) => table("Points by dimension", ["Dimension", "Points", ...session.bank.grades],
  element("tbody", {}, Object.entries(dimensions).map(([dimension, score]) => element("tr", {},
    element("th", { scope: "row" }, label(dimension)), number(scoreText(score)), score.counts.map(number)))))

const topicTable = ({ topics }) => table("Points by topic, weakest first", ["Topic and questions", "Points"],
  topics.map(({ url, label: title, group, score, answers }) => element("tbody", { class: "tw-topic" },
    element("tr", {},
      element("th", { scope: "row" }, element("a", { href: url }, title), " ", element("span", { class: "tw-quiet" }, group)),
      number(scoreText(score))),
    element("tr", {}, element("td", { colspan: 2 }, element("ul", {}, answers.map(one => element("li", {}, questionLink(one), " ",
      element("span", { class: "tw-quiet" }, `${ratings(one, session.interview.format, session.bank.grades)}; ${clock(one.ms)}`)))))))))

// ---------- Taking it along ----------

// `field` shows the text where the browser does not let the page copy.
const copy = async (field, text, done) => {
  field.hidden = true
  try {
    await navigator.clipboard.writeText(text)
    tell(done)
  } catch {
    tell("This browser does not let the page copy. Copy the text below.")
    field.hidden = false
    field.value = text
    field.focus()
    field.select()
  }
}

const actions = (done, field) => element("div", { class: "tw-actions" },
  button("New set", backToSetup),
  button("Same set again", () => session.begin(done, done.answers.map(one => one.id)), { quiet: true }),
  button("Print", () => print(), { quiet: true }),
  button("Copy as Markdown", () => copy(field, markdown(done), "The summary is copied."), { quiet: true }),
  button("Download Markdown", () => {
    save(`mock-interview-${new Date(done.began).toISOString().slice(0, 10)}.md`, markdown(done), "text/markdown")
  }, { quiet: true }),
  button("Copy link to this set", () => copy(field, linkOf(done), "The link is copied."), { quiet: true }))

const sumUp = () => {
  const { bank, interview: done } = session
  const summary = summarize(done, bank)
  const { ms, all, topics, open } = summary
  const field = element("textarea", { class: "tw-copied", readonly: true, hidden: true, rows: 8, "aria-label": "Text to copy" })
  tell("")
  history.replaceState(null, "", writeLink(done))
  show("summary",
    heading(`Interview of ${on(done.began)}`),
    element("p", {}, `${name(done)}, ${counted(done.answers.length, "question")}. You answered for ${clock(ms)} of `
      + `${clock(done.minutes * 60_000)}. Your rating: ${scoreText(all)}${all.of ? " points" : ""}.`),
    dimensionTable(summary),
    element("p", { class: "tw-quiet" }, "Weak counts 0, Good 1, Strong 2. What you did not rate does not count."),
    missed(done),
    topics.length > 0 && [element("h2", {}, "What to read, weakest topic first"), topicTable(summary)],
    open.length > 0 && [
      element("h2", {}, "Not answered"),
      element("ul", {}, open.map(one => element("li", {}, questionLink(one), one.step === "skipped" && element("span", { class: "tw-quiet" }, " skipped"))))],
    again(done),
    recordingsOfAll(),
    actions(done, field),
    field)
  focus(view.querySelector("h2"))
}

session.addEventListener("end", sumUp)
