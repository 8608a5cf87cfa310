// A piece of a page's HTML as Markdown.

const escape = text => text.replace(/[\\`*_[\]<>|#]/g, "\\$&")

const code = text => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``)

const bracketed = text => (/^(?:\p{L}|[\d.]+)$/u.test(text) ? text : `(${text})`)

// A formula in one line: 2^24 and √2 are other numbers than 224 and 2.
const formula = node => {
  const parts = [...node.children].map(formula)
  const [base, ...others] = parts.map(bracketed)
  switch (node.localName) {
    case "msup": return `${base}^${others[0]}`
    case "msub": case "munder": return `${base}_${others[0]}`
    case "msubsup": case "munderover": return `${base}_${others[0]}^${others[1]}`
    case "mfrac": return `${base}/${others[0]}`
    case "msqrt": return `√${bracketed(parts.join(""))}`
    case "mspace": return " "
    default: return parts.length ? parts.join("") : node.textContent.trim()
  }
}

const inlineOf = node => {
  if (node.nodeType === Node.TEXT_NODE) return escape(node.textContent.replaceAll(/\s+/g, " "))
  if (node.nodeType !== Node.ELEMENT_NODE) return ""
  const inner = () => [...node.childNodes].map(inlineOf).join("")
  switch (node.localName) {
    case "code": return code(node.textContent)
    case "em": return `*${inner()}*`
    case "strong": return `**${inner()}**`
    case "math": return escape(formula(node))
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
