// The interview as Markdown.

import { label, ratings, scoreText, summarize, weakIn } from "./score.js"
import { FORMATS } from "./set.js"
import { TEXTS } from "./kept.js"
import { clock } from "../../shared/clock.js"

const WRITTEN = Object.keys(TEXTS)

// Longer than any run of the same character in the code.
const fenceFor = code => "`".repeat(Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length)) + 1)

const fenced = (text, language) => (text.trim() ? ["", `${fenceFor(text)}${language}`, ...text.trimEnd().split("\n"), fenceFor(text)] : [])

// What one has written to a question, below its title.
const written = ({ notes, code, pad }) => [
  ...notes.trim() ? ["", ...notes.trim().split("\n").map(line => `> ${escape(line)}`.trimEnd())] : [],
  ...fenced(code, "python"),
  ...fenced(pad, "text"),
]

const escape = text => text.replace(/[\\`*_[\]<>|#]/g, "\\$&")

/**
 * The interview as Markdown.
 *
 * @param {(url: string) => string} absolute makes an address of the bank's absolute.
 * @param {string} date when it took place, as people read it.
 * @param {string} link the set's own address.
 */
export const report = (interview, bank, { absolute, date, link }) => {
  const { format } = interview
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
    ...Object.entries(dimensions).map(([name, score]) => `| ${label(name)} | ${scoreText(score)} | ${score.counts.join(" | ")} |`),
  ]
  const missed = interview.answers.filter(one => weakIn(one, format).length || WRITTEN.some(name => one[name].trim()))
  if (missed.length) lines.push("", "## What was missing")
  for (const one of missed) {
    const weak = weakIn(one, format).map(name => label(name).toLowerCase()).join(", ")
    lines.push("", `### ${linked(one)}${weak && `: weak in ${weak}`}`, ...written(one))
  }
  if (topics.length) lines.push("", "## By topic, weakest first")
  for (const { group, label: name, url, score, answers } of topics) {
    lines.push("", `### [${escape(name)}](${absolute(url)}) (${group}): ${scoreText(score)}`, "",
      ...answers.map(answer => `- ${linked(answer)}: ${ratings(answer, format, bank.grades)}; ${clock(answer.ms)}`))
  }
  if (open.length) lines.push("", "## Not answered", "", ...open.map(answer => `- ${linked(answer)}`))
  return `${lines.join("\n")}\n`
}
