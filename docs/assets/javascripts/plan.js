// The page of plans: shows the one that the address names, or the one that was chosen last, with what is read and known.

import { showNotices } from "./practice/shared/notices.js"
import { store } from "./shared/store.js"
import { element } from "./shared/dom.js"
import { ticks, ticksOf } from "./shared/ticks.js"

const plans = [...document.querySelectorAll(".tw-plan")]
const find = ({ time, level }) => plans.find(plan => plan.dataset.time === time && plan.dataset.level === level)

const asTime = minutes =>
  [minutes >= 60 && `${Math.floor(minutes / 60)} h`, minutes % 60 && `${minutes % 60} min`].filter(Boolean).join(" ")

const isDone = page => store.get(page.dataset.attempt)?.done === true

/** How far the reader is in a plan with these questions, and these exercises and broken trainers. */
const progress = (items, coding) => {
  const read = items.filter(item => ticksOf(item.dataset.question).read)
  const known = items.filter(item => ticksOf(item.dataset.question).known)
  const left = items.filter(item => !read.includes(item))
  const minutes = left.reduce((sum, item) => sum + Number(item.dataset.minutes), 0)
  return `${read.length} of ${items.length} read, ${known.length} known.`
    + (left.length ? ` ${asTime(minutes)} of reading and speaking are left.` : " All of them are read.")
    + (coding.length ? ` ${coding.filter(isDone).length} of ${coding.length} pieces of code done.` : "")
}

const isFinished = line => line.dataset.question ? ticksOf(line.dataset.question).read : isDone(line)

/**
 * Where a plan of days goes on: at the first line, question or code, that is not read or done. Empty where nothing is
 * begun, as the first day is in view then, and at the end.
 */
const next = lines => {
  const left = lines.filter(line => !isFinished(line))
  if (!left.length || left.length === lines.length) return []
  const day = left[0].closest("ol").previousElementSibling
  const { href, textContent } = left[0].querySelector("a")
  return ["Next, on ", element("a", { href: `#${day.id}` }, day.firstChild.textContent.trim()), ": ", element("a", { href }, textContent)]
}

const show = shown => {
  for (const plan of plans) plan.hidden = plan !== shown
  document.querySelector(`[data-plan="${shown.id}"]`).setAttribute("aria-current", "page")

  const items = [...shown.querySelectorAll("[data-question]")]
  for (const item of items) item.append(ticks(item.dataset.question, item.querySelector("a").textContent))
  const coding = [...shown.querySelectorAll("[data-attempt]")]
  for (const page of coding) page.querySelector(".tw-question__meta").prepend(element("span", { class: "tw-mark" }))
  const lines = [...shown.querySelectorAll("[data-question], [data-attempt]")]
  const done = shown.querySelector(".tw-plan__done")
  const on = shown.querySelector(".tw-plan__next")
  const count = () => {
    done.textContent = progress(items, coding)
    for (const page of coding) page.querySelector(".tw-mark").textContent = isDone(page) ? "Done · " : ""
    on.replaceChildren(...shown.querySelector("h3") ? next(lines) : [])
    on.hidden = !on.hasChildNodes()
  }
  store.addEventListener("change", count)
  count()
  done.hidden = false

  const notice = element("div", { class: "tw-notice", role: "status", hidden: true })
  shown.before(notice)
  showNotices(notice)
}

/** Kept for the ends of the questions' pages, which lead back to the plan and on in it. */
const remember = ({ dataset: { time, level } }, questions) => {
  const chosen = store.get("place:plan")
  const isSame = chosen?.time === time && chosen.level === level && String(chosen.questions) === String(questions)
  if (!isSame) store.set("place:plan", { time, level, questions })
}

const asked = find(Object.fromEntries(new URLSearchParams(location.search)))
const chosen = find(store.get("place:plan") ?? {})
const shown = asked ?? chosen ?? plans[0]
if (asked ?? chosen) remember(shown, [...shown.querySelectorAll("[data-question]")].map(item => item.dataset.question))
if (shown) show(shown)
document.querySelector(".tw-choosing").classList.remove("tw-choosing")
