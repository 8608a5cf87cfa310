// Single keys for a part of a page.

const TYPING = "input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]"

// What lies over the page has its own keys: the search, the drawer, a dialog.
const COVER = "[data-md-toggle=search]:checked, [data-md-toggle=drawer]:checked, dialog[open]"

// The theme's keys for the page before and after. One that slips into a session must not end it.
const ELSEWHERE = ["p", ",", "n", "."]

const inView = root => {
  const { top, bottom, height } = root.getBoundingClientRect()
  return height > 0 && bottom > 0 && top < innerHeight
}

/**
 * Single keys for a part of the page, before the site's own (search, next page) see them. They count while the focus is
 * in that part and not in a field; and also while nothing has the focus, as after a page was opened or its margin was
 * clicked, if the part is on the screen. A link, button or field elsewhere keeps its keys.
 *
 * @param {HTMLElement} root the part.
 * @param {(key: string, event: KeyboardEvent) => boolean} act does what the key means and returns whether it meant
 *   anything. If not, the key does what it does on any page, except leave it: Space scrolls, so take it only for what a
 *   button names.
 *   A key that is held counts once, except for arrows; `event.target` is the body while nothing has the focus.
 */
export const shortcuts = (root, act) => {
  let taken = ""  // the last key that meant something, until it is released
  addEventListener("keydown", event => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return
    const nowhere = target === document.body || target === document.documentElement
    if (nowhere ? !inView(root) || document.querySelector(COVER) : !root.contains(target) || target.matches(TYPING)) return
    // A focused control keeps the keys that work it.
    if (["Enter", " "].includes(key) && target.closest("button, a, summary, label, input")) return
    if (key.startsWith("Arrow") && target.matches("input[type=radio]")) return
    if (key === " " && event.shiftKey) return  // scrolls back
    const held = event.repeat && !key.startsWith("Arrow")
    if (held ? key === taken : act(key, event)) {
      taken = key
      event.preventDefault()
      event.stopPropagation()
    } else if (ELSEWHERE.includes(key)) event.stopPropagation()
  }, { capture: true })
  addEventListener("keyup", () => { taken = "" }, { capture: true })
}
