// A piece of a page's HTML as Markdown.

const escape = text => text.replace(/[\\`*_[\]<>|#]/g, "\\$&")

const code = text => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

const inlineOf = node => {
  if (node.nodeType === Node.TEXT_NODE) return escape(node.textContent.replaceAll(/\s+/g, " "))
  if (node.nodeType !== Node.ELEMENT_NODE) return ""
  const inner = () => [...node.childNodes].map(inlineOf).join("")
  switch (node.localName) {
    case "code": return code(node.textContent)
    case "em": return `*${inner()}*`
    case "strong": return `**${inner()}**`
    case "math": return escape(node.textContent.replaceAll(/\s+/g, ""))
    default: return inner()
  }
}

const block = node => {
  if (node.localName === "pre" || node.querySelector?.(":scope > pre")) return `\`\`\`python\n${node.textContent.trimEnd()}\n\`\`\``
  if (node.localName === "ul" || node.localName === "ol") return [...node.children].map(item => `- ${inlineOf(item).trim()}`).join("\n")
  return inlineOf(node).trim()
}

/** A piece of HTML in one line of Markdown. */
export const inline = piece => inlineOf(Object.assign(document.createElement("div"), { innerHTML: piece })).trim()

/** HTML of paragraphs, lists and code as Markdown, with a blank line between them. */
export const blocks = piece => [...Object.assign(document.createElement("div"), { innerHTML: piece }).childNodes]
  .map(block).filter(Boolean).join("\n\n")

/** Plain text, safe within Markdown. */
export const plain = escape
