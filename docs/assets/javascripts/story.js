// The form in which a reader writes a story of their own, below the one that the page tells.

import { address } from "./shared/address.js"
import { button, element, save } from "./shared/dom.js"
import { keepStory, LONGEST, PARTS, storyAsMarkdown, storyOf, wordsOf } from "./shared/stories.js"
import { store } from "./shared/store.js"

const { question } = document.querySelector(".tw-mine").dataset
const title = document.querySelector("h1").firstChild.textContent.trim()
const [LEAST, MOST] = [200, 280]  // words of two minutes, as the page's own story has

const empty = () => Object.fromEntries(Object.keys(PARTS).map(name => [name, ""]))

const read = () => Object.fromEntries([...fields].map(([name, field]) => [name, field.value]))

const said = element("p", { role: "status", class: "tw-quiet" })
const tell = (...nodes) => said.replaceChildren(...nodes)

const length = story => {
  const words = wordsOf(story)
  if (!words) return `Two minutes are ${LEAST} to ${MOST} words.`
  const about = words < LEAST ? "there is room for more" : words > MOST ? "more than two minutes" : "about two minutes"
  return `${words} words: ${about}.`
}

const count = element("p", { class: "tw-quiet" })
const actions = element("div", { class: "tw-actions" },
  button("Download as Markdown", () => save("my-story.md", storyAsMarkdown(title, read()), "text/markdown"), { quiet: true }),
  button("Forget this story", () => {
    const before = read()
    keepStory(question, empty())
    tell("The story is forgotten. ", button("Undo", () => {
      keepStory(question, before)
      tell("It is back.")
      fields.get("situation").focus()
    }, { quiet: true }))
    said.querySelector("button").focus()
  }, { quiet: true }))

const fields = new Map(Object.keys(PARTS).map(name => [name, element("textarea", {
  rows: 3, maxlength: LONGEST, autocomplete: "off",
  oninput: () => {
    keepStory(question, read())
    tell("Kept in this browser.")
  },
})]))

const follow = () => {
  const story = storyOf(question)
  for (const [name, field] of fields) {
    const text = story?.[name] ?? ""
    // Not while somebody types there: what is kept is what they typed.
    if (field.value !== text && document.activeElement !== field) field.value = text
  }
  count.textContent = length(read())
  actions.hidden = !story
}

const fold = element("details", { class: "tw-own", id: "your-story" },
  element("summary", {}, "Put your own story in its place"),
  element("p", {}, "Your words stay in this browser, and are part of the progress that ",
    element("a", { href: address("practice/") }, "you can write to a file"),
    ". Nothing is sent anywhere."),
  [...fields].map(([name, field]) => element("label", { class: "tw-written" },
    element("strong", {}, PARTS[name][0]), " ", element("span", {}, PARTS[name][1]), field)),
  count, said, actions)

store.addEventListener("change", follow)
follow()
if (storyOf(question) || location.hash === "#your-story") fold.open = true
document.getElementById("run-it").before(fold)
if (location.hash === "#your-story") fold.scrollIntoView()
