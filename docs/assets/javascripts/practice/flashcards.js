// Flashcards. What a card is comes from the pages; when it is due from flashcards/fsrs.js.

import { readAddress, writeAddress } from "../shared/address.js"
import { element } from "../shared/dom.js"
import { shortcuts } from "../shared/keys.js"
import { FILTERS, refresh } from "./flashcards/overview.js"
import { Session } from "./flashcards/session.js"
import { failed, loadCards } from "./shared/cards.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"
import { store } from "./shared/store.js"

const app = document.getElementById("flashcards")
const overview = app.querySelector(".tw-overview")
const view = app.querySelector(".tw-session")
const form = overview.querySelector("form")

let bank = null
let session = null  // null in the overview

const showOverview = () => {
  session = null
  view.hidden = true
  overview.hidden = false
  refreshOverview()
}

const begin = cards => {
  overview.hidden = true
  view.hidden = false
  session = new Session(bank, view, () => {
    showOverview()
    app.focus({ preventScroll: true })
  }, cards)
  session.begin()
}

const refreshOverview = () => {
  if (bank && !session) refresh(overview, bank, begin)
}

form.addEventListener("change", () => {
  writeAddress(form)
  refreshOverview()
})
form.addEventListener("submit", event => event.preventDefault())
store.addEventListener("change", refreshOverview)

// The same fields filter the list of questions, which has no exercises: so the page's own do not name them.
const nameExercises = () => {
  const topics = bank.topics.filter(topic => !topic.level)
  if (topics.length === 0) return
  form.elements.kind.append(element("option", { value: "write" }, bank.kinds.write))
  form.elements.topic.append(element("optgroup", { label: bank.kinds.write },
    topics.map(({ id, label }) => element("option", { value: id }, label))))
}

shortcuts(app, key => {
  if (session) return session.press(key)
  if (key !== " ") return false
  overview.querySelector(".tw-actions button")?.click()
  return true
})

const start = async () => {
  showNotices(app.querySelector(".tw-notice"))
  try {
    bank = await loadCards()
  } catch {
    failed(view, start)
    return
  }
  nameExercises()
  readAddress(form, FILTERS)
  showOverview()
}

start()
