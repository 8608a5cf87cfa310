// The reader's own story to a behavioral question, to read.

import { element } from "../../shared/dom.js"
import { PARTS, storyOf } from "../../shared/stories.js"

/** What one has written on the question's page, or the way there. */
export const ownStory = ({ id, url }) => {
  const story = storyOf(id)
  const edit = text => element("p", {}, element("a", { href: `${url}#your-story`, target: "_blank", rel: "noopener" }, text))
  if (!story) return edit("Write yours on the question's page, in a new tab.")
  return [
    Object.entries(PARTS).filter(([name]) => story[name].trim()).map(([name, [label]]) =>
      element("div", {}, element("h4", {}, label), element("p", { class: "tw-kept" }, story[name].trim()))),
    edit("Change it on the question's page, in a new tab."),
  ]
}
