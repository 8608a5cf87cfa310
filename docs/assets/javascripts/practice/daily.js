// The daily warmup: the cards of the day, one question aloud, one program to predict, on some days a piece of code, and the end.
//
// What a day has is chosen when it begins and kept, so that it is the same after a reload and in another tab.

import { button, counted, element } from "../shared/dom.js"
import { shortcuts } from "../shared/keys.js"
import { store } from "../shared/store.js"
import { Aloud } from "./daily/aloud.js"
import { dateOf, dayOn, daysBefore, isCounted, isDone, keepDay, streak } from "./daily/days.js"
import { improved } from "./daily/improved.js"
import { plan, prepare } from "./daily/prepare.js"
import { noteGone } from "./flashcards/due.js"
import { reviewOf } from "./flashcards/queue.js"
import { firstOf, Session, unfinished } from "./flashcards/session.js"
import { suspended } from "./flashcards/suspended.js"
import { Attempt } from "./predict/attempt.js"
import { load, puzzles } from "./predict/puzzles.js"
import { sum } from "./mock/set.js"
import { failed, loadCards } from "./shared/cards.js"
import { AGAIN, dayBegins, isDue } from "./shared/fsrs.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"
import { KNOWN, noteVerdict, verdictOf } from "./shared/verdict.js"
import { missedWords, noteWords, wordsOf } from "./shared/words.js"
import { address } from "../shared/address.js"

const PLACE = "place:daily"
const STEPS = ["cards", "aloud", "program", "code"]

const app = document.getElementById("daily")
const form = app.querySelector("form")
const overview = app.querySelector(".tw-overview")
const view = app.querySelector(".tw-session")
const program = app.querySelector(".tw-program")
const where = app.querySelector(".tw-step")
const attempt = new Attempt(program, () => after("program"))

const coding = [...app.querySelectorAll(".tw-code li")].map(({ dataset, firstElementChild: link }) => ({
  name: `${dataset.kind}:${dataset.slug}`, kind: dataset.kind, level: dataset.level, minutes: Number(dataset.minutes), url: link.href, title: link.textContent,
}))
app.querySelector(".tw-code").remove()

let bank = null
let date = ""  // of the warmup that is shown
let running = null  // what has the keys: a session of cards or a question; null in the overview and while a program is shown

const today = () => dayOn(date)
const settings = () => ({ level: plan().level ?? Object.keys(bank.levels)[0], streak: false, ...store.get(PLACE) })

// ---------- What the day has ----------

const split = ids => String(ids ?? "").split(",").filter(id => bank.byId.has(id))

// What the overview shows before the day has begun is what the day then has.
const chosen = () => (today()?.cards === undefined ? prepare(bank, coding, date, settings().level) : today())

// Also what was missed today, and not what was graded this morning elsewhere.
const cardsLeft = day => {
  const out = suspended()
  const isLeft = memory => !memory || isDue(memory, Date.now())
  return split(day.cards).filter(id => !out.has(id) && isLeft(store.get(`card:${id}`)))
}
const puzzleOfDay = day => puzzles.find(({ slug }) => slug === day.puzzle)
const codeOfDay = day => coding.find(({ name }) => name === day.code)

// ---------- The overview ----------

const has = { cards: day => cardsLeft(day).length > 0, aloud: day => bank.byId.has(day.question), program: day => puzzleOfDay(day), code: day => codeOfDay(day) }

// The steps that a day has, from one of them on.
const stepsFrom = (step, day) => STEPS.slice(Math.max(0, STEPS.indexOf(step))).filter(name => has[name](day))

// What each step takes, in minutes, and what the reader is told of it before. Code comes on top.
const ABOUT = {
  cards: day => {
    const ids = cardsLeft(day)
    const due = ids.filter(id => store.get(`card:${id}`)).length
    const news = ids.length - due
    return [ids.length, due === 0 ? counted(news, "new card") : `${counted(due, "card")} that came due${news ? `, and ${news} new` : ""}`]
  },
  aloud: day => {
    const { minutes } = bank.byId.get(day.question)
    return [minutes, `One question aloud, ${counted(minutes, "minute")} by the clock, with the words that an interviewer waits for`]
  },
  program: () => [2, "One program: what does it print?"],
  code: day => {
    const { kind, minutes } = codeOfDay(day)
    return [0, `If you have more time: ${kind === "trainer" ? "a broken trainer" : "an exercise"}, ${minutes} minutes`]
  },
}

/** What came of the day's cards so far. */
const cardsOfDay = day => {
  const begin = day.began ?? dayBegins(Date.now())  // it may end after midnight
  const asked = split(day.cards).filter(id => store.get(`card:${id}`)?.last >= begin)
  const missed = split(day.missedBefore)
  const isAgain = id => firstOf(store.get(`card:${id}`)) === AGAIN
  return { graded: asked.length, again: asked.filter(isAgain).length, back: missed.filter(id => asked.includes(id) && !isAgain(id)).length }
}

const lastLine = () => improved(today(), cardsOfDay(today()))

const days = () => {
  if (!settings().streak) return ""
  const count = streak(date)
  if (count > 0) return `${counted(count, "day")} in a row. A missed day is forgiven.`
  return daysBefore(date).some(([, day]) => isCounted(day)) ? "A row begins with today's warmup." : ""
}

const showOverview = () => {
  date = dateOf(Date.now())
  running = null
  attempt.hide()
  app.dataset.view = "overview"
  overview.hidden = false
  view.hidden = program.hidden = where.hidden = true
  const day = chosen()
  const begun = today()?.step !== undefined
  for (const [name, value] of Object.entries(settings())) if (form.elements[name]) form.elements[name][name === "streak" ? "checked" : "value"] = value
  const about = isDone(day) ? [] : stepsFrom(day.step, day).map(step => ABOUT[step](day))
  overview.querySelector(".tw-has").replaceChildren(...about.map(([, line]) => element("li", {}, line)))
  overview.querySelector(".tw-about").textContent = isDone(day)
    ? `Today's warmup is done. ${lastLine()}`
    : `${begun ? "Begun today, and left" : "Today"}, about ${counted(sum(about.map(([minutes]) => minutes)), "minute")}:`
  overview.querySelector(".tw-days").textContent = days()
  const due = store.all("card").size > 0
  overview.querySelector(".tw-actions").replaceChildren(...isDone(day)
    ? [due && element("a", { class: "tw-button tw-button--quiet", href: address("practice/flashcards/?start=due") }, "More cards"),
      element("a", { class: "tw-button tw-button--quiet", href: address("practice/mock/") }, "A mock interview")].filter(Boolean)
    : [button(begun ? "Go on" : "Start", start, { key: "Space" })])
}

// ---------- The steps ----------

const start = () => {
  if (today()?.step === undefined) {
    const day = chosen()
    const wasMissed = id => store.get(`card:${id}`) && firstOf(store.get(`card:${id}`)) === AGAIN
    keepDay(date, {
      ...day, step: "cards", began: Date.now(), missedBefore: split(day.cards).filter(wasMissed).join(","),
      said: 0, of: 0, saidBefore: wordsOf(day.question)?.said ?? null,
      verdict: "", verdictBefore: verdictOf(day.question) ?? "",
      right: null, rightBefore: store.get(`puzzle:${day.puzzle}`)?.last ?? null,
      askedBefore: daysBefore(date).find(([, before]) => before.question === day.question)?.[0] ?? "",
    })
  }
  go(today().step)
}

const show = step => {
  app.dataset.view = step
  overview.hidden = true
  view.hidden = step === "program"
  program.hidden = step !== "program"
  where.hidden = step === "done"
  where.textContent = { cards: "First, the cards", aloud: "Now one question aloud", program: "Now one program", code: "If you have more time" }[step] ?? ""
  if (step !== "code" && stepsFrom(step, today()).length === 1) where.textContent = where.textContent.replace("Now", "Last,")
}

/** Go to a step, or to the next one that this day has. */
const go = step => {
  running = null
  attempt.hide()
  const [next] = step === "done" ? [] : stepsFrom(step, today())
  if (!next) {
    finish()
    return
  }
  keepDay(date, { step: next })
  show(next)
  act[next](today())
}

/** The heading of what is shown has the focus, and all of it is in view from its beginning. */
const turnTo = heading => {
  heading.focus({ preventScroll: true })
  app.scrollIntoView({ block: "start" })
}

const after = step => go(STEPS[STEPS.indexOf(step) + 1] ?? "done")

const act = {
  cards: day => {
    const left = cardsLeft(day).map(id => bank.byId.get(id))
    running = new Session(bank, view, () => after("cards"), reviewOf(left, unfinished(bank)), "Go on", () => "Aloud, in a sentence or two: a minute.")
    running.begin()
  },

  aloud: day => {
    const card = bank.byId.get(day.question)
    running = new Aloud(bank, card, view, day.why, verdict => {
      noteWords(card, view, verdict !== KNOWN)
      noteVerdict(card.id, verdict)
      const { said = 0, of = 0 } = view.querySelector(".tw-terms") ? wordsOf(card.id) ?? {} : {}
      keepDay(date, { verdict, said, of })
      after("aloud")
    })
    running.begin()
  },

  program: async day => {
    const puzzle = puzzleOfDay(day)
    view.hidden = false
    view.replaceChildren(element("p", { class: "tw-quiet" }, "Loading the program…"))
    try {
      await load(puzzle)
    } catch {
      failed(view, () => act.program(day), "The program")
      return
    }
    if (app.dataset.view !== "program") return
    view.hidden = true
    attempt.show(puzzle)
    turnTo(puzzle.parts.heading)
  },

  code: day => {
    const piece = codeOfDay(day)
    view.replaceChildren(
      element("div", { class: "tw-ask" },
        element("p", { class: "tw-ask__place" }, `${piece.kind === "trainer" ? "Broken trainer" : "Write from memory"} · ${bank.levels[piece.level]} · ${piece.minutes} minutes`),
        element("h2", { tabindex: "-1" }, piece.title)),
      element("div", { class: "tw-actions" },
        element("a", { class: "tw-button", href: piece.url, onclick: () => keepDay(date, { step: "done" }) }, "Open it"),
        button("Not today", () => after("code"), { key: "Space", quiet: true })))
    turnTo(view.querySelector("h2"))
  },
}

const finish = () => {
  keepDay(date, { step: "done" })
  show("done")
  const words = missedWords().slice(0, 3)
  view.replaceChildren(
    element("div", { class: "tw-ask" },
      element("h2", { tabindex: "-1" }, "That was today's warmup"),
      element("p", {}, lastLine()),
      days() && element("p", { class: "tw-quiet" }, days())),
    ...words.length ? [element("p", {}, "Words that you keep leaving out: ", words.map(({ id, word }, index) => [
      index > 0 && ", ", bank.byId.has(id) ? element("a", { href: bank.byId.get(id).url }, word) : word]), ". ",
    element("a", { href: address("practice/#words") }, "All of them"))] : [],
    element("div", { class: "tw-actions" }, button("Back to the overview", leave, { key: "Space" })))
  turnTo(view.querySelector("h2"))
}

const leave = () => {
  showOverview()
  app.focus({ preventScroll: true })
}

// ---------- Keys, start ----------

// The day is over then, but for the offer of code: who closes the page now has done it.
attempt.addEventListener("answered", () => {
  const [next] = stepsFrom("code", today())
  keepDay(date, { right: store.get(`puzzle:${attempt.puzzle.slug}`).last, step: next ?? "done" })
})

shortcuts(app, (key, { target }) => {
  if (!bank) return false
  if (running) return running.press(key)
  if (app.dataset.view === "program") return attempt.press(key, target)
  const main = [...app.querySelectorAll(".tw-overview button.tw-button, .tw-session button.tw-button")].find(one => one.checkVisibility())
  if (!main || (key !== " " && key !== "Enter")) return false
  main.click()
  return true
})

// Only what was changed: a level that nobody chose here is the plan's, whichever plan comes later.
form.addEventListener("change", ({ target: { name, type, checked, value } }) =>
  store.set(PLACE, { ...store.get(PLACE), [name]: type === "checkbox" ? checked : value }))
form.addEventListener("submit", event => event.preventDefault())
const refresh = () => {
  if (bank && app.dataset.view === "overview") showOverview()
}
store.addEventListener("change", refresh)
document.addEventListener("visibilitychange", refresh)  // who comes back to an open tab may do so on another day

const begin = async () => {
  showNotices(app.querySelector(".tw-notice"))
  try {
    bank = await loadCards()
  } catch {
    view.hidden = false
    failed(view, begin)
    return
  }
  noteGone(bank)
  showOverview()
}

begin()
