// What there is to learn, how far one is, and which sessions can begin.

import { button, counted, element } from "../../shared/dom.js"
import { store } from "../../shared/store.js"
import { forecastRows, newToday, plan } from "./forecast.js"
import { dayBegins } from "../shared/fsrs.js"
import { inOrder, resumed, reviewOf, session, sorted } from "./queue.js"
import { unfinished } from "./session.js"
import { suspended, takeBack } from "./suspended.js"

const progressRow = (topic, cards, memories, now) => {
  const { due, fresh, known } = sorted(cards, memories, now)
  const share = count => `width: ${100 * count / cards.length}%`
  return element("tr", {},
    element("th", { scope: "row" }, element("a", { href: topic.url }, topic.label), " ",
      element("span", { class: "tw-quiet" }, topic.group)),
    element("td", {}, element("div", { class: "tw-bar", "aria-hidden": "true" },
      element("span", { style: share(known.length) }), element("span", { style: share(due.length) }))),
    ...[known, due, fresh].map(list => element("td", { class: "tw-number" }, String(list.length))))
}

const counts = ({ due, fresh, known }, memories, dueInAll) => {
  const elsewhere = dueInAll - due.length
  const more = elsewhere ? ` ${elsewhere} more ${elsewhere === 1 ? "is" : "are"} due outside of this choice.` : ""
  if (due.length + fresh.length + known.length === 0) return `No card matches. Take one filter away.${more}`
  const text = `${due.length} due, ${fresh.length} new, ${known.length} known.`
  if (due.length + fresh.length > 0) return text + more
  const next = new Date(Math.min(...known.map(card => memories.get(card.id).due)))
  return `${text} Nothing is due here before ${next.toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric" })}.${more}`
}

const asked = bank => {
  const out = suspended()
  return bank.cards.filter(card => !out.has(card.id))
}

/** A session of what is due, whatever is chosen above, or null where nothing is. */
export const dueSession = (bank, choice) => {
  const { due } = sorted(asked(bank), store.all("card"), Date.now())
  return due.length ? reviewOf(due.slice(0, choice.size), unfinished(bank)) : null
}

// The sessions that can begin, each with its name; the first is the one that the key begins. On a new day that is what
// is due, and on the same day what was left.
const offers = (bank, choice, all, chosen, today, memories, now) => {
  const open = unfinished(bank)
  const isOld = open && open.left < dayBegins(now)
  const goOn = open && { ...resumed(open, memories, now), parked: open.parked }
  const queued = new Set(goOn?.queue)
  const review = reviewOf(all.due.slice(0, choice.size), open)
  const ordered = inOrder(chosen.fresh, choice.order, Object.keys(bank.levels))
  // With a date, what is due and then what that asks for on this day; without one, or after that, as many as are chosen.
  const daily = today && [...chosen.due.slice(0, choice.size), ...ordered.slice(0, today.left)]
  const next = session(daily?.length ? daily : [...chosen.due, ...ordered].slice(0, choice.size))
  const due = Math.min(chosen.due.length, choice.size, next.total)
  // Two names for the same cards would be no choice.
  const reviews = review.total > 0 && (isOld || !all.due.every(card => queued.has(card.id)))
  const starts = next.total > 0 && !(reviews && next.total === due && String(next.queue) === String(review.queue))
  const offersOfLeft = goOn ? [[
    `Go on: ${counted(goOn.queue.length, "card")} left of ${goOn.total}${goOn.due ? `, ${goOn.due} due first` : ""}`, goOn]] : []
  return [
    ...isOld ? [] : offersOfLeft,
    ...reviews ? [[`Review ${review.total < all.due.length ? `${review.total} of ` : ""}${counted(all.due.length, "due card")}`, review]] : [],
    ...isOld ? offersOfLeft : [],
    ...starts ? [[`${open ? "Start a new session of" : "Start with"} ${counted(next.total, "card")}`
      + (due > 0 && next.total > due ? `: ${due} due, ${next.total - due} new` : ""), next]] : [],
  ]
}

const showSuspended = (fold, bank) => {
  const cards = [...suspended()].map(id => bank.byId.get(id)).filter(Boolean)
  fold.hidden = cards.length === 0
  fold.querySelector("summary").textContent = `${counted(cards.length, "card")} ${cards.length === 1 ? "is" : "are"} suspended`
  fold.querySelector("ul").replaceChildren(...cards.map(card =>
    element("li", {}, element("a", { href: card.url }, card.title), " ",
      element("button", { type: "button", class: "tw-button tw-button--quiet", "aria-label": `Take back: ${card.title}`, onclick: () => takeBack(card.id) }, "Take back"))))
}

/**
 * Show what the chosen cards are like, all progress, and which sessions can begin.
 *
 * @param {HTMLElement} box the overview, with the forms of the choice.
 * @param {Object} bank from loadCards().
 * @param {Choice} choice see choice.js.
 * @param {(cards: {queue: string[], total: number}) => void} begin starts a session.
 */
export const refresh = (box, bank, choice, begin) => {
  const now = Date.now()
  const cards = asked(bank)
  const ids = new Set(cards.map(card => card.id))
  const memories = new Map([...store.all("card")].filter(([id]) => ids.has(id)))
  const wanted = choice.of(cards)
  const all = sorted(cards, memories, now)
  const chosen = sorted(wanted, memories, now)
  const today = newToday(choice.date, chosen.fresh.length, [...chosen.due, ...chosen.known].map(card => memories.get(card.id)), now)
  box.querySelector(".tw-counts-now").textContent = counts(chosen, memories, all.due.length)
  box.querySelector(".tw-actions").replaceChildren(...offers(bank, choice, all, chosen, today, memories, now)
    .map(([text, offered], index) => button(text, () => begin(offered), { key: index === 0 && "Space", quiet: index > 0 })))
  box.querySelector(".tw-plan").textContent = plan(choice.date, chosen.fresh.length, today, now)
  const met = [...all.due, ...all.known].map(card => memories.get(card.id))
  const forecast = box.querySelector(".tw-forecast")
  forecast.hidden = met.length === 0
  forecast.querySelector("tbody").replaceChildren(...forecastRows(met, now))
  const byTopic = Map.groupBy(wanted, card => card.topic)
  box.querySelector(".tw-by-topic tbody").replaceChildren(
    ...bank.topics.filter(topic => byTopic.has(topic.id)).map(topic => progressRow(topic, byTopic.get(topic.id), memories, now)))
  showSuspended(box.querySelector(".tw-suspended"), bank)
}
