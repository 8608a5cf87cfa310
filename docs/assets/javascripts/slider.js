// A slider over a recorded table: it shows the rows of one value of the first column, or all of them.
//
// The rows stand in the page, one value after the other: without a script, and on paper, all of them are there.

import { button, element } from "./shared/dom.js"

const ALL = "Show all"

const build = table => {
  const rows = [...table.tBodies[0].rows]
  const valueOf = row => row.cells[0].textContent.trim()
  const values = [...new Set(rows.map(valueOf))]
  const shown = element("output", { for: "tw-slider" })
  const range = element("input", { type: "range", id: "tw-slider", min: 0, max: values.length - 1, step: 1, value: 0, oninput: () => show(false) })
  const all = button(ALL, () => show(all.getAttribute("aria-pressed") === "false"), { quiet: true })

  const show = everything => {
    const value = values[range.valueAsNumber]
    for (const row of rows) row.hidden = !everything && valueOf(row) !== value
    range.setAttribute("aria-valuetext", value)
    all.setAttribute("aria-pressed", String(everything))
    shown.textContent = everything ? `all ${values.length}` : value
  }

  const name = table.tHead.rows[0].cells[0].textContent.trim()
  const bar = element("div", { class: "tw-slider__bar" }, element("label", { for: "tw-slider" }, name), range, shown, all)
  table.closest(".tw-slider").prepend(bar)
  show(false)
}

build(document.querySelector(".tw-slider table"))
