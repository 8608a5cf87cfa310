// What a step of an interview shows: the question, a follow-up, or the answer with its rubric.

import { button, counted, element, fragment } from "../../shared/dom.js"
import { isExercise, ladder, place, say, showProof, terms } from "../shared/cards.js"
import { ownStory } from "../shared/own-story.js"
import { bar, fillBar } from "./bar.js"
import { FOLLOW_UPS, followUps } from "./follow-ups.js"
import { codeField, notesField, padField } from "./notes.js"
import { prompts } from "./prompts.js"
import { followAnswer, recordingsOfAnswer } from "./recording.js"
import { rubric } from "./rubric.js"
import { session } from "./session.js"
import { asksForCode, FORMATS } from "./set.js"
import { app, focus, heading, part, show, view } from "./view.js"

// ---------- Follow-ups ----------

// Nobody sees the page yet, so what needs it in view is not asked.
const asked = async id => {
  const next = (await session.bank.proof(id)).next.filter(one => !one.here)
  return followUps(session.interview.seed, id, next).map(index => next[index])
}

const showFollowUp = async (box, number) => {
  box.replaceChildren(element("p", { class: "tw-ask__place" }, `Follow-up ${number} of ${FOLLOW_UPS}`),
    element("h3", { tabindex: "-1" }, "Loading the follow-up…"))
  try {
    const list = await asked(session.answer.id)
    box.querySelector("h3").replaceChildren(fragment(list[number - 1].question))
  } catch {
    box.querySelector("h3").replaceChildren("The follow-up could not be loaded.")
    box.append(element("p", {}, button("Try again", () => showFollowUp(box, number), { quiet: true })))
  }
}

const showFollowUpAnswers = async box => {
  const { url } = session.card
  try {
    const list = await asked(session.answer.id)
    box.replaceChildren(...list.flatMap(({ question, answer }) => [element("h4", {}, fragment(question)), fragment(answer)]))
  } catch {
    box.replaceChildren(element("p", {}, "They could not be loaded. ", element("a", { href: url }, "They are on the question's page.")))
  }
}

// ---------- The steps ----------

// Where it is written: there, not here.
const whereToWrite = ({ minutes, url }) => element("p", {}, `${counted(minutes, "minute")}. `,
  element("a", { href: url, target: "_blank", rel: "noopener" }, "Open the exercise in a new tab"),
  ". Write it there; the clock runs here.")

const question = () => element("div", { class: "tw-actions" },
  button("I have answered", () => session.advance(), { key: "Space" }), button("Skip", () => session.skip(), { quiet: true }))

const followUp = number => {
  const box = element("div", { class: "tw-ask tw-follow-up" })
  showFollowUp(box, number)
  return [box, element("div", { class: "tw-actions" },
    button(number < FOLLOW_UPS ? "Answered" : "Answered, show me the answer", () => session.advance(), { key: "Space" }))]
}

const reveal = () => {
  const { bank, card } = session
  const proof = element("div", {})
  const others = element("div", {}, element("p", { class: "tw-quiet" }, "Loading…"))
  showFollowUpAnswers(others)
  const fold = element("details", { ontoggle: () => fold.open && !proof.hasChildNodes() && showProof(proof, bank, card) },
    element("summary", {}, isExercise(card) ? "One solution, and why" : "The code that ran, and what it printed"), proof)
  return [
    recordingsOfAnswer(),
    session.answer.code && codeField(),
    session.answer.pad && padField(),
    card.story && part("Your story", ownStory(card)),
    element("div", { class: "tw-part" },
      element("h3", { tabindex: "-1", class: "tw-first" }, isExercise(card) ? "The core line" : "Say it"),
      say(card),
      terms(card)),
    part("The follow-ups", others),
    part(isExercise(card) ? "The solution" : "The proof", fold,
      !isExercise(card) && element("p", {}, element("a", { href: card.url }, "Read the whole page"))),
    part("Listening for", ladder(bank, card)),
    part("Rate your answer", rubric()),
  ]
}

const stage = step => {
  if (step === "revealed") return reveal()
  return step === "asked" ? question() : followUp(Number(step.slice(-1)))
}

const ask = byReader => {
  const { answering, bank, card, interview } = session
  show("running",
    bar(),
    element("div", { class: "tw-ask" },
      element("p", { class: "tw-ask__place" }, `Question ${interview.current + 1} of ${interview.answers.length} · ${place(bank, card)}`),
      heading(card.title), isExercise(card) && answering && whereToWrite(card)),
    answering && asksForCode(card) && codeField(),
    answering && FORMATS[interview.format].prompts && [prompts(), padField()],
    stage(session.answer.step),
    answering && notesField("Notes"),
    element("p", { class: "tw-keys" }, "Keys: ",
      answering ? "Space goes on, k pauses" : "1, 2 and 3 rate, Enter goes on", ", ← and → change the question."))
  fillBar()
  followAnswer()
  if (byReader) focus(view.querySelector(".tw-first, .tw-follow-up h3") ?? view.querySelector("h2"))
  else if (!app.contains(document.activeElement)) app.focus({ preventScroll: true })
}

session.addEventListener("step", ({ detail }) => ask(detail.byReader))
session.addEventListener("pause", followAnswer)
