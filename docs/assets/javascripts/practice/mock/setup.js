// Setting up an interview, and going back to those that have been.

import { button, counted, element } from "../../shared/dom.js"
import { store } from "../../shared/store.js"
import { finished, unfinished } from "./kept.js"
import { writeLink } from "./link.js"
import { startRecording } from "./recording.js"
import { scoreText, summarize } from "./score.js"
import { session } from "./session.js"
import { choose, clamp, cleanSeed, cost, eligibleOf, FORMATS, MINUTES, onlyOnes, sum, usualMinutes } from "./set.js"
import { fill, focus, heading, name, on, show, tell } from "./view.js"

let parts = {}

const words = list => list.join(", ").replace(/, ([^,]*)$/, " and $1")

// What a format draws, and from how many questions: where there are few, they come again.
const shares = format => {
  const { weights, kinds, only } = FORMATS[format]
  const there = eligibleOf(session.bank.cards, format)
  const percent = Object.entries(weights).map(([level, weight]) => `${Math.round(weight * 100)}% ${level}`)
  if (only) return `From ${counted(there.length, "question")}.`
  const counts = Object.keys(weights).map(level => there.filter(card => card.level === level).length)
  return `${kinds ? "Then " : ""}${percent.join(", ")}, from ${words(counts)} questions.`
}

const formatField = chosen => element("fieldset", { class: "tw-choices" }, element("legend", {}, "Format"),
  Object.entries(FORMATS).map(([value, { label, about }]) => element("label", {},
    element("input", { type: "radio", name: "format", value, checked: value === chosen }),
    element("span", {}, element("strong", {}, label), " ", about, " ", element("span", { class: "tw-quiet" }, shares(value))))))

const settings = () => {
  const data = new FormData(parts.form)
  return {
    format: data.get("format"), minutes: clamp(Number(data.get("minutes"))), seed: cleanSeed(data.get("seed")) || "0",
    record: data.has("record"),
  }
}

const preview = () => {
  const { format } = settings()
  const cards = choose(session.bank.cards, settings())
  const always = onlyOnes(session.bank.cards, format).filter(card => cards.includes(card))
  const minutes = sum(cards.map(card => cost(card, format)))
  parts.preview.textContent = `${counted(cards.length, "question")}, ${counted(minutes, "minute")} with their follow-ups.`
    + always.map(card => ` There is one ${card.kind} question so far, so each set with room for it has it.`).join("")
}

// A round has a length of its own, until one types another.
const adapt = ({ target }) => {
  if (target.name === "minutes") parts.typed = true
  if (target.name === "format" && !parts.typed) parts.form.elements.namedItem("minutes").value = usualMinutes(target.value)
  preview()
}

const begin = (chosen, ids) => {
  const { record } = settings()
  session.begin(chosen, ids)
  if (record) startRecording()
}

const startNew = event => {
  event.preventDefault()
  const chosen = settings()
  begin(chosen, choose(session.bank.cards, chosen).map(card => card.id))
}

const form = link => element("form", { onsubmit: startNew, oninput: adapt },
  heading("A new interview"),
  formatField(link.format),
  element("div", { class: "tw-fields" }, element("label", {}, "Minutes",
    element("input", {
      type: "number", name: "minutes", min: MINUTES.least, max: MINUTES.most, step: 1, required: true, inputmode: "numeric",
      value: link.minutes,
    }))),
  element("details", {}, element("summary", {}, "Seed"),
    element("div", { class: "tw-fields" }, element("label", {}, "The same seed gives the same questions",
      element("input", {
        type: "text", name: "seed", value: link.seed || Math.random().toString(36).slice(2, 8),
        autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      })))),
  element("label", { class: "tw-check" }, element("input", { type: "checkbox", name: "record" }),
    element("span", {}, element("strong", {}, "Record my voice"), " for me to listen to after each answer. The recording stays in "
      + "this tab's memory: it is never uploaded, and it is deleted when the tab closes unless you download it.")),
  element("div", { class: "tw-actions" },
    element("button", { class: "tw-button" }, "Start", element("kbd", { "aria-hidden": "true" }, "Enter")), parts.preview))

/** Show what can be chosen, as a link wishes it; see readLink(). */
export const setup = link => {
  parts = {
    link,
    offers: element("div", {}),
    past: element("div", {}),
    preview: element("p", { role: "status", class: "tw-quiet" }),
    typed: link.minutes !== usualMinutes(link.format),
  }
  parts.form = form(link)
  show("setup", parts.offers, parts.form, parts.past)
  preview()
  refreshSetup()
}

/** Set up another interview like the one that is summed up. */
export const backToSetup = () => {
  history.replaceState(null, "", location.pathname)
  const { format, minutes } = session.interview
  session.leave()
  setup({ format, minutes, seed: "", questions: [] })
  tell("")
  focus(parts.form.querySelector("h2"))
}

// ---------- What can be gone on with ----------

const offer = (title, text, ...buttons) => element("div", { class: "tw-ask" },
  element("h2", {}, title), element("p", {}, text), element("div", { class: "tw-actions" }, buttons))

const offerToContinue = ([entry, found]) => offer(
  "An unfinished interview",
  `${name(found)}, begun ${on(found.began)}: question ${found.current + 1} of ${found.answers.length}.`
    + (found.lost ? ` ${counted(found.lost, "question")} of it ${found.lost === 1 ? "is" : "are"} not on this site any more.` : ""),
  button("Continue", () => session.go(found)),
  button("Start anew", () => { store.remove(entry); session.begin(found, found.answers.map(one => one.id)) }, { quiet: true }),
  button("Discard", () => store.remove(entry), { quiet: true }))

const offerOfLink = link => offer("The set of this link", `${name(link)}, ${counted(link.questions.length, "question")}.`,
  button("Start this set", () => begin({ ...link, seed: link.seed || settings().seed }, link.questions)))

/** Offer what is stored now. */
export const refreshSetup = () => {
  const { link } = parts
  const open = unfinished(session.bank)
  const isOpen = open.some(([, found]) => writeLink(found) === location.search)
  fill(parts.offers, open.map(offerToContinue), !isOpen && link.questions.length > 0 && offerOfLink(link))
  const past = finished(session.bank)
  fill(parts.past, past.length > 0 && element("details", {}, element("summary", {}, `Your last interviews (${past.length})`),
    element("ul", { class: "tw-past" }, past.map(([, found]) => element("li", {},
      button(on(found.began), () => session.review(found), { quiet: true }),
      ` ${name(found)}: ${scoreText(summarize(found, session.bank).all)} points`)))))
}

/** Do what Enter means while no control has the focus. */
export const pressMain = () => (parts.offers.querySelector("button") ?? parts.form.querySelector(".tw-actions button")).click()
