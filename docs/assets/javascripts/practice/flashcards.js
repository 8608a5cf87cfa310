// Flashcards: question, think, reveal, grade. What a card is comes from the pages; when it is due from fsrs.js.

import { readAddress, writeAddress } from "./filters.js"
import { AGAIN, DAY, EASY, GOOD, HARD, review } from "./fsrs.js"
import { button, counted, element, failed, fragment, loadCards, place, shortcuts, showNotices, showProof } from "./page.js"
import { store } from "./store.js"

const SESSION = 20
const GRADES = [[AGAIN, "Again"], [HARD, "Hard"], [GOOD, "Good"], [EASY, "Easy"]]
const FILTERS = ["level", "topic", "kind"]

const app = document.getElementById("flashcards")
const overview = app.querySelector(".tw-overview")
const view = app.querySelector(".tw-session")
const form = overview.querySelector("form")

let bank
let session = null  // {queue: [id, ...], total, started, graded: Map(id -> [grade, ...]), last: what undo needs, revealed}

// A time to wait as people say it, from milliseconds.
const wait = milliseconds => {
  const days = Math.max(1, Math.round(milliseconds / DAY))
  if (days < 45) return counted(days, "day")
  return days < 550 ? counted(Math.round(days / 30.4), "month") : counted(Math.round(days / 365), "year")
}

// ---------- The overview: what there is, and how far one is ----------

const chosen = () => {
  const data = new FormData(form)
  return bank.cards.filter(card => FILTERS.every(name => !data.get(name) || card[name] === data.get(name)))
}

const sorted = cards => {
  const now = Date.now()
  const memories = store.all("card")
  // The shortest interval is a day, but what was missed today is not known today.
  const isDue = memory => memory.due <= now || memory.grade === AGAIN
  const met = cards.filter(card => memories.has(card.id))
  return {
    due: met.filter(card => isDue(memories.get(card.id)))
      .sort((one, other) => memories.get(one.id).due - memories.get(other.id).due),
    known: met.filter(card => !isDue(memories.get(card.id))),
    fresh: cards.filter(card => !memories.has(card.id)),
  }
}

const progressRow = topic => {
  const cards = bank.cards.filter(card => card.topic === topic.id)
  const { due, fresh, known } = sorted(cards)
  const share = count => `width: ${100 * count / cards.length}%`
  return element("tr", {},
    element("th", { scope: "row" }, element("a", { href: topic.url }, topic.label), " ",
      element("span", { class: "tw-quiet" }, bank.levels[topic.level])),
    element("td", {}, element("div", { class: "tw-bar", "aria-hidden": "true" },
      element("span", { style: share(known.length) }), element("span", { style: share(due.length) }))),
    ...[known, due, fresh].map(list => element("td", { class: "tw-number" }, String(list.length))))
}

const unfinished = () => {
  const found = store.get("place:flashcards")
  if (typeof found?.queue !== "string") return null
  const queue = found.queue.split(",").filter(id => bank.byId.has(id))
  if (!queue.length) return null
  return { queue, total: Math.max(queue.length, Number.isInteger(found.total) ? found.total : 0) }
}

const showOverview = () => {
  session = null
  view.hidden = true
  overview.hidden = false
  refreshOverview()
}

const stop = () => {
  showOverview()
  app.focus({ preventScroll: true })
}

const refreshOverview = () => {
  const { due, fresh, known } = sorted(chosen())
  const next = Math.min(...known.map(card => store.get(`card:${card.id}`).due))
  const count = Math.min(SESSION, due.length + fresh.length)
  overview.querySelector(".tw-counts-now").textContent = due.length + fresh.length + known.length === 0
    ? "No card matches. Take one filter away."
    : `${due.length} due, ${fresh.length} new, ${known.length} known.`
      + (count ? "" : ` Nothing is due here before ${new Date(next).toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric" })}.`)
  const open = unfinished()
  overview.querySelector(".tw-actions").replaceChildren(...[
    open && button(`Go on: ${counted(open.queue.length, "card")} left of ${open.total}`, () => begin(open.queue, open.total), { key: "Space" }),
    count > 0 && button(`${open ? "Start a new session of" : "Start with"} ${counted(count, "card")}`, startAnew, { key: !open && "Space", quiet: open }),
  ].filter(Boolean))
  overview.querySelector("tbody").replaceChildren(...bank.topics.map(progressRow))
}

form.addEventListener("change", () => {
  writeAddress(form)
  refreshOverview()
})
form.addEventListener("submit", event => event.preventDefault())

// ---------- A session ----------

const startAnew = () => {
  const { due, fresh } = sorted(chosen())
  const queue = [...due, ...fresh].slice(0, SESSION).map(card => card.id)
  if (queue.length) begin(queue, queue.length)
}

const begin = (queue, total) => {
  session = { queue: [...queue], total, started: Date.now(), graded: new Map(), last: null }
  overview.hidden = true
  view.hidden = false
  ask()
}

// Graded in another tab since this session began, and not here: it need not be asked again.
const doneElsewhere = id => !session.graded.has(id) && store.get(`card:${id}`)?.last > session.started

const remember = () => {
  if (session.queue.length) store.set("place:flashcards", { queue: session.queue.join(","), total: session.total })
  else store.remove("place:flashcards")
}

const left = () => `${counted(session.queue.length, "card")} left`

const show = (...children) => {
  view.replaceChildren(...children)
  view.querySelector("h2").focus({ preventScroll: true })
  app.scrollIntoView({ block: "nearest" })
}

const bar = () => element("div", { class: "tw-actions" },
  button("Undo the last grade", undo, { key: "u", quiet: true }), button("Stop", stop, { key: "Esc", quiet: true }))

const question = card => element("div", { class: "tw-ask" },
  element("p", { class: "tw-ask__place" }, `${place(bank, card)} · ${left()}`),
  element("h2", { tabindex: "-1" }, card.title))

const withUndo = bar => {
  bar.querySelector("button").hidden = !session.last
  return bar
}

const ask = () => {
  while (session.queue.length && doneElsewhere(session.queue[0])) session.queue.shift()
  remember()
  if (!session.queue.length) return finish()
  const card = bank.byId.get(session.queue[0])
  session.revealed = false
  show(question(card),
    element("p", { class: "tw-keys" }, `About ${counted(card.minutes, "minute")} aloud.`),
    element("div", { class: "tw-actions" }, button("Reveal the answer", reveal, { key: "Space" })),
    withUndo(bar()))
}

const reveal = () => {
  const card = bank.byId.get(session.queue[0])
  session.revealed = true
  const proof = element("div", {})
  const now = Date.now()
  const memory = store.get(`card:${card.id}`)
  show(question(card),
    element("div", { class: "tw-part" }, element("h3", {}, "Say it"), element("div", { class: "tw-say" }, fragment(card.say))),
    element("div", { class: "tw-part" }, element("h3", {}, "The proof"), proof),
    element("div", { class: "tw-part" }, element("h3", {}, "Listening for"),
      element("ul", { class: "tw-ladder" }, card.ladder.map((text, index) =>
        element("li", {}, element("strong", {}, bank.grades[index]), ": ", fragment(text))))),
    element("p", {}, element("a", { href: card.url }, "Read the whole page")),
    element("div", { class: "tw-actions tw-grades", role: "group", "aria-label": "Grade yourself" },
      GRADES.map(([grade, name]) => element("button", { type: "button", class: "tw-button", onclick: () => give(grade) },
        element("span", {}, name, element("kbd", { "aria-hidden": "true" }, String(grade))),
        element("small", {}, grade === AGAIN ? "today" : wait(review(memory, grade, now).due - now))))),
    withUndo(bar()))
  showProof(proof, bank, card)
}

const give = grade => {
  const id = session.queue.shift()
  const before = store.get(`card:${id}`)
  session.last = { id, before, queue: [id, ...session.queue] }
  session.graded.set(id, [...(session.graded.get(id) ?? []), grade])
  store.set(`card:${id}`, { ...review(before, grade, Date.now()), grade })
  if (grade === AGAIN) session.queue.push(id)
  ask()
}

const undo = () => {
  if (!session.last) return
  const { id, before, queue } = session.last
  session.graded.get(id).pop()
  if (before) store.set(`card:${id}`, before)
  else store.remove(`card:${id}`)
  session.queue = queue
  session.last = null
  ask()
}

const finish = () => {
  const firsts = [...session.graded.values()].map(grades => grades[0]).filter(Boolean)
  const tally = GRADES.map(([grade, name]) => [name, firsts.filter(first => first === grade).length])
  show(element("div", { class: "tw-ask" },
      element("h2", { tabindex: "-1" }, "That was the session"),
      element("p", {}, `You graded ${counted(firsts.length, "card")}. At first sight: `
        + tally.map(([name, count]) => `${name.toLowerCase()} ${count}`).join(", ") + ".")),
    element("div", { class: "tw-actions" }, button("Back to the overview", stop, { key: "Space" })),
    withUndo(element("div", { class: "tw-actions" }, button("Undo the last grade", undo, { key: "u", quiet: true }))))
}

// ---------- Keys, other tabs, start ----------

shortcuts(app, key => {
  if (!session) {
    if (key !== " ") return false
    overview.querySelector(".tw-actions button")?.click()
    return true
  }
  if (key === "Escape") stop()
  else if (key === "u" && session.last) undo()
  else if (!session.queue.length && [" ", "Enter"].includes(key)) stop()
  else if (session.queue.length && !session.revealed && [" ", "Enter"].includes(key)) reveal()
  else if (session.revealed && ["1", "2", "3", "4"].includes(key)) give(Number(key))
  else return false
  return true
})

store.addEventListener("change", () => {
  if (bank && !session) refreshOverview()
})

const start = async () => {
  showNotices(app.querySelector(".tw-notice"))
  try {
    bank = await loadCards()
  } catch {
    return failed(view, start)
  }
  view.hidden = true
  readAddress(form, FILTERS)
  showOverview()
}

start()
