// Flashcards. What a card is comes from the pages; when it is due from practice/shared/fsrs.js.
//
// `?start=due` begins with what is due, for links from other pages.

import { element } from "../shared/dom.js"
import { shortcuts } from "../shared/keys.js"
import { Choice } from "./flashcards/choice.js"
import { noteGone } from "./flashcards/due.js"
import { dueSession, refresh } from "./flashcards/overview.js"
import { Session } from "./flashcards/session.js"
import { failed, loadCards } from "./shared/cards.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"
import { store } from "../shared/store.js"

const app = document.getElementById("flashcards")
const overview = app.querySelector(".tw-overview")
const view = app.querySelector(".tw-session")
const choice = new Choice(overview)

let bank = null
let session = null  // null in the overview

const show = state => {
  app.dataset.view = state
  view.hidden = state !== "session"
  overview.hidden = state !== "overview"
}

const showOverview = () => {
  session = null
  show("overview")
  refreshOverview()
}

const begin = cards => {
  show("session")
  session = new Session(bank, view, () => {
    showOverview()
    app.focus({ preventScroll: true })
    app.scrollIntoView({ block: "nearest" })
  }, cards)
  session.begin()
}

const refreshOverview = () => {
  if (bank && !session) refresh(overview, bank, choice, begin)
}

for (const form of overview.querySelectorAll("form")) {
  form.addEventListener("change", () => choice.write())  // the store's change refreshes what is shown
  form.addEventListener("submit", event => event.preventDefault())
}
store.addEventListener("change", refreshOverview)
document.addEventListener("visibilitychange", refreshOverview)  // who comes back to an open tab may do so on another day

// The same fields filter the list of questions, which has no exercises: so the page's own do not name them.
const nameExercises = () => {
  const topics = bank.topics.filter(topic => !topic.level)
  if (topics.length === 0) return
  const { elements } = overview.querySelector("form")
  elements.kind.append(element("option", { value: "write" }, bank.kinds.write))
  elements.topic.append(element("optgroup", { label: bank.kinds.write },
    topics.map(({ id, label }) => element("option", { value: id }, label))))
}

shortcuts(app, key => {
  if (session) return session.press(key)
  const main = overview.querySelector(".tw-actions button")
  if (overview.hidden || !main || (key !== " " && key !== "Enter")) return false
  main.click()
  return true
})

// Once: a reload shows the overview, where the session can go on.
const startsWithDue = () => {
  const query = new URLSearchParams(location.search)
  if (query.get("start") !== "due") return false
  query.delete("start")
  history.replaceState(null, "", query.size ? `?${query}` : location.pathname)
  return true
}

const start = async () => {
  showNotices(app.querySelector(".tw-notice"))
  try {
    bank = await loadCards()
  } catch {
    failed(view, start)
    return
  }
  noteGone(bank)
  nameExercises()
  choice.read()
  const due = startsWithDue() && dueSession(bank, choice)
  if (due) begin(due)
  else showOverview()
}

start()
