// The interview as Markdown.

import { DIMENSIONS, label, ratings, scoreText, summarize } from "./score.js"
import { FORMATS } from "./set.js"
import { clock } from "./view.js"

const escape = text => text.replace(/[\\`*_[\]<>|#]/g, "\\$&")

/**
 * The interview as Markdown.
 *
 * @param {(url: string) => string} absolute makes an address of the bank's absolute.
 * @param {string} date when it took place, as people read it.
 * @param {string} link the set's own address.
 */
export const report = (interview, bank, { absolute, date, link }) => {
  const { ms, all, dimensions, topics, open } = summarize(interview, bank)
  const linked = ({ id }) => {
    const card = bank.byId.get(id)
    return `[${escape(card.title)}](${absolute(card.url)})`
  }
  const lines = [
    `# Mock interview, ${date}`, "",
    `${FORMATS[interview.format].label}, ${interview.minutes} minutes, ${interview.answers.length} questions. `
      + `Answered in ${clock(ms)}. [The same set](${link}).`, "",
    `Points: ${scoreText(all)} (Weak 0, Good 1, Strong 2).`, "",
    "| | Points | Weak | Good | Strong |", "|---|---|---|---|---|",
    ...DIMENSIONS.map(name => `| ${label(name)} | ${scoreText(dimensions[name])} | ${dimensions[name].counts.join(" | ")} |`),
  ]
  if (topics.length) lines.push("", "## By topic, weakest first")
  for (const { group, label: name, url, score, answers } of topics) {
    lines.push("", `### [${escape(name)}](${absolute(url)}) (${group}): ${scoreText(score)}`, "",
      ...answers.map(answer => `- ${linked(answer)}: ${ratings(answer, bank.grades)}; ${clock(answer.ms)}`))
  }
  if (open.length) lines.push("", "## Not answered", "", ...open.map(answer => `- ${linked(answer)}`))
  return `${lines.join("\n")}\n`
}
