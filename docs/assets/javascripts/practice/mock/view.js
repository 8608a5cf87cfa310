// The place where the mode shows itself, and words that several of its views use.

import { counted, element } from "../../shared/dom.js"
import { FORMATS } from "./set.js"

export const app = document.getElementById("mock")
export const view = app.querySelector(".tw-view")
const message = app.querySelector(".tw-message")

/** A moment. */
export const on = time => new Date(time).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short" })

/** An interview or a set. */
export const name = one => `${FORMATS[one.format].label}, ${counted(one.minutes, "minute")}`

export const heading = text => element("h2", { tabindex: "-1" }, text)
export const part = (title, ...children) => element("div", { class: "tw-part" }, element("h3", {}, title), children)

/** Show a message above the view, or none for an empty text. */
export const tell = text => {
  message.hidden = !text
  message.textContent = text
}

/** Change a text; what is the same already is not announced again. */
export const write = (box, text) => {
  if (box.textContent !== text) box.textContent = text
}

const flat = children => children.flat(Infinity).filter(Boolean)

/** Put `children` in place of what is in the box; a focus that stood in there goes to the app, not to the document. */
export const fill = (box, ...children) => {
  const had = box.contains(document.activeElement)
  box.replaceChildren(...flat(children))
  if (had) app.focus({ preventScroll: true })
}

/** Show another view: `setup`, `running` or `summary`. */
export const show = (state, ...children) => {
  app.dataset.view = state
  view.replaceChildren(...flat(children))
}

export const focus = target => {
  target.focus({ preventScroll: true })
  app.scrollIntoView({ block: "start" })
  target.scrollIntoView({ block: "nearest" })
}
