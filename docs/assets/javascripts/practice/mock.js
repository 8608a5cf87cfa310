// The mock interview: set up, answer against the clock, judge yourself, read the summary.

import { shortcuts } from "../shared/keys.js"
import { readLink, writeLink } from "./mock/link.js"
import { session } from "./mock/session.js"
import { pressMain, refreshSetup, setup } from "./mock/setup.js"
import { goOn, rateByKey } from "./mock/rubric.js"
import "./mock/stage.js"
import "./mock/summary.js"
import { app, tell, view } from "./mock/view.js"
import { failed, loadCards } from "./shared/cards.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"
import { store } from "../shared/store.js"

session.addEventListener("begin", () => {
  history.replaceState(null, "", writeLink(session.interview))
  tell("")
})

shortcuts(app, (key, event) => {
  // A player, and code that scrolls sideways, have uses of their own for these keys.
  if (event.target.closest("audio, [tabindex='0']")) return false
  const main = key === " " || key === "Enter"
  if (!session.bank) return false
  if (!session.interview) {
    if (key === "Enter") pressMain()
    return key === "Enter"
  }
  if (session.ended) return false
  if (main && session.answering) session.advance()
  else if (key === "Enter") goOn()  // once the answer is shown, Space scrolls through it
  else if (key === "ArrowLeft") session.move(-1)
  else if (key === "ArrowRight") session.move(1)
  else if (key === "k" && session.answering) session.pause(!session.paused)
  else if (["1", "2", "3"].includes(key) && !session.answering) rateByKey(Number(key) - 1)
  else return false
  return true
})

store.addEventListener("change", () => {
  if (!session.bank || session.ended) return
  if (!session.interview) refreshSetup()
  else if (session.follow()) tell("This interview was finished in another tab.")
})

addEventListener("pagehide", () => {
  if (session.running) session.pause(true)
})

document.addEventListener("visibilitychange", () => {
  if (document.hidden && session.running) session.keep()
})

const start = async () => {
  showNotices(app.querySelector(".tw-notice"))
  try {
    session.bank = await loadCards()
  } catch {
    failed(view, start)
    return
  }
  const link = readLink(location.search, session.bank.byId)
  setup(link)
  tell(link.notes.join(" "))
}

start()
