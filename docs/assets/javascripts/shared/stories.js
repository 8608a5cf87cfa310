// The reader's own stories for behavioral questions, kept with the other progress.

import { store, withBraces, withoutBraces } from "./store.js"

const VERSION = 1

/** The parts of a story, with what belongs there. */
export const PARTS = {
  situation: ["Situation", "What ran, who waited for it, and what was at stake."],
  did: ["What I did", "Step by step, with I and not we. What you ruled out, and how."],
  result: ["Result", "A number before and after, and how you measured it."],
  differently: ["What I would do differently", "One thing, and what it would have changed."],
  artifact: ["What I can show", "A plot, a test, a pull request. You do not tell this part; you are asked for it."],
}
export const LONGEST = 2_000  // characters of a part

const nameOf = id => `story:${id}`

/** The story to a question by its parts, which may be empty; undefined where there is none. */
export const storyOf = id => {
  const entry = store.get(nameOf(id))
  if (!entry) return undefined
  const text = name => (typeof entry[name] === "string" ? withBraces(entry[name]).slice(0, LONGEST) : "")
  return Object.fromEntries(Object.keys(PARTS).map(name => [name, text(name)]))
}

/** Keep a story; one without a word is forgotten. */
export const keepStory = (id, story) => {
  if (Object.values(story).some(text => text.trim())) {
    store.set(nameOf(id), { version: VERSION, ...Object.fromEntries(Object.entries(story).map(([name, text]) => [name, withoutBraces(text)])) })
  } else {
    store.remove(nameOf(id))
  }
}

/** How many stories there are. */
export const countStories = () => store.all("story").size

const TOLD = ["situation", "did", "result", "differently"]

/** How many words one tells: what one can show is not told. */
export const wordsOf = story => TOLD.reduce((count, name) => count + (story[name].match(/\S+/g) ?? []).length, 0)

/** The story as Markdown. */
export const storyAsMarkdown = (title, story) => {
  const parts = Object.entries(PARTS).filter(([name]) => story[name].trim())
  return `${[`# ${title}`, ...parts.map(([name, [label]]) => `## ${label}\n\n${story[name].trim()}`)].join("\n\n")}\n`
}
