// The interviewer kit: choose questions or have a set suggested, put them in order, and take them along.

import { filterList } from "../shared/filter.js"
import { MOST, readQuestions } from "../shared/kit-link.js"
import { addTicks } from "./interview-kit/boxes.js"
import { showChosen } from "./interview-kit/chosen.js"
import { load } from "./interview-kit/material.js"
import { preparePaper } from "./interview-kit/paper.js"
import { previews } from "./interview-kit/preview.js"
import { Selection } from "./interview-kit/selection.js"
import { suggestForm } from "./interview-kit/suggest.js"
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
  const preview = previews(app, items, material)
  showChosen(app.querySelector(".tw-view"), material, selection, { paper, preview, tell })
  app.querySelector(".tw-kit__wish").append(suggestForm(material, selection, { tell, done: () => preview.open(selection.ids[0]) }))
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
