// Which cards a session asks, and in which order. Nothing here is shown or stored.

import { dayBegins, isDue } from "../shared/fsrs.js"

/** Cards by what is known of them: `due`, the most overdue first; `known`; and `fresh`, in their order. */
export const sorted = (cards, memories, now) => {
  const due = [], fresh = [], known = []
  for (const card of cards) {
    const memory = memories.get(card.id)
    if (!memory) fresh.push(card)
    else if (isDue(memory, now)) due.push([memory.due, card])
    else known.push(card)
  }
  return { due: due.sort(([one], [other]) => one - other).map(([, card]) => card), fresh, known }
}

const shuffled = cards => {
  const found = [...cards]
  for (let last = found.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [found[last], found[other]] = [found[other], found[last]]
  }
  return found
}

/**
 * New cards as they are to come.
 *
 * @param {Object[]} cards in the order of the site.
 * @param {string} order "up" or "down": shuffled within each level, the first or the last level first. Else as they are.
 * @param {string[]} levels from the first to the last.
 */
export const inOrder = (cards, order, levels) => {
  if (order !== "up" && order !== "down") return cards
  return (order === "up" ? levels : levels.toReversed())
    .flatMap(level => shuffled(cards.filter(card => card.level === level)))
}

/**
 * A session that was left, as it goes on at `now`: first what has become due since, then what is left of it.
 *
 * @param {{queue: string[], total: number, left: number}} open ids that are left, of how many, and when it was left.
 * @param {Map<string, Object>} memories of all cards that there are.
 * @returns {{queue: string[], total: number, due: number}} the first `due` of the queue are due.
 */
export const resumed = ({ queue, total, left }, memories, now) => {
  const inQueue = new Set(queue)
  // On another day all that is due. On the same day what was missed waits for the end of its session, and what is due
  // and was not chosen is not asked.
  const comesFirst = left < dayBegins(now)
    ? (_, memory) => isDue(memory, now)
    : (id, { due }) => inQueue.has(id) && due < dayBegins(now, 1)
  const first = [...memories]
    .filter(([id, memory]) => comesFirst(id, memory))
    .sort(([, one], [, other]) => one.due - other.due)
    .map(([id]) => id)
  const all = [...new Set([...first, ...queue])]
  return { queue: all, total: total + all.length - queue.length, due: first.length }
}

/** A session of these cards: {queue, total}. */
export const session = cards => ({ queue: cards.map(card => card.id), total: cards.length })

/**
 * A session of these cards, after which one that was left can still go on.
 *
 * @param {Object[]} cards
 * @param {?Object} open what was left: see unfinished() in session.js.
 */
export const reviewOf = (cards, open) => {
  const review = session(cards)
  const again = new Set(review.queue)
  const queue = open ? [...open.queue, ...open.parked?.queue ?? []].filter(id => !again.has(id)) : []
  return { ...review, parked: queue.length ? { queue, total: Math.max(queue.length, open.parked?.total ?? open.total) } : null }
}
