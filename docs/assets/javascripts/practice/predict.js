// Predict the output. The page holds every puzzle, readable without this script; with it they come one at a time:
// choose an output or type one, check, see why.

import { setFields } from "./filters.js"
import { counted, element, shortcuts, showNotices } from "./page.js"
import { store } from "./store.js"

const PLACE = "place:predict"
const FILTERS = ["level", "topic", "which"]
const END = "end"

// Which programs to show, by what is stored of their answers.
const WHICH = {
  all: () => true,
  new: entry => !entry,
  wrong: entry => entry?.last === false,
}

const app = document.getElementById("predict")
const setup = app.querySelector(".tw-setup")
const form = setup.querySelector("form")
const attempt = app.querySelector(".tw-attempt")
const typing = attempt.querySelector(".tw-typing")
const typed = typing.querySelector("textarea")
const verdict = attempt.querySelector(".tw-verdict")
const actions = app.querySelector(".tw-predict-actions")
const end = document.getElementById(END)
const message = app.querySelector(".tw-message")
const button = name => app.querySelector(`[data-do=${name}]`)


// ---------- Puzzles, as the page has them ----------

/** What is in a puzzle's section; its fold with the answer becomes a part of the page that is shown when it is due. */
const puzzleOf = section => {
  const heading = section.querySelector("h2")
  const fieldset = section.querySelector("fieldset")
  const fold = section.querySelector(".tw-answer")
  fold.querySelector("summary").remove()
  const answer = element("div", { class: "tw-answer", role: "group", "aria-label": "Answer", tabindex: "-1", hidden: true }, [...fold.childNodes])
  fold.replaceWith(answer)
  heading.tabIndex = -1
  const labels = [...fieldset.querySelectorAll("label")]
  labels.forEach((one, index) => one.append(element("kbd", { "aria-hidden": "true" }, String(index + 1))))
  const { level, topic, key } = section.dataset
  return {
    slug: heading.id, level, topic, key: Number(key), section, heading, fieldset, labels, answer,
    radios: labels.map(one => one.querySelector("input")),
    outputs: labels.map(one => squeeze(one.querySelector("code").textContent)),
    mistakes: [...answer.querySelectorAll(".tw-mistake")],
  }
}

// As squeeze() in scripts/warmup/puzzles.py, which sees to it that no two outputs of a puzzle are the same by it. An
// apostrophe that a phone has curled is one that was typed.
const squeeze = text =>
  text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"').trim().replace(/\s+/g, " ").replace(/ ?([[\](){},:=]) ?/g, "$1")

const puzzles = [...app.querySelectorAll(".tw-puzzle")].map(puzzleOf)
const entryOf = puzzle => store.get(`puzzle:${puzzle.slug}`)

let queue = []
let current = null  // the puzzle that is shown; null at the end, or where no program matches
let revealed = false
let byTyping = false
let home = ""  // what was shown first under the address without a name

// ---------- Choosing which programs ----------

const chosen = () => Object.fromEntries(FILTERS.map(name => [name, form.elements[name].value]))

const matching = ({ level, topic, which }) => puzzles.filter(puzzle =>
  (!level || puzzle.level === level) && (!topic || puzzle.topic === topic) && WHICH[which](entryOf(puzzle)))

/** Set the filters, as far as the form knows the values, and collect what they leave. */
const choose = wanted => {
  setFields(form, FILTERS, wanted)
  queue = matching(chosen())
}

const ALL = { level: "", topic: "", which: "all" }

const remember = slug => store.set(PLACE, { ...chosen(), slug, typing: byTyping })

const refreshProgress = () => {
  for (const row of setup.querySelectorAll("tbody tr")) {
    const all = puzzles.filter(puzzle => puzzle.topic === row.dataset.topic)
    const entries = all.map(entryOf).filter(Boolean)
    const [answered, right] = row.querySelectorAll("td")
    answered.textContent = `${entries.length} of ${all.length}`
    right.textContent = String(entries.filter(entry => entry.first === true).length)
  }
}

const refreshPosition = () => {
  const at = queue.indexOf(current)
  const count = counted(queue.length, "program")
  setup.querySelector(".tw-where").textContent = at < 0 ? count : `Program ${at + 1} of ${queue.length}`
  setup.querySelector(".tw-chosen").textContent = queue.length ? count : "No program matches. Take one filter away."
}

// ---------- One program ----------

const label = (name, text, key) => button(name).replaceChildren(text, element("kbd", { "aria-hidden": "true" }, key))

/** Ask for the answer in the way that the reader prefers. */
const ask = () => {
  typing.hidden = !byTyping
  current.fieldset.hidden = byTyping
  if (byTyping) label("switch", "Choose instead", "Esc")
  else label("switch", "Type it instead", "T")
}

const showOnly = view => {
  for (const { section } of puzzles) section.hidden = section !== view
  end.hidden = view !== end
  attempt.hidden = actions.hidden = !current
  refreshPosition()
}

/** Show a puzzle as if it had never been answered. */
const show = puzzle => {
  current = puzzle
  revealed = false
  const { section, fieldset, labels, radios, answer, mistakes } = puzzle
  fieldset.disabled = false
  for (const radio of radios) radio.checked = false
  for (const one of labels) {
    one.querySelector(".tw-guess__mark")?.remove()
    one.classList.remove("tw-guess--key")
  }
  answer.hidden = true
  answer.append(...mistakes)
  typed.value = ""
  verdict.textContent = ""
  answer.before(attempt)
  section.append(actions)
  button("check").hidden = button("switch").hidden = false
  button("next").classList.add("tw-button--quiet")
  label("next", "Skip", "→")
  ask()
  showOnly(section)
}

const mark = (choice, text) => choice.append(element("span", { class: "tw-guess__mark" }, text))

const focusAnswerField = () => (byTyping ? typed : current.radios[0]).focus()

const check = () => {
  const index = byTyping ? current.outputs.indexOf(squeeze(typed.value)) : current.radios.findIndex(radio => radio.checked)
  if (byTyping ? typed.value.trim() : index >= 0) return reveal(index)
  verdict.textContent = byTyping ? "Type what it prints first." : "Choose an output first."
  focusAnswerField()
}

/** Show the answer after the reader said output number `index`; -1 is none of those that the page has. */
const reveal = index => {
  const { slug, key, fieldset, labels, radios, answer, mistakes } = current
  const right = index === key
  const before = entryOf(current)
  store.set(`puzzle:${slug}`, {
    tries: (before?.tries ?? 0) + 1, right: (before?.right ?? 0) + right, first: before ? before.first === true : right, last: right,
  })
  revealed = true
  typing.hidden = true
  fieldset.hidden = false
  fieldset.disabled = true
  radios.forEach((radio, number) => { radio.checked = number === index })
  labels[key].classList.add("tw-guess--key")
  mark(labels[key], right ? "It prints this, as you said" : "It prints this")
  if (index >= 0 && !right) {
    mark(labels[index], "You said this")
    answer.prepend(mistakes.find(mistake => Number(mistake.dataset.choice) === index))
  }
  verdict.replaceChildren(element("strong", {}, right ? "Right." : "Wrong."), right ? " That is what it prints." : " It prints something else.")
  if (index < 0) verdict.append(" You typed ", element("code", {}, typed.value), ".")
  answer.hidden = false
  button("check").hidden = button("switch").hidden = true
  button("next").classList.remove("tw-button--quiet")
  label("next", "Next", "Enter")
  answer.focus({ preventScroll: true })
  verdict.scrollIntoView({ block: "center" })
  remember(following()?.slug ?? "")  // who comes back goes on from there
}

const following = () => queue[queue.indexOf(current) + 1]

const next = () => go(following()?.slug ?? END)

const showEnd = () => {
  current = null
  const entries = queue.map(entryOf).filter(Boolean)
  const wrong = matching({ ...chosen(), which: "wrong" })
  end.replaceChildren(
    element("h2", { tabindex: "-1" }, "That was the last one"),
    element("p", {}, `You have answered ${entries.length} of these ${counted(queue.length, "program")}, `
      + `${entries.filter(entry => entry.first === true).length} of them right at the first try.`),
    element("div", { class: "tw-actions" },
      wrong.length > 0 && element("button", { type: "button", class: "tw-button", "data-do": "wrong" }, "The wrong ones again"),
      element("button", { type: "button", class: "tw-button tw-button--quiet", "data-do": "restart" }, "From the start")))
  showOnly(end)
}

// ---------- The address: #slug is a puzzle, #end the end ----------

const go = name => {
  history.pushState(null, "", `#${name}`)
  moved()
}

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
  const unknown = name !== "" && !document.getElementById(name)
  message.hidden = !unknown
  message.textContent = unknown ? `There is no program called “${name}” here. This is another one.` : ""
  if (!puzzle && name !== END) return false
  if (name === END) showEnd()
  else {
    if (!queue.includes(puzzle)) choose(ALL)
    show(puzzle)
  }
  const heading = puzzle?.heading ?? end.querySelector("h2")
  heading.focus({ preventScroll: true })
  heading.scrollIntoView({ block: "nearest" })
  return true
}

const moved = () => {
  if (openNamed() && current) remember(current.slug)
}

/** Show the first program that matches, or the one given; the focus stays where it is. */
const showFirst = (puzzle = queue[0]) => {
  if (puzzle) return show(puzzle)
  current = null
  showOnly(null)
}

// ---------- Keys, clicks, other tabs, start ----------

const again = which => {
  choose({ ...chosen(), which })
  go(queue[0].slug)
}

const act = {
  check,
  next,
  switch: () => {
    byTyping = !byTyping
    ask()
    focusAnswerField()
    remember(current.slug)
  },
  wrong: () => again("wrong"),
  restart: () => again("all"),
}
app.addEventListener("click", event => act[event.target.closest("[data-do]")?.dataset.do]?.())

// In the fields of an answer, where single keys have their usual meaning.
app.addEventListener("keydown", event => {
  if (!event.target.matches("#typed, .tw-guess input") || event.isComposing) return
  if (event.key === "Enter" && !event.shiftKey) check()
  else if (event.key === "Escape" && event.target === typed) act.switch()
  else return
  event.preventDefault()
})

shortcuts(app, (key, { target }) => {
  if (key === "ArrowRight" && target.closest("pre")) return false  // it scrolls
  if (!current) {
    if (key !== "Enter" || end.hidden) return false
    end.querySelector("button").click()
  } else if (key === "ArrowRight" || (key === "Enter" && revealed)) {
    next()
  } else if (revealed) {
    return false
  } else if (key === "Enter") {
    check()
  } else if (key === "t") {
    act.switch()
  } else {
    const radio = !byTyping && current.radios[Number(key) - 1]
    if (!radio) return false
    radio.checked = true
    radio.focus()
  }
  return true
})

form.addEventListener("change", () => {
  choose(chosen())
  if (queue.includes(current)) refreshPosition()
  else showFirst()
  if (current) history.replaceState(null, "", `#${current.slug}`)
  remember(current?.slug ?? "")
})
form.addEventListener("submit", event => event.preventDefault())
store.addEventListener("change", refreshProgress)
addEventListener("hashchange", moved)

const start = () => {
  showNotices(app.querySelector(".tw-notice"))
  refreshProgress()
  const place = store.get(PLACE) ?? {}
  byTyping = place.typing === true
  choose(place)
  if (!queue.length) choose(ALL)
  if (openNamed()) return
  showFirst(queue.find(puzzle => puzzle.slug === place.slug))
  home = current?.slug ?? ""
  if (document.activeElement === document.body) app.focus({ preventScroll: true })  // so that keys work at once
}

start()
