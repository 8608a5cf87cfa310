// The recordings of this tab's last interview: made while one answers, played after it.

import { button, element } from "../../shared/dom.js"
import { Recorder } from "./recorder.js"
import { session } from "./session.js"
import { fill, part, tell, write } from "./view.js"

const recorder = new Recorder()
const pieces = new Map()  // id -> [{url, type}, ...]
let toggle = null
let refill = () => {}  // fills the box that shows recordings now

/** A button that starts and stops recording. */
export const recordButton = () => (toggle = button("Record my voice", () => (recorder.open ? stop() : startRecording()), { quiet: true }))

/** Record what is answered now, or nothing while nobody speaks. */
export const followAnswer = () => {
  recorder.follow(session.answering ? session.answer.id : null, session.paused)
  write(toggle, recorder.open ? "Stop recording" : "Record my voice")
}

/** Ask for the microphone; the clocks wait for the answer to the browser's question about it. */
export const startRecording = async () => {
  const waits = !session.paused
  session.pause(true)
  tell("Your browser may ask for the microphone. The clocks wait.")
  const asking = session.interview
  try {
    await recorder.start()
    tell("Recording. It stays in this tab's memory and is never uploaded.")
  } catch (error) {
    tell(`${error.message} The interview goes on without a recording.`)
  }
  if (session.interview !== asking || session.ended) recorder.stop()
  else {
    if (waits) session.pause(false)
    followAnswer()
  }
}

const stop = () => {
  recorder.stop()
  tell("Recording has stopped.")
  followAnswer()
}

const player = ({ url, type }, number, id) => element("p", { class: "tw-piece" },
  element("audio", { controls: true, src: url, "aria-label": `Recording ${number}: ${session.bank.byId.get(id).title}` }),
  element("a", { href: url, download: `${id.split("/").pop()}-${number}.${type.split(/[/;]/)[1]}` }, "Download"))

const players = (list, id) => list.map((piece, index) => player(piece, index + 1, id))

// A box with what `make` gives now, and again whenever a piece has come.
const live = make => {
  const box = element("div", {})
  refill = () => {
    const children = make()
    box.hidden = !children
    fill(box, children)
  }
  refill()
  return box
}

/** A box with the recordings of the answer that is shown. */
export const recordingsOfAnswer = () => live(() => {
  const { id } = session.answer
  const list = pieces.get(id)
  return list && part("Your answer", players(list, id), element("p", { class: "tw-quiet" }, "In this tab's memory only."))
})

/** A box with all recordings. */
export const recordingsOfAll = () => live(() => pieces.size > 0 && element("section", { class: "tw-recordings" },
  element("h2", {}, "Your recordings"),
  element("p", { class: "tw-quiet" }, "They are deleted when this tab closes or another interview starts."),
  [...pieces].map(([id, list]) => [element("h3", {}, session.bank.byId.get(id).title), players(list, id)])))

recorder.addEventListener("piece", ({ detail }) => {
  pieces.set(detail.id, [...pieces.get(detail.id) ?? [], detail])
  refill()
})
recorder.addEventListener("lost", () => {
  tell("The microphone was disconnected. The interview continues without a recording.")
  if (session.running) followAnswer()
})

session.addEventListener("begin", () => {
  for (const { url } of [...pieces.values()].flat()) URL.revokeObjectURL(url)
  pieces.clear()
})
session.addEventListener("step", () => { refill = () => {} })
session.addEventListener("end", () => recorder.stop())
