// Building a page's elements, and handing the reader a file.

/**
 * An element. Strings become text, never markup.
 *
 * @param {string} tag
 * @param {Object} properties attributes by name; `on…` are listeners; true is an attribute without a value; null,
 *   undefined and false leave it out.
 * @param {...(Node|string|Array|null|undefined|false)} children
 */
export const element = (tag, properties = {}, ...children) => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value)
    else if (value === true) made.setAttribute(name, "")
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value)
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false))
  return made
}

/** "1 card", "2 cards". */
export const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`

/** A button that calls `act`; `key` names the key that does the same. */
export const button = (text, act, { key, quiet = false } = {}) =>
  element("button", { type: "button", class: quiet ? "tw-button tw-button--quiet" : "tw-button", onclick: act },
    text, key && element("kbd", { "aria-hidden": "true" }, key))

/** Nodes of a piece of this site's own pages, as its data files hold it; nothing else belongs in here. */
export const fragment = html => {
  const template = document.createElement("template")
  template.innerHTML = html
  return template.content
}

/** Hand the reader a text as a file. */
export const save = (name, text, type) => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  element("a", { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
