// Lists of exercises and of broken trainers: what is done, how many of a group, and what to do next.

import { element } from "../../shared/dom.js"
import { store } from "../../shared/store.js"

const KINDS = {
  exercise: { entry: "write", one: "exercise", several: "exercises" },
  trainer: { entry: "trainer", one: "broken trainer", several: "broken trainers" },
}

const itemsOf = (kind, where = document) => [...where.querySelectorAll(`li[data-${kind}]`)]
const entryOf = (kind, item) => store.get(`${KINDS[kind].entry}:${item.dataset[kind]}`)
const isDone = (kind, item) => entryOf(kind, item)?.done === true
const isBegun = (kind, item) => {
  const { done = true, ms, tries } = entryOf(kind, item) ?? {}
  return !done && (ms > 0 || tries > 0)
}
const countDone = (kind, items) => items.filter(item => isDone(kind, item)).length

/** How many of all are done, as people read it. */
export const howMany = kind => {
  const items = itemsOf(kind)
  return `${countDone(kind, items)} of ${items.length} ${items.length === 1 ? KINDS[kind].one : KINDS[kind].several} done`
}

// A place for a text that follows the store: what `box` has of this class, else a new element that `put` puts there.
const mark = (box, name, put) => {
  const found = box.querySelector(`.${name}`) ?? element("span", { class: name })
  if (!found.isConnected) put(found)
  return found
}

const showItem = (kind, item) => {
  const text = isDone(kind, item) ? "Done" : isBegun(kind, item) ? "Begun" : ""
  mark(item, "tw-mark", made => item.querySelector(".tw-question__meta").prepend(made)).textContent = text && `${text} · `
}

const showGroup = (kind, group) => {
  const items = itemsOf(kind, group)
  const heading = group.querySelector("h2, h3")
  mark(heading, "tw-group__level", made => heading.append(" ", made)).textContent = `${countDone(kind, items)} of ${items.length} done`
}

// What was begun; else what is left of the level that the reader has chosen for a plan or for the daily warmup.
const nextOf = (kind, items) => {
  const { level } = store.get("place:plan") ?? store.get("place:daily") ?? {}
  const left = items.filter(item => !isDone(kind, item))
  return left.find(item => isBegun(kind, item)) ?? left.find(item => item.dataset.level === level) ?? left[0]
}

const showNext = (kind, items, groups) => {
  const next = nextOf(kind, items)
  const link = next?.querySelector("a")
  const box = groups[0].parentElement.querySelector(`.tw-next[data-kind=${kind}]`) ?? element("p", { class: "tw-next", "data-kind": kind })
  if (!box.isConnected) groups[0].before(box)
  box.replaceChildren(...(next
    ? [`${isBegun(kind, next) ? "Go on with" : "Next"}: `, element("a", { href: link.href }, link.textContent), `, ${next.dataset.minutes} minutes.`]
    : [`All ${KINDS[kind].several} are done.`]))
}

const show = () => {
  for (const kind of Object.keys(KINDS)) {
    const items = itemsOf(kind)
    if (!items.length) continue
    const groups = [...new Set(items.map(item => item.closest(".tw-group")))]
    for (const item of items) showItem(kind, item)
    for (const group of groups) showGroup(kind, group)
    showNext(kind, items, groups)
  }
}

store.addEventListener("change", show)
show()
