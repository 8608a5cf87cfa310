// The field in which a reader edits a program: as one writes code in it, with a keyboard or on a phone.

import { element } from "../javascripts/shared/dom.js"

const INDENT = "    "

/** Put a text in place of what is selected, so that the browser's own undo takes it back. */
const insert = (field, text) => {
  if (document.execCommand("insertText", false, text)) return
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end")
  field.dispatchEvent(new Event("input"))
}

const lineStart = (text, index) => text.lastIndexOf("\n", index - 1) + 1

/** Indent the selected lines, or take their indentation back, and keep them selected. */
const shift = (field, back) => {
  const { value, selectionStart, selectionEnd } = field
  const begin = lineStart(value, selectionStart)
  const end = Math.max(selectionEnd - (selectionEnd > selectionStart && value[selectionEnd - 1] === "\n" ? 1 : 0), selectionStart)
  const before = value.slice(begin, end)
  const after = back ? before.replaceAll(/^ {1,4}/gm, "") : before.replaceAll(/^(?=.)/gm, INDENT)
  if (after === before) return
  field.setSelectionRange(begin, end)
  insert(field, after)
  const first = after.split("\n")[0].length - before.split("\n")[0].length
  const caret = Math.max(begin, selectionStart + first)
  field.setSelectionRange(caret, Math.max(caret, selectionEnd + after.length - before.length))
}

const indent = (field, back) => {
  const { value, selectionStart, selectionEnd } = field
  if (back || value.slice(selectionStart, selectionEnd).includes("\n")) shift(field, back)
  else insert(field, " ".repeat(INDENT.length - (selectionStart - lineStart(value, selectionStart)) % INDENT.length))
}

/** A new line as far in as the one before, and further after a colon: phones have no Tab. */
const newLine = field => {
  const line = field.value.slice(lineStart(field.value, field.selectionStart), field.selectionStart)
  insert(field, `\n${/^ */.exec(line)[0]}${line.trimEnd().endsWith(":") ? INDENT : ""}`)
}

/**
 * A field with a program. Nothing corrects what is typed. Tab and Shift+Tab indent; after Escape, Tab leaves the field.
 *
 * @param {string} text
 * @param {string} name what a screen reader says.
 * @param {{changed: function(string), run: function()}} on called with the text after a change; to run it.
 */
export const field = (text, name, { changed, run }) => {
  let leaving = false
  const fit = () => { made.rows = made.value.split("\n").length + 1 }
  const made = element("textarea", {
    class: "tw-run__source", spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off",
    writingsuggestions: "false", "data-gramm": "false", translate: "no", enterkeyhint: "enter", wrap: "off", "aria-label": name,
    oninput: () => {
      fit()
      changed(made.value)
    },
    onblur: () => { leaving = false },
    onkeydown: event => {
      const { key, shiftKey, ctrlKey, metaKey, altKey, isComposing } = event
      if (isComposing) return
      if (key === "Enter" && (ctrlKey || metaKey)) run()
      else if (ctrlKey || metaKey || altKey) return
      else if (key === "Tab" && !leaving) indent(made, shiftKey)
      else if (key === "Enter" && !shiftKey) newLine(made)
      else {
        if (key !== "Shift" && key !== "Tab") leaving = key === "Escape"
        return
      }
      event.preventDefault()
    },
  })
  made.value = text
  fit()
  return made
}
