// Single keys for a part of a page.

const TYPING = "input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]"

/**
 * Single keys for the part of the page that has the focus, before the site's own (search, next page) see them.
 *
 * @param {HTMLElement} root keys count while the focus is in here and not in a field.
 * @param {(key: string, event: KeyboardEvent) => boolean} act does what the key means and returns whether it meant anything.
 */
export const shortcuts = (root, act) => {
  addEventListener("keydown", event => {
    const { target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (!root.contains(target) || target.matches(TYPING)) return
    // A focused control keeps the keys that work it.
    if (["Enter", " "].includes(event.key) && target.closest("button, a, summary, label, input")) return
    if (event.key.startsWith("Arrow") && target.matches("input[type=radio]")) return
    if (act(event.key, event)) {
      event.preventDefault()
      event.stopPropagation()
    }
  }, { capture: true })
}
