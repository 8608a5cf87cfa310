// Predict the output. The page lists every program and links to where it can be read without this script; with it they
// come one at a time.

import { counted, element } from "../shared/dom.js"
import { shortcuts } from "../shared/keys.js"
import { Attempt } from "./predict/attempt.js"
import { ALL, choose, chosen, form, matching, showPosition, showProgress } from "./predict/choice.js"
import { entryOf, headings, load, puzzles } from "./predict/puzzles.js"
import { failed } from "./shared/cards.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"
import { store } from "../shared/store.js"

const PLACE = "place:predict"
const END = "end"

const app = document.getElementById("predict")
const end = document.getElementById(END)
const message = app.querySelector(".tw-message")
const waiting = element("div", { role: "status", hidden: true })  // what is there while a program is not
app.append(waiting)
const attempt = new Attempt(app, () => next())

let queue = []  // the chosen programs
let current = null  // the one that is shown or waited for; null at the end, or where no program matches
let home = ""  // what was shown first under the address without a name

const remember = slug => store.set(PLACE, { ...chosen(), slug })

// ---------- One at a time ----------

// Show none of the programs, but this box with `children`; null for nothing. The focus does not leave the app.
const showInstead = (box, ...children) => {
  const had = app.contains(document.activeElement) && !document.activeElement.closest(".tw-setup")
  attempt.hide()
  box?.replaceChildren(...children)
  waiting.hidden = box !== waiting
  end.hidden = box !== end
  showPosition(queue, current)
  if (had) app.focus({ preventScroll: true })
}

const following = () => queue[queue.indexOf(current) + 1]

const focus = heading => {
  heading.focus({ preventScroll: true })
  heading.scrollIntoView({ block: "nearest" })
  const choices = attempt.puzzle?.parts.fieldset.getBoundingClientRect()
  if (choices?.bottom > innerHeight) heading.scrollIntoView({ block: "start" })
}

const show = async (puzzle, focused) => {
  current = puzzle
  if (!puzzle.parts) {
    showInstead(waiting, element("p", { class: "tw-quiet" }, "Loading the program…"))
    try {
      await load(puzzle)
    } catch {
      if (current === puzzle) failed(waiting, () => show(puzzle, true), "The program")
    }
    if (current !== puzzle || !puzzle.parts) return  // the reader has gone on meanwhile
  }
  attempt.show(puzzle)
  waiting.hidden = end.hidden = true
  showPosition(queue, current)
  if (focused) focus(puzzle.parts.heading)
  if (following()) load(following()).catch(() => {})  // tried again once it is due
}

const showEnd = () => {
  current = null
  const entries = queue.map(entryOf).filter(Boolean)
  const wrong = matching({ ...chosen(), which: "wrong" })
  showInstead(end,
    element("h2", { tabindex: "-1" }, "That was the last one"),
    element("p", {}, `You have answered ${entries.length} of these ${counted(queue.length, "program")}, `
      + `${entries.filter(entry => entry.first === true).length} of them right at the first try.`),
    element("div", { class: "tw-actions" },
      wrong.length > 0 && element("button", { type: "button", class: "tw-button", "data-do": "wrong" }, "The wrong ones again"),
      element("button", { type: "button", class: "tw-button tw-button--quiet", "data-do": "restart" }, "From the start")))
  focus(end.querySelector("h2"))
}

// ---------- The address: #slug is a puzzle, #end the end ----------

const go = name => {
  history.pushState(null, "", `#${name}`)
  moved()
}

const next = () => go(following()?.slug ?? END)

const named = () => {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return location.hash.slice(1)
  }
}

/** Show what the address names and give it the focus; false where it names nothing of ours. */
const openNamed = () => {
  const name = named() || home
  const puzzle = puzzles.find(({ slug }) => slug === name)
  const unknown = name !== "" && !puzzle && !headings.has(name) && !document.getElementById(name)
  message.hidden = !unknown
  message.textContent = unknown ? `There is no program called “${name}” here. This is another one.` : ""
  if (headings.has(name)) app.focus()
  if (name === END) showEnd()
  else if (puzzle) {
    if (!queue.includes(puzzle)) queue = choose(ALL)
    show(puzzle, true)
  }
  return name === END || puzzle !== undefined
}

const moved = () => {
  if (openNamed() && current) remember(current.slug)
}

/** Show the first program that matches, or the one given; the focus stays where it is. */
const showFirst = (puzzle = queue[0]) => {
  if (puzzle) {
    show(puzzle, false)
    return
  }
  current = null
  showInstead(null)
}

// ---------- Keys, clicks, other tabs, start ----------

const again = which => {
  queue = choose({ ...chosen(), which })
  go(queue[0].slug)
}

const act = {
  wrong: () => again("wrong"),
  restart: () => again("all"),
}
app.addEventListener("click", event => act[event.target.closest("[data-do]")?.dataset.do]?.())

shortcuts(app, (key, { target }) => {
  if (current) return attempt.press(key, target)
  if (key !== "Enter" || end.hidden) return false
  end.querySelector("button").click()
  return true
})

attempt.addEventListener("answered", () => remember(following()?.slug ?? ""))  // who comes back goes on from there

form.addEventListener("change", () => {
  queue = choose(chosen())
  if (queue.includes(current)) showPosition(queue, current)
  else showFirst()
  if (current) history.replaceState(null, "", `#${current.slug}`)
  remember(current?.slug ?? "")
})
form.addEventListener("submit", event => event.preventDefault())
store.addEventListener("change", showProgress)
addEventListener("hashchange", moved)

const start = () => {
  showNotices(app.querySelector(".tw-notice"))
  showProgress()
  const place = store.get(PLACE) ?? {}
  queue = choose(place)
  if (!queue.length) queue = choose(ALL)
  if (openNamed()) return
  showFirst(queue.find(puzzle => puzzle.slug === place.slug))
  home = current?.slug ?? ""
  if (document.activeElement === document.body) app.focus({ preventScroll: true })  // so that keys work at once
}

start()
