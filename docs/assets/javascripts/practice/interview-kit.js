// The interviewer kit: choose questions, put them in order, and take them along on paper, as Markdown or as a link.

import { filterList } from "../shared/filter.js"
import { MOST, readQuestions } from "../shared/kit-link.js"
import { showChosen } from "./interview-kit/chosen.js"
import { load } from "./interview-kit/material.js"
import { preparePaper } from "./interview-kit/paper.js"
import { Selection } from "./interview-kit/selection.js"
import { addTicks } from "./interview-kit/boxes.js"
import { failed } from "./shared/cards.js"
import { showNotices } from "./shared/notices.js"
import "./shared/offline.js"

const app = document.getElementById("interview-kit")
const message = app.querySelector(".tw-message")
const form = app.querySelector(".tw-filter")

const tell = text => {
  message.hidden = !text
  message.textContent = text
}

const begin = material => {
  const selection = new Selection(material.byId)
  const link = readQuestions(location.search, material.byId)
  if (link) selection.take(link.ids)
  const items = [...app.querySelectorAll(".tw-question")]
  const { write } = filterList(form, items, {
    groups: [...app.querySelectorAll(".tw-group")],
    changed: addTicks(app, items, selection),
    kept: () => ({ questions: selection.ids.join(",") }),
  })
  const paper = preparePaper(app, material, selection)
  showChosen(app.querySelector(".tw-view"), material, selection, paper, tell)
  selection.addEventListener("change", () => {
    write()
    tell("")
  })
  selection.addEventListener("full", () => tell(`A kit has at most ${MOST} questions. Take one out to add another.`))
  write()
  tell((link?.notes ?? []).join(" "))
}

const start = async () => {
  let material
  try {
    material = await load()
  } catch {
    failed(app.querySelector(".tw-view"), start)
    return
  }
  begin(material)
}

showNotices(app.querySelector(".tw-notice"))
start()
