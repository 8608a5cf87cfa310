// What there is to learn, and how far one is.

import { button, counted, element } from "../../shared/dom.js"
import { store } from "../shared/store.js"
import { AGAIN } from "./fsrs.js"
import { unfinished } from "./session.js"

const SESSION = 20
export const FILTERS = ["level", "topic", "kind"]

const sorted = cards => {
  const now = Date.now()
  const memories = store.all("card")
  // The shortest interval is a day, but what was missed today is not known today.
  const isDue = memory => memory.due <= now || memory.grade === AGAIN
  const met = cards.filter(card => memories.has(card.id))
  return {
    due: met.filter(card => isDue(memories.get(card.id)))
      .sort((one, other) => memories.get(one.id).due - memories.get(other.id).due),
    known: met.filter(card => !isDue(memories.get(card.id))),
    fresh: cards.filter(card => !memories.has(card.id)),
  }
}

const progressRow = (bank, topic) => {
  const cards = bank.cards.filter(card => card.topic === topic.id)
  const { due, fresh, known } = sorted(cards)
  const share = count => `width: ${100 * count / cards.length}%`
  return element("tr", {},
    element("th", { scope: "row" }, element("a", { href: topic.url }, topic.label), " ",
      element("span", { class: "tw-quiet" }, topic.group)),
    element("td", {}, element("div", { class: "tw-bar", "aria-hidden": "true" },
      element("span", { style: share(known.length) }), element("span", { style: share(due.length) }))),
    ...[known, due, fresh].map(list => element("td", { class: "tw-number" }, String(list.length))))
}

const counts = ({ due, fresh, known }) => {
  if (due.length + fresh.length + known.length === 0) return "No card matches. Take one filter away."
  const text = `${due.length} due, ${fresh.length} new, ${known.length} known.`
  if (due.length + fresh.length > 0) return text
  const next = new Date(Math.min(...known.map(card => store.get(`card:${card.id}`).due)))
  return `${text} Nothing is due here before ${next.toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric" })}.`
}

/**
 * Show what the chosen cards are like, all progress, and which sessions can begin.
 *
 * @param {HTMLElement} box the overview, with the form that chooses.
 * @param {Object} bank from loadCards().
 * @param {(cards: {queue: string[], total: number}) => void} begin starts a session.
 */
export const refresh = (box, bank, begin) => {
  const data = new FormData(box.querySelector("form"))
  const chosen = sorted(bank.cards.filter(card => FILTERS.every(name => !data.get(name) || card[name] === data.get(name))))
  const queue = [...chosen.due, ...chosen.fresh].slice(0, SESSION).map(card => card.id)
  const total = queue.length
  const open = unfinished(bank)
  box.querySelector(".tw-counts-now").textContent = counts(chosen)
  box.querySelector(".tw-actions").replaceChildren(...[
    open && button(`Go on: ${counted(open.queue.length, "card")} left of ${open.total}`, () => begin(open), { key: "Space" }),
    total > 0 && button(`${open ? "Start a new session of" : "Start with"} ${counted(total, "card")}`,
      () => begin({ queue, total }), { key: !open && "Space", quiet: open }),
  ].filter(Boolean))
  box.querySelector("tbody").replaceChildren(...bank.topics.map(topic => progressRow(bank, topic)))
}
