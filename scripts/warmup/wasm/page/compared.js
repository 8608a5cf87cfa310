// What a run is worth: the page says it, by what was printed. Whoever wants to be told "equal" has to print the record.

// As scripts/warmup/run/digits.py has it: padding and the label of torch's build belong to a number.
const NUMBER = /(?:(?<! ) +)?\d+(?:\.\d*)*(?:[eE][+-]?\d+)?(?:\+(?:cpu|cu\d+)\b)? */g

const masked = text => text.replaceAll(NUMBER, "#")

const CELLS = 4e6  // of the table below, beyond which lines are not matched
const AROUND = 1  // equal lines that are shown on either side of others

/** Lines of both texts, each behind " ", "-" or "+": the longest common subsequence stays. */
const lines = (before, after) => {
  const width = after.length + 1
  if ((before.length + 1) * width > CELLS) return [...before.map(line => `-${line}`), ...after.map(line => `+${line}`)]
  const longest = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      longest[i * width + j] = before[i] === after[j]
        ? longest[(i + 1) * width + j + 1] + 1 : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1])
    }
  }
  const found = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      found.push(` ${before[i]}`)
      i += 1
      j += 1
    } else if (j === after.length || i < before.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
      found.push(`-${before[i]}`)
      i += 1
    } else {
      found.push(`+${after[j]}`)
      j += 1
    }
  }
  return found
}

const split = text => text ? text.replace(/\n$/, "").split("\n") : []

/** The lines in which a run differs from its record, with "…" for those that are left out between them. */
const difference = (name, record, printed) => {
  const all = lines(split(record), split(printed))
  const near = all.map((_, index) => all.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(line => line[0] !== " "))
  const rows = all.flatMap((line, index) => near[index] ? [line] : near[index - 1] || index === 0 && near.includes(true) ? ["…"] : [])
  return [`--- ${name} (recorded)`, `+++ ${name} (this run)`, ...rows].join("\n")
}

/**
 * How a run compares with what is recorded.
 *
 * @param {string} name of the program's file.
 * @param {string} record
 * @param {string} printed what it wrote to stdout.
 * @param {number} code its exit code, as far as its Python can be believed.
 * @returns {{word: string, text: string, difference: string}}
 */
export const compared = (name, record, printed, code) => {
  if (code !== 0) return { word: "failed", text: `Ended with exit code ${code}.`, difference: "" }
  if (printed === record) return { word: "equal", text: "Equals the recorded output.", difference: "" }
  const but = masked(record) === masked(printed)
  return {
    word: but ? "numbers" : "different",
    text: but ? "Equals the recorded output but for its numbers." : "Differs from the recorded output.",
    difference: difference(name, record, printed),
  }
}

/** Whether a judge accepts an attempt: it does if it prints what it printed for the right answer, which is no exit code. */
export const judged = (record, printed) =>
  record && printed.endsWith(record) ? { word: "passed", text: "Passed." } : { word: "failed", text: "Not yet." }
