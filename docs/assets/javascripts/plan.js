// The page of plans: shows the one that the address names, or the one that was chosen last, with what is read and known.

import { showNotices } from "./practice/shared/notices.js"
import { store } from "./practice/shared/store.js"
import { element } from "./shared/dom.js"
import { ticks, ticksOf } from "./shared/ticks.js"

const plans = [...document.querySelectorAll(".tw-plan")]
const asked = Object.fromEntries(new URLSearchParams(location.search))
const find = ({ time, level }) => plans.find(plan => plan.dataset.time === time && plan.dataset.level === level)
const shown = find(asked) ?? find(store.get("place:plan") ?? {}) ?? plans[0]
const { time, level } = shown.dataset

const items = [...shown.querySelectorAll("[data-question]")]
const done = shown.querySelector(".tw-plan__done")

const count = () => {
  const read = items.filter(item => ticksOf(item.dataset.question).read).length
  const known = items.filter(item => ticksOf(item.dataset.question).known).length
  const left = items.filter(item => !ticksOf(item.dataset.question).read)
  const minutes = left.reduce((sum, item) => sum + Number(item.dataset.minutes), 0)
  done.textContent = `${read} of ${items.length} read, ${known} known.`
    + (left.length ? ` ${minutes} minutes of questions are left.` : " All of them are read.")
}

for (const plan of plans) plan.hidden = plan !== shown
for (const item of items) item.append(ticks(item.dataset.question, item.querySelector("a").textContent))
document.querySelector(`[data-plan="${shown.id}"]`).setAttribute("aria-current", "page")
if (find(asked) && (store.get("place:plan")?.time !== time || store.get("place:plan")?.level !== level)) {
  store.set("place:plan", { time, level })
}

const notice = element("div", { class: "tw-notice", role: "status", hidden: true })
shown.before(notice)
showNotices(notice)
store.addEventListener("change", count)
count()
done.hidden = false
// The browser has looked for the plan while all of them were there.
if (location.hash === `#${shown.id}`) shown.scrollIntoView()
