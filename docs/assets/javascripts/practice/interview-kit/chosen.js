// The questions that are chosen: their order, what they take, and how to take them along.

import { address } from "../../shared/address.js"
import { button, counted, element, save } from "../../shared/dom.js"
import { writeQuestions } from "../../shared/kit-link.js"
import { cost, roundOf, sum } from "../mock/set.js"
import { minutesOf, total } from "./material.js"
import { markdown } from "./markdown.js"

const VERSIONS = {
  interviewer: ["For me", "A page for each question: the answer to hear, follow-ups, what to listen for, a score, and room for notes."],
  candidate: ["For the candidate", "The questions alone, with room to write."],
}

// The mock interview wants a format: the round that all belong to, or else the level that most of the questions have.
const formatOf = cards => {
  const [round, ...others] = new Set(cards.map(roundOf))
  if (round && !others.length) return round
  const levels = cards.map(card => card.level)
  return levels.toSorted((one, other) => levels.filter(level => level === other).length - levels.filter(level => level === one).length)[0]
}

const mockLink = cards => {
  const format = formatOf(cards)
  return address(`practice/mock/${writeQuestions(cards.map(card => card.id))}`
    + `&format=${format}&minutes=${Math.min(180, sum(cards.map(card => cost(card, format))))}&seed=kit`).href
}

// `field` shows the text where the browser does not let the page copy.
const copy = async (field, text, done, tell) => {
  field.hidden = true
  try {
    await navigator.clipboard.writeText(text)
    tell(done)
  } catch {
    tell("This browser does not let the page copy. Copy the text below.")
    field.hidden = false
    field.value = text
    field.focus()
    field.select()
  }
}

/**
 * Show what is chosen in `view`, now and after every change.
 *
 * @param {Object} material from load().
 * @param {Selection} selection
 * @param {Object} parts of the page: `paper` from preparePaper(), `preview` from previews(), `tell(text)` shows a message.
 */
export const showChosen = (view, material, selection, { paper, preview, tell }) => {
  const list = element("ol", { class: "tw-kit__chosen" })
  const summary = element("p", { class: "tw-kit__sum", role: "status" })
  const moved = element("p", { class: "tw-hidden", role: "status" })
  const field = element("textarea", { class: "tw-copied", readonly: true, hidden: true, rows: 8, "aria-label": "Text to copy" })
  const cards = () => selection.ids.map(id => material.byId.get(id))

  const move = (id, by, label) => {
    const place = selection.move(id, by)
    moved.textContent = `${material.byId.get(id).title} Now ${place + 1} of ${selection.ids.length}.`
    const buttons = [...list.children[place].querySelectorAll("[data-act]")]
    const same = buttons.find(one => one.dataset.act === label && !one.disabled)
    const wanted = same ?? buttons.find(one => !one.disabled)
    wanted.focus()
  }

  const remove = id => {
    const place = selection.ids.indexOf(id)
    selection.remove(id)
    const next = list.children[Math.min(place, selection.ids.length - 1)]
    if (next) next.querySelector("[data-act=remove]").focus()
    else summary.focus()
  }

  const small = (act, sign, name, { title }, does, disabled = false) => element("button", {
    type: "button", class: "tw-kit__move", "data-act": act, "aria-label": `${name}: ${title}`, title: name, disabled, onclick: does,
  }, sign)

  const row = (card, index, { length }) => element("li", {
    onkeydown: event => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
      if (!by || !event.altKey) return
      event.preventDefault()
      move(card.id, by, by < 0 ? "up" : "down")
    },
  },
  preview.line(card),
  element("span", { class: "tw-question__meta" }, `${card.where} · ${minutesOf(card)} min`),
  element("span", { class: "tw-kit__moves" },
    small("up", "↑", "Move up", card, () => move(card.id, -1, "up"), index === 0),
    small("down", "↓", "Move down", card, () => move(card.id, 1, "down"), index === length - 1),
    small("remove", "×", "Take out", card, () => remove(card.id))))

  const version = () => versions.querySelector(":checked").value
  const text = () => markdown(cards(), version(), material.bank.grades)
  // Do what needs all of what is chosen, and perhaps as Markdown.
  const withAll = (act, written) => async () => {
    try {
      await Promise.all([material.complete(selection.ids), written && material.write(selection.ids)])
    } catch {
      tell("Not all of the kit could be loaded. Check the connection and try again.")
      return
    }
    await act()
  }
  const link = () => new URL(writeQuestions(selection.ids), location.href).href

  const versions = element("fieldset", { class: "tw-choices" }, element("legend", {}, "What to take along"),
    Object.entries(VERSIONS).map(([value, [name, about]], index) => element("label", {},
      element("input", { type: "radio", name: "version", value, checked: index === 0, onchange: () => paper.choose(value) }),
      element("span", {}, element("strong", {}, name), " ", about))))
  const mock = element("a", { class: "tw-button tw-button--quiet" }, "Run it as a mock interview")
  const all = element("div", {},
    versions,
    element("div", { class: "tw-actions tw-kit__print" }, button("Print", withAll(paper.print)), mock),
    element("div", { class: "tw-actions" },
      button("Copy as Markdown", withAll(() => copy(field, text(), "The Markdown is copied.", tell), true), { quiet: true }),
      button("Download Markdown", withAll(() => save(`interview-kit-${version()}.md`, text(), "text/markdown"), true), { quiet: true }),
      button("Copy link to this set", () => copy(field, link(), "The link is copied.", tell), { quiet: true })),
    field,
    element("p", { class: "tw-keys" }, "Keys: Alt with ↑ or ↓ moves the question that has the focus. The browser's own Print prints the same pages."))
  const undo = element("div", {})
  const clear = button("Take all out", () => {
    selection.take([])
    undo.querySelector("button").focus()
  }, { quiet: true })

  const refresh = () => {
    const chosen = cards()
    list.replaceChildren(...chosen.map(row))
    preview.place()
    summary.textContent = chosen.length
      ? `${counted(chosen.length, "question")}, ${counted(total(chosen), "minute")}: the answers, and a minute for each of two follow-ups.`
      : "No question is chosen yet. Let the site suggest a set, or tick some in the list."
    all.hidden = clear.hidden = chosen.length === 0
    if (chosen.length) mock.href = mockLink(chosen)
    undo.replaceChildren(...(selection.before.length ? [
      button(`Bring back the ${counted(selection.before.length, "question")} that were here before`, () => {
        selection.restore()
        summary.focus()
      }, { quiet: true }),
    ] : []))
  }
  summary.tabIndex = -1
  view.replaceChildren(summary, undo, list, clear, moved, all)
  selection.addEventListener("change", refresh)
  refresh()
}
