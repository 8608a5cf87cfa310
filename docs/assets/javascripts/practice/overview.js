// The practice page: how far the reader is, and their progress as a file.

import { address } from "../shared/address.js"
import { counted, element, save } from "../shared/dom.js"
import { howMany } from "./shared/coding-list.js"
import { countDue } from "./flashcards/due.js"
import "./overview/whole-site.js"
import "./overview/words.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"
import { store } from "../shared/store.js"
import "./overview/transfer.js"
import { countStories } from "../shared/stories.js"

const app = document.getElementById("progress")
const message = app.querySelector(".tw-message")
const file = app.querySelector("input[type=file]")

const refresh = () => {
  const cards = [...store.all("card").values()]
  const puzzles = [...store.all("puzzle").values()]
  const questions = [...store.all("question").values()]
  app.querySelector(".tw-summary").replaceChildren(...[
    element("li", {}, `${counted(questions.filter(question => question.read).length, "question")} read, ${questions.filter(question => question.known).length} known`),
    element("li", {}, `${counted(cards.length, "flashcard")} answered, ${countDue()} of them due again`),
    element("li", {}, `${counted(puzzles.length, "program")} predicted, ${puzzles.filter(puzzle => puzzle.first).length} of them right at the first try`),
    element("li", {}, `${counted(store.all("interview").size, "mock interview")} finished`),
    countStories() > 0 && element("li", {}, `${countStories()} of your own stories for `, element("a", { href: address("senior/behavioral/") }, "behavioral questions")),
    element("li", {}, `${howMany("exercise")}, ${howMany("trainer")}`),
  ].filter(Boolean))
}

const say = text => {
  message.hidden = false
  message.textContent = text
}

app.querySelector("[data-do=export]").addEventListener("click", () => {
  save(`torch-warmup-progress-${new Date().toISOString().slice(0, 10)}.json`, store.export(), "application/json")
})

app.querySelector("[data-do=import]").addEventListener("click", () => file.click())

file.addEventListener("change", async () => {
  try {
    say(store.import(await file.files[0].text()))
  } catch (error) {
    say(error.message)
  }
  file.value = ""  // the same file may be chosen again
})

const dialog = app.querySelector("dialog")
app.querySelector("[data-do=reset]").addEventListener("click", () => dialog.showModal())
dialog.addEventListener("close", () => {
  if (dialog.returnValue !== "forget") return
  dialog.returnValue = ""
  store.reset()
  say("Your progress is forgotten, in every tab of this browser.")
})

store.addEventListener("change", refresh)
document.addEventListener("visibilitychange", refresh)  // who comes back to an open tab may do so on another day
showNotices(app.querySelector(".tw-notice"))
refresh()
app.hidden = false
