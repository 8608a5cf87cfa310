// Markdown that leaves its place.

const CODE_OR_LINK = /(?<ticks>`+)(?!`).+?(?<!`)\k<ticks>(?!`)|\]\((?![a-z]+:)(?<target>[^)\s]+)\)/g

/**
 * Markdown whose relative links are absolute. A site that is built without its address has relative ones in its copies.
 * @param {string} text what stands in code stays as it is
 * @param {string} base the address that its links are relative to
 * @returns {string}
 */
export const absolute = (text, base) => {
  let mark = ""  // of the fence that is open
  return text.split("\n").map(line => {
    const found = line.match(/^\s*(`{3,}|~{3,})/)?.[1] ?? ""
    if (mark) {
      if (line.trim() === mark) mark = ""
      return line
    }
    mark = found
    return line.replace(CODE_OR_LINK, (all, _ticks, target) => target ? `](${new URL(target, base)})` : all)
  }).join("\n")
}
