// The kit as Markdown, for both versions.

import { counted } from "../../shared/dom.js"
import { isExercise } from "../shared/cards.js"
import { dimensionsOf, label } from "../mock/score.js"
import { promptsOf, roundOf } from "../mock/set.js"
import { minutesOf, total } from "./material.js"

/** What a score from 1 to 4 means. */
export const SCORES = ["no answer", "weak", "good", "strong"]

/** Plain text, safe within Markdown. */
const plain = text => text.replace(/[\\`*_[\]<>|#]/g, "\\$&")

const fence = code => `\`\`\`python\n${code}\n\`\`\``

// An item of a list, whatever blocks it has.
const item = (mark, text) => `${mark} ${text.replaceAll(/\n(?=.)/g, `\n${" ".repeat(mark.length + 1)}`)}`

const files = ({ coding: { files: [starter, judge] } }) => `[Starter file](${starter}), [judge](${judge})`

const scores = card => [
  `Score from 1 to 4: ${SCORES.map((text, index) => `${index + 1} ${text}`).join(", ")}.`,
  dimensionsOf(roundOf(card)).map(name => `- ${label(name)}:`).join("\n"),
]

const interviewers = (card, grades) => [
  `${card.where} · ${counted(minutesOf(card), "minute")} · [the page](${card.page})`,
  ...(isExercise(card)
    ? [card.markdown.task, files(card), "### The core line", fence(card.coding.line),
      "### Mistakes to watch for", card.coding.mistakes.map(why => `- ${plain(why)}`).join("\n")]
    : ["### The answer to hear", card.markdown.say, ...(card.terms ? [card.terms.map(term => `- [ ] ${plain(term)}`).join("\n")] : [])]),
  ...(promptsOf(card).length ? ["### Say at minute", promptsOf(card).map(([minute, text]) => `- **${minute}**: ${plain(text)}`).join("\n")] : []),
  "### Ask next",
  ...card.markdown.next.map(({ question, answer }) => item("1.", `**${question}**\n\n${answer}`)),
  "### Listening for",
  card.markdown.ladder.map((text, index) => item("-", `**${(card.grades ?? grades)[index]}**: ${text}`)).join("\n"),
  "### Score and notes",
  ...scores(card),
]

const candidates = card => [counted(minutesOf(card), "minute"), ...(isExercise(card) ? [card.markdown.task, `[Starter file](${card.coding.files[0]})`] : [])]

/**
 * The kit as Markdown.
 *
 * @param {Object[]} cards of load(), in their order, complete.
 * @param {string} version "interviewer" or "candidate".
 * @param {string[]} grades the words for weak, good and strong.
 */
export const markdown = (cards, version, grades) => {
  const of = version === "candidate" ? candidates : card => interviewers(card, grades)
  const parts = cards.flatMap((card, index) => [`## ${index + 1}. ${plain(card.title)}`, ...of(card)])
  return `${[`# Interview: ${counted(cards.length, "question")}, ${counted(total(cards), "minute")}`, ...parts].join("\n\n")}\n`
}
