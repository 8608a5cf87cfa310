// The way back to the plan that was chosen last, from the pages that it names.

import { store } from "./store.js"
import { address } from "./address.js"
import { element } from "./dom.js"

/** A link to it, or null where none was chosen. */
export const backToPlan = () => {
  const plan = store.get("place:plan")
  if (!plan) return null
  const { time, level } = plan
  return element("a", { href: `${address("plan/")}?${new URLSearchParams({ time, level })}#${time}-${level}` }, "Back to your plan")
}
