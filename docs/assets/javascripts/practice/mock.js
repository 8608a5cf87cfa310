// The mock interview: set up, answer against the clock, judge yourself, read the summary.

import {
  choose, cleanSeed, clamp, clock, cost, DIMENSIONS, FOLLOW_UPS, followUps, FORMATS, MINUTES, pack, prepare, ratings, readLink,
  report, RUBRIC, scoreText, summarize, unpack, writeLink,
} from "./interview.js"
import { address, button, counted, element, failed, fragment, loadCards, place, save, shortcuts, showNotices, showProof } from "./page.js"
import { Recorder } from "./recorder.js"
import { store } from "./store.js"

const KEPT = { interview: 20, place: 5 }

const app = document.getElementById("mock")
const view = app.querySelector(".tw-view")
const message = app.querySelector(".tw-message")
const recorder = new Recorder()

let bank
let interview = null  // the one that runs or is summed up; see prepare() in interview.js
let paused = false
let since = null  // when the clock was last read; null while it stands still
let parts = {}  // elements of the view that change while it is shown
const pieces = new Map()  // id -> recordings of this tab's last interview
const warned = new Set()  // questions whose end of time has been said

const capital = word => word[0].toUpperCase() + word.slice(1)
const heading = text => element("h2", { tabindex: "-1" }, text)
const part = (title, ...children) => element("div", { class: "tw-part" }, element("h3", {}, title), children)

const tell = text => {
  message.hidden = !text
  message.textContent = text
}

const on = time => new Date(time).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short" })

const name = one => `${FORMATS[one.format].label}, ${counted(one.minutes, "minute")}`

// `children` in place of what is in the box; a focus that stood in there goes to the app, not to the document.
const fill = (box, ...children) => {
  const had = box.contains(document.activeElement)
  box.replaceChildren(...children.flat().filter(Boolean))
  if (had) app.focus({ preventScroll: true })
}

const show = (state, ...children) => {
  app.dataset.view = state
  view.replaceChildren(...children.flat(Infinity).filter(Boolean))
}

const focus = target => {
  target.focus({ preventScroll: true })
  app.scrollIntoView({ block: "start" })
  target.scrollIntoView({ block: "nearest" })
}

// ---------- What is kept ----------

const kept = (kind, prefix) => [...store.all(kind)]
  .filter(([id]) => id.startsWith(prefix))
  .map(([id, entry]) => [`${kind}:${id}`, unpack(entry, bank.byId)])
  .filter(([, found]) => found)
  .sort(([, one], [, other]) => other.began - one.began)

const unfinished = () => kept("place", "mock:")
const finished = () => kept("interview", "")

const prune = (kind, list) => {
  for (const [entry] of list.slice(KEPT[kind])) store.remove(entry)
}

const ended = () => app.dataset.view === "summary"
const remember = () => store.set(`place:mock:${interview.began}`, pack(interview))

// ---------- Setup ----------

const formatField = chosen => element("fieldset", { class: "tw-choices" }, element("legend", {}, "Format"),
  Object.entries(FORMATS).map(([value, { label, about, weights }]) => element("label", {},
    element("input", { type: "radio", name: "format", value, checked: value === chosen }),
    element("span", {}, element("strong", {}, label), " ", about, " ", element("span", { class: "tw-quiet" },
      Object.entries(weights).map(([level, weight]) => `${Math.round(weight * 100)}% ${level}`).join(", "))))))

const settings = () => {
  const data = new FormData(parts.form)
  return { format: data.get("format"), minutes: clamp(Number(data.get("minutes"))), seed: cleanSeed(data.get("seed")) || "0" }
}

const preview = () => {
  const { format, minutes, seed } = settings()
  const cards = choose(bank.cards, { format, minutes, seed })
  const total = cards.reduce((sum, card) => sum + cost(card), 0)
  parts.preview.textContent = `${counted(cards.length, "question")}, ${counted(total, "minute")} with their follow-ups.`
}

const startNew = () => {
  const chosen = settings()
  begin(chosen, choose(bank.cards, chosen).map(card => card.id), new FormData(parts.form).has("record"))
}

const setup = link => {
  interview = null
  const seed = link.seed || Math.random().toString(36).slice(2, 8)
  parts = {
    link,
    offers: element("div", {}),
    past: element("div", {}),
    preview: element("p", { role: "status", class: "tw-quiet" }),
    form: element("form", { onsubmit: event => { event.preventDefault(); startNew() }, oninput: preview },
      element("h2", { tabindex: "-1" }, "A new interview"),
      formatField(link.format),
      element("div", { class: "tw-fields" }, element("label", {}, "Minutes",
        element("input", {
          type: "number", name: "minutes", min: MINUTES.least, max: MINUTES.most, step: 1, required: true, inputmode: "numeric",
          value: link.minutes,
        }))),
      element("details", {}, element("summary", {}, "Seed"),
        element("div", { class: "tw-fields" }, element("label", {}, "The same seed gives the same questions",
          element("input", { type: "text", name: "seed", value: seed, autocomplete: "off", autocapitalize: "off", spellcheck: "false" })))),
      element("label", { class: "tw-check" }, element("input", { type: "checkbox", name: "record" }),
        element("span", {}, element("strong", {}, "Record my voice"), " for me to listen to after each answer. The recording stays in "
          + "this tab's memory: it is never uploaded, and it is gone when the tab closes unless you download it.")),
      element("div", { class: "tw-actions" }, element("button", { class: "tw-button" }, "Start", element("kbd", { "aria-hidden": "true" }, "Enter")))),
  }
  parts.form.querySelector(".tw-actions").append(parts.preview)
  show("setup", parts.offers, parts.form, parts.past)
  preview()
  refreshSetup()
}

const backToSetup = () => {
  history.replaceState(null, "", location.pathname)
  const { format, minutes } = interview
  setup({ format, minutes, seed: "", questions: [] })
  tell("")
  focus(parts.form.querySelector("h2"))
}

const offer = (title, text, ...buttons) => element("div", { class: "tw-ask" },
  element("h2", {}, title), element("p", {}, text), element("div", { class: "tw-actions" }, buttons))

const refreshSetup = () => {
  const { link } = parts
  const open = unfinished().map(([entry, found]) => offer(
    "An unfinished interview",
    `${name(found)}, begun ${on(found.began)}: question ${found.current + 1} of ${found.answers.length}.`
      + (found.lost ? ` ${counted(found.lost, "question")} of it ${found.lost === 1 ? "is" : "are"} not on this site any more.` : ""),
    button("Continue", () => go(found)),
    button("Start anew", () => { store.remove(entry); begin(found, found.answers.map(one => one.id)) }, { quiet: true }),
    button("Discard", () => store.remove(entry), { quiet: true })))
  const isOpen = unfinished().some(([, found]) => writeLink(found) === location.search)
  const shared = !isOpen && link.questions.length > 0 && offer("The set of this link", `${name(link)}, ${counted(link.questions.length, "question")}.`,
    button("Start this set", () => begin({ ...link, seed: link.seed || settings().seed }, link.questions, new FormData(parts.form).has("record"))))
  fill(parts.offers, open, shared)
  const list = finished()
  fill(parts.past, list.length > 0 && element("details", {}, element("summary", {}, `Your last interviews (${list.length})`),
    element("ul", { class: "tw-past" }, list.map(([, found]) => element("li", {},
      button(on(found.began), () => sumUp(found), { quiet: true }), ` ${name(found)}: ${scoreText(summarize(found, bank).all)} points`)))))
}

// ---------- The clock ----------

const answer = () => interview.answers[interview.current]
const card = () => bank.byId.get(answer().id)
const answering = () => interview && !ended() && answer().step !== "revealed"
const budget = () => cost(card()) * 60_000

// Adds what has passed since the last reading; timers are late in a tab that is not shown, so they are not counted.
const readClock = () => {
  const now = performance.now()
  if (since !== null) answer().ms += now - since
  since = answering() && !paused ? now : null
}

const remaining = ms => (ms > -500 ? `${clock(Math.max(0, ms))} left` : `over by ${clock(-ms)}`)

const write = (box, text) => {
  if (box.textContent !== text) box.textContent = text
}

const showClocks = () => {
  const left = budget() - answer().ms
  const used = interview.answers.reduce((total, one) => total + one.ms, 0)
  write(parts.question, remaining(left))
  write(parts.whole, remaining(interview.minutes * 60_000 - used))
  if (left < 0 && since !== null && !warned.has(answer().id)) {
    warned.add(answer().id)
    write(parts.state, "The time for this question is up.")
  }
}

setInterval(() => {
  if (since === null) return
  readClock()
  showClocks()
}, 250)

// ---------- An interview ----------

const change = act => {
  readClock()
  act()
  since = null
  readClock()
  remember()
  ask(true)
}

const go = found => {
  interview = found
  paused = false
  since = null
  warned.clear()
  for (const { url } of [...pieces.values()].flat()) URL.revokeObjectURL(url)
  pieces.clear()
  history.replaceState(null, "", writeLink(interview))
  tell("")
  app.dataset.view = "running"
  visit(interview.current)
}

const begin = (chosen, ids, record = false) => {
  go(prepare(chosen, ids, Date.now()))
  prune("place", unfinished())
  if (record) startRecording()
}

const visit = index => change(() => {
  interview.current = index
  if (answer().step === "new" || answer().step === "skipped") answer().step = "asked"
})

const isOpen = one => one.step !== "revealed"

// The next one that is still to be answered, or -1.
const next = () => interview.answers.findIndex((one, index) => index > interview.current && isOpen(one))

const advance = () => {
  const { step } = answer()
  change(() => {
    paused = false
    answer().step = step === "asked" ? "follow-1" : step === `follow-${FOLLOW_UPS}` ? "revealed" : `follow-${Number(step.slice(-1)) + 1}`
  })
}

const onward = () => {
  paused = false
  if (next() < 0) finish()
  else visit(next())
}

const skip = () => {
  readClock()
  answer().step = "skipped"
  since = null
  onward()
}

const pause = to => {
  readClock()
  paused = to
  since = null
  readClock()
  remember()
  showPause()
  recorder.follow(answering() ? answer().id : null, paused)
}

const move = by => {
  const index = interview.current + by
  if (interview.answers[index]) visit(index)
}

const end = () => {
  const open = interview.answers.filter(isOpen).length
  if (!open || confirm(`${counted(open, "question")} not answered. End the interview?`)) finish()
}

const finish = () => {
  readClock()
  recorder.stop()
  const done = interview
  sumUp(done)
  store.set(`interview:${done.began}`, pack(done))
  store.remove(`place:mock:${done.began}`)
  prune("interview", finished())
}

// ---------- What a step shows ----------

const STATES = { new: "not answered yet", asked: "begun", "follow-1": "begun", "follow-2": "begun", revealed: "answered", skipped: "skipped" }

const showMap = () => fill(parts.map, element("ol", { class: "tw-map" },
  interview.answers.map((one, index) => {
    const current = index === interview.current
    return element("li", {}, element("button", {
      type: "button", "data-state": STATES[one.step].split(" ")[0], "aria-current": current && "step",
      "aria-label": `Question ${index + 1}, ${STATES[one.step]}`, onclick: () => visit(index),
    }, String(index + 1)))
  })))

const bar = () => {
  parts.question = element("strong", { role: "timer", "aria-label": "Time for this question" })
  parts.whole = element("strong", { role: "timer", "aria-label": "Time for the interview" })
  parts.pause = button("Pause", () => pause(!paused), { key: "k", quiet: true })
  parts.record = button("Record my voice", () => (recorder.open ? stopRecording() : startRecording()), { quiet: true })
  return element("div", { class: "tw-clocks" },
    element("p", {}, element("span", {}, "This question"), parts.question),
    element("p", {}, element("span", {}, "Interview"), parts.whole),
    element("div", { class: "tw-actions" }, parts.pause, parts.record, button("End interview", end, { quiet: true })))
}

const showPause = () => {
  parts.pause.hidden = !answering()
  parts.pause.firstChild.data = paused ? "Go on" : "Pause"
  write(parts.state, paused && answering() ? "Paused. The clocks stand still." : "")
}

const stage = () => {
  const { step } = answer()
  if (step === "revealed") return reveal()
  if (step === "asked") {
    return element("div", { class: "tw-actions" },
      button("I have answered", advance, { key: "Space" }), button("Skip", skip, { quiet: true }))
  }
  const number = Number(step.slice(-1))
  const box = element("div", { class: "tw-ask tw-follow-up" })
  showFollowUp(box, number)
  return [box, element("div", { class: "tw-actions" },
    button(number < FOLLOW_UPS ? "Answered" : "Answered, show me the answer", advance, { key: "Space" }))]
}

const asked = async id => {
  const { next } = await bank.proof(id)
  return followUps(interview.seed, id, next.length).map(index => next[index])
}

const showFollowUp = async (box, number) => {
  box.replaceChildren(element("p", { class: "tw-ask__place" }, `Follow-up ${number} of ${FOLLOW_UPS}`),
    element("h3", { tabindex: "-1" }, "Loading the follow-up…"))
  try {
    const list = await asked(answer().id)
    box.querySelector("h3").replaceChildren(fragment(list[number - 1].question))
  } catch {
    box.querySelector("h3").replaceChildren("The follow-up could not be loaded.")
    box.append(element("p", {}, button("Try again", () => showFollowUp(box, number), { quiet: true })))
  }
}

const showFollowUpAnswers = async box => {
  const { url } = card()
  try {
    const list = await asked(answer().id)
    box.replaceChildren(...list.flatMap(({ question, answer }) => [element("h4", {}, fragment(question)), fragment(answer)]))
  } catch {
    box.replaceChildren(element("p", {}, "They could not be loaded. ", element("a", { href: url }, "They are on the question's page.")))
  }
}

const rubric = () => element("form", { class: "tw-rubric", onsubmit: event => { event.preventDefault(); onward() } },
  DIMENSIONS.map(dimension => element("fieldset", { class: "tw-choices" },
    element("legend", {}, capital(dimension)),
    RUBRIC[dimension].map((anchor, value) => element("label", {},
      element("input", {
        type: "radio", name: dimension, value, checked: answer()[dimension] === value,
        onchange: () => rate(dimension, value),
      }),
      element("span", {}, element("strong", {}, bank.grades[value]), " ", anchor))))),
  element("div", { class: "tw-actions" }, element("button", { class: "tw-button" },
    next() < 0 ? "Finish" : "Next question", element("kbd", { "aria-hidden": "true" }, "Enter"))))

const rate = (dimension, value) => {
  answer()[dimension] = value
  remember()
}

// A number key rates the row that has the focus, else the first that is not rated, and goes on to the next.
const rateByKey = value => {
  const rows = [...view.querySelectorAll(".tw-rubric fieldset")]
  const row = document.activeElement.closest(".tw-rubric fieldset")
    ?? rows.find(one => !one.querySelector(":checked")) ?? rows[0]
  row.querySelectorAll("input")[value].click()
  const after = rows[rows.indexOf(row) + 1]
  const target = after ? after.querySelector(":checked") ?? after.querySelector("input") : view.querySelector(".tw-rubric button")
  target.focus()
}

const player = ({ url, type }, number, id) => element("p", { class: "tw-piece" },
  element("audio", { controls: true, src: url, "aria-label": `Recording ${number}: ${bank.byId.get(id).title}` }),
  element("a", { href: url, download: `${id.split("/").pop()}-${number}.${type.split(/[/;]/)[1]}` }, "Download"))

const showPieces = () => {
  if (interview && !ended() && parts.pieces) {
    const list = pieces.get(answer().id) ?? []
    parts.pieces.hidden = !list.length
    fill(parts.pieces, list.length > 0 && part("Your answer", list.map((piece, index) => player(piece, index + 1, answer().id)),
      element("p", { class: "tw-quiet" }, "In this tab's memory only.")))
  }
}

const reveal = () => {
  const { say, ladder, url } = card()
  const proof = element("div", {})
  const others = element("div", {}, element("p", { class: "tw-quiet" }, "Loading…"))
  parts.pieces = element("div", { hidden: true })
  showFollowUpAnswers(others)
  const fold = element("details", { ontoggle: () => fold.open && !proof.hasChildNodes() && showProof(proof, bank, card()) },
    element("summary", {}, "The code that ran, and what it printed"), proof)
  return [
    parts.pieces,
    element("div", { class: "tw-part" },
      element("h3", { tabindex: "-1", class: "tw-first" }, "Say it"), element("div", { class: "tw-say" }, fragment(say))),
    part("The follow-ups", others),
    part("The proof", fold, element("p", {}, element("a", { href: url }, "Read the whole page"))),
    part("Listening for", element("ul", { class: "tw-ladder" }, ladder.map((text, index) =>
      element("li", {}, element("strong", {}, bank.grades[index]), ": ", fragment(text))))),
    part("Rate your answer", rubric()),
  ]
}

const ask = focused => {
  parts = {
    map: element("nav", { "aria-label": "Questions of this interview" }),
    state: element("p", { class: "tw-quiet", role: "status" }),
  }
  show("running",
    bar(), parts.map, parts.state,
    element("div", { class: "tw-ask" },
      element("p", { class: "tw-ask__place" }, `Question ${interview.current + 1} of ${interview.answers.length} · ${place(bank, card())}`),
      heading(card().title)),
    stage(),
    element("p", { class: "tw-keys" }, "Keys: ",
      answering() ? "Space goes on, k pauses" : "1, 2 and 3 rate", ", ← and → change the question."))
  showMap()
  showClocks()
  showPause()
  showRecording()
  showPieces()
  if (focused) focus(view.querySelector(".tw-first, .tw-follow-up h3") ?? view.querySelector("h2"))
  else if (!app.contains(document.activeElement)) app.focus({ preventScroll: true })
}

// ---------- Recording ----------

const showRecording = () => {
  recorder.follow(answering() ? answer().id : null, paused)
  write(parts.record, recorder.open ? "Stop recording" : "Record my voice")
}

// The clocks wait for the answer to the browser's question about the microphone.
const startRecording = async () => {
  const waits = !paused
  pause(true)
  tell("Your browser may ask for the microphone. The clocks wait.")
  const asking = interview
  try {
    await recorder.start()
    tell("Recording. It stays in this tab's memory and is never uploaded.")
  } catch (error) {
    tell(`${error.message} The interview goes on without a recording.`)
  }
  if (interview !== asking || ended()) recorder.stop()
  else {
    if (waits) pause(false)
    showRecording()
  }
}

const stopRecording = () => {
  recorder.stop()
  tell("Recording has stopped.")
  showRecording()
}

recorder.addEventListener("piece", ({ detail }) => {
  pieces.set(detail.id, [...pieces.get(detail.id) ?? [], detail])
  if (interview && ended()) fillRecordings()
  else showPieces()
})
recorder.addEventListener("lost", () => {
  tell("The microphone is gone. The interview goes on without a recording.")
  if (interview && !ended()) showRecording()
})

// ---------- The summary ----------

const copy = async (text, done) => {
  parts.copied.hidden = true
  try {
    await navigator.clipboard.writeText(text)
    tell(done)
  } catch {
    tell("This browser does not let the page copy. Copy the text below.")
    parts.copied.hidden = false
    parts.copied.value = text
    parts.copied.focus()
    parts.copied.select()
  }
}

const linkOf = one => new URL(writeLink(one), location.href.split(/[?#]/)[0]).href

const markdown = one => report(one, bank, {
  absolute: url => new URL(url, address("practice/mock/")).href, date: on(one.began), link: linkOf(one),
})

const questionLink = one => element("a", { href: bank.byId.get(one.id).url }, bank.byId.get(one.id).title)

const number = text => element("td", { class: "tw-number" }, String(text))

const table = (caption, columns, ...bodies) => element("table", { class: "tw-progress" },
  element("caption", { class: "tw-hidden" }, caption),
  element("thead", {}, element("tr", {}, columns.map((text, index) => element("th", { scope: "col", class: index > 0 && "tw-number" }, text)))),
  bodies)

const dimensionTable = ({ dimensions }) => table("Points by dimension", ["Dimension", "Points", ...bank.grades],
  element("tbody", {}, DIMENSIONS.map(dimension => element("tr", {},
    element("th", { scope: "row" }, capital(dimension)), number(scoreText(dimensions[dimension])), dimensions[dimension].counts.map(number)))))

const topicTable = ({ topics }) => table("Points by topic, weakest first", ["Topic and questions", "Points"],
  topics.map(({ url, label, level, score, answers }) => element("tbody", { class: "tw-topic" },
    element("tr", {},
      element("th", { scope: "row" }, element("a", { href: url }, label), " ", element("span", { class: "tw-quiet" }, bank.levels[level])),
      number(scoreText(score))),
    element("tr", {}, element("td", { colspan: 2 }, element("ul", {}, answers.map(one => element("li", {}, questionLink(one), " ",
      element("span", { class: "tw-quiet" }, `${ratings(one, bank.grades)}; ${clock(one.ms)}`)))))))))

const fillRecordings = () => {
  fill(parts.recordings, pieces.size > 0 && element("section", { class: "tw-recordings" }, element("h2", {}, "Your recordings"),
    element("p", { class: "tw-quiet" }, "They are gone when this tab closes or another interview starts."),
    [...pieces].map(([id, list]) => [element("h3", {}, bank.byId.get(id).title), list.map((piece, index) => player(piece, index + 1, id))])))
}

const sumUp = done => {
  interview = done
  since = null
  const summary = summarize(done, bank)
  const { ms, all, topics, open } = summary
  parts = {
    recordings: element("div", {}),
    copied: element("textarea", { class: "tw-copied", readonly: true, hidden: true, rows: 8, "aria-label": "Text to copy" }),
  }
  tell("")
  history.replaceState(null, "", writeLink(done))
  show("summary",
    heading(`Interview of ${on(done.began)}`),
    element("p", {}, `${name(done)}, ${counted(done.answers.length, "question")}. You answered for ${clock(ms)} of `
      + `${clock(done.minutes * 60_000)}. Your rating: ${scoreText(all)}${all.of ? " points" : ""}.`),
    dimensionTable(summary),
    element("p", { class: "tw-quiet" }, "Weak counts 0, Good 1, Strong 2. What you did not rate does not count."),
    topics.length > 0 && [element("h2", {}, "What to read, weakest topic first"), topicTable(summary)],
    open.length > 0 && [
      element("h2", {}, "Not answered"),
      element("ul", {}, open.map(one => element("li", {}, questionLink(one), one.step === "skipped" && element("span", { class: "tw-quiet" }, " skipped"))))],
    parts.recordings,
    element("div", { class: "tw-actions" },
      button("New set", backToSetup),
      button("Same set again", () => begin(done, done.answers.map(one => one.id)), { quiet: true }),
      button("Print", () => print(), { quiet: true }),
      button("Copy as Markdown", () => copy(markdown(done), "The summary is copied."), { quiet: true }),
      button("Download Markdown", () => {
        save(`mock-interview-${new Date(done.began).toISOString().slice(0, 10)}.md`, markdown(done), "text/markdown")
      }, { quiet: true }),
      button("Copy link to this set", () => copy(linkOf(done), "The link is copied."), { quiet: true })),
    parts.copied)
  fillRecordings()
  focus(view.querySelector("h2"))
}

// ---------- Keys, other tabs, leaving, start ----------

shortcuts(app, (key, event) => {
  // A player, and code that scrolls sideways, have uses of their own for these keys.
  if (event.target.closest("audio, [tabindex='0']")) return false
  const main = key === " " || key === "Enter"
  if (!bank) return false
  if (!interview) {
    if (main) (parts.offers.querySelector("button") ?? parts.form.querySelector(".tw-actions button")).click()
    return main
  }
  if (ended()) return false
  if (main && answering()) advance()  // once the answer is shown, Space scrolls through it
  else if (key === "ArrowLeft") move(-1)
  else if (key === "ArrowRight") move(1)
  else if (key === "k" && answering()) pause(!paused)
  else if (["1", "2", "3"].includes(key) && !answering()) rateByKey(Number(key) - 1)
  else return false
  return true
})

// The same interview may go on in another tab: take over what was done there, stay at the question that is shown here.
store.addEventListener("change", () => {
  if (!bank) return
  if (!interview) return refreshSetup()
  if (ended()) return
  const done = unpack(store.get(`interview:${interview.began}`), bank.byId)
  if (done) {
    recorder.stop()
    sumUp(done)
    tell("This interview was finished in another tab.")
    return
  }
  const other = unpack(store.get(`place:mock:${interview.began}`), bank.byId)
  if (!other) return
  readClock()
  const changed = []
  for (const one of interview.answers) {
    const { ms, ...news } = other.answers.find(({ id }) => id === one.id) ?? one
    if (Object.keys(news).some(field => news[field] !== one[field])) changed.push(one)
    Object.assign(one, news, { ms: Math.max(ms, one.ms) })
  }
  if (changed.includes(answer())) ask(false)
  else if (changed.length) showMap()
})

addEventListener("pagehide", () => {
  if (interview && !ended()) pause(true)
})

document.addEventListener("visibilitychange", () => {
  if (!document.hidden || !interview || ended()) return
  readClock()
  remember()
})

const start = async () => {
  showNotices(app.querySelector(".tw-notice"))
  try {
    bank = await loadCards()
  } catch {
    return failed(view, start)
  }
  const link = readLink(location.search, bank.byId)
  setup(link)
  tell(link.notes.join(" "))
}

start()
