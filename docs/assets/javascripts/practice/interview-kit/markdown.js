// The kit as Markdown, for both versions.

import { counted } from "../../shared/dom.js"
import { isExercise } from "../shared/cards.js"
import { DIMENSIONS, label } from "../mock/score.js"
import { blocks, inline, plain } from "./inline.js"
import { minutesOf, total } from "./material.js"

/** What a score from 1 to 4 means. */
export const SCORES = ["no answer", "weak", "good", "strong"]

const fence = code => `\`\`\`python\n${code}\n\`\`\``

const task = ({ coding }) => [blocks(coding.task), fence(coding.starter)]

const files = ({ coding: { files: [starter, judge] } }) => `[Starter file](${starter}), [judge](${judge})`

const scores = [
  `Score from 1 to 4: ${SCORES.map((text, index) => `${index + 1} ${text}`).join(", ")}.`,
  DIMENSIONS.map(name => `- ${label(name)}:`).join("\n"),
]

const interviewers = (card, grades) => [
  `${card.where} · ${counted(minutesOf(card), "minute")} · [the page](${card.page})`,
  ...(isExercise(card)
    ? [...task(card), files(card), "### The core line", fence(blocks(card.coding.core).replaceAll(/^```.*$/gm, "").trim()),
      "### Mistakes to watch for", card.coding.mistakes.map(why => `- ${plain(why)}`).join("\n")]
    : ["### The answer to hear", blocks(card.say), ...(card.terms ? [card.terms.map(term => `- [ ] ${plain(term)}`).join("\n")] : [])]),
  ...(card.next.length ? ["### Ask next", card.next
    .map(({ question, answer }) => `1. **${inline(question)}** ${inline(answer)}`).join("\n")] : []),
  "### Listening for",
  card.ladder.map((text, index) => `- **${(card.grades ?? grades)[index]}**: ${inline(text)}`).join("\n"),
  "### Score and notes",
  ...scores,
]

const candidates = card => [counted(minutesOf(card), "minute"), ...(isExercise(card) ? [...task(card), `[Starter file](${card.coding.files[0]})`] : [])]

/**
 * The kit as Markdown.
 *
 * @param {Object[]} cards of load(), in their order.
 * @param {string} version "interviewer" or "candidate".
 * @param {string[]} grades the words for weak, good and strong.
 */
export const markdown = (cards, version, grades) => {
  const of = version === "candidate" ? candidates : card => interviewers(card, grades)
  const parts = cards.flatMap((card, index) => [`## ${index + 1}. ${plain(card.title)}`, ...of(card)])
  return `${[`# Interview: ${counted(cards.length, "question")}, ${counted(total(cards), "minute")}`, ...parts].join("\n\n")}\n`
}
