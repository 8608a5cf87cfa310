// The whole site on this device, if the reader asks for it.
//
// The page asks for one part after another, so that it can stop, and so that no part takes a browser longer than it lets
// a worker live.

import { ask } from "../../shared/worker.js"
import { visit } from "../shared/offline.js"

const box = document.getElementById("whole-site")
const [said, bar, message] = ["[data-kept]", "progress", ".tw-message"].map(name => box.querySelector(name))
const [keep, cancel, remove] = ["keep", "cancel", "remove"].map(name => box.querySelector(`[data-do=${name}]`))

const megabytes = bytes => `${Math.max(1, Math.round(bytes / 1e6))} MB`

const STOPPED = "It stopped, because the network failed or has a new release of the site. What is kept stays. Load this page again to go on."
const NOT_HERE = "This browser can't keep the site here. Browsers don't allow it in some private windows, and for addresses that begin with neither https nor http://localhost."
const NOT_NOW = "This copy of the site can't be kept now: there is no network, a release is being published, or the server changes its pages, as the one of make serve does."
const NOT_UNASKED = "This browser asks to save data, so the practice pages are not kept in the background."
const NOT_RENEWED = "This browser asks to save data, so what is kept is not renewed in the background, and is of an older release."

const FAILED = {
  QuotaExceededError: "This browser gives the site no more room: free some space on the device, or remove what is kept.",
  SecurityError: NOT_HERE,
}

let first = visit  // what is kept of practice
let waits = false  // for the reader, because the browser asks to save data
let running = null  // what the last press of the button has begun

const say = text => {
  message.hidden = !text
  message.textContent = text
}

const show = kept => {
  const whole = kept && !kept.missing
  said.hidden = !kept
  if (kept) {
    said.textContent = whole ? `The whole site is kept on this device: ${megabytes(kept.bytes)}.`
      : `${megabytes(kept.bytes - kept.missing)} of ${megabytes(kept.bytes)} are kept on this device.`
    bar.max = kept.bytes
    bar.value = kept.bytes - kept.missing
    keep.textContent = `Keep the whole site on this device (${megabytes(kept.missing)})`
  }
  if (waits) keep.textContent = "Keep practice all the same"
  bar.hidden = !running
  const focused = document.activeElement
  keep.hidden = !waits && (!kept || running || whole)
  cancel.hidden = !running
  remove.hidden = !kept || running || kept.missing === kept.rest
  // Whoever pressed a button that is gone stands where it was.
  if (box.contains(focused) && focused.hidden) (running ? cancel : keep.hidden ? box : keep).focus({ preventScroll: true })
}

const refuse = text => {
  show(null)
  say(text)
}

/** Say what is kept of practice. @returns {Promise<boolean>} whether its present release is. */
const showFirst = async () => {
  try {
    const { failed, kept } = await first
    waits = failed === "SaveData"
    if (kept || waits) show(kept)
    else refuse(FAILED[failed] ?? NOT_NOW)
    if (waits) say(kept ? NOT_RENEWED : NOT_UNASKED)
    return !failed
  } catch {
    refuse(NOT_HERE)
    return false
  }
}

const keepPractice = async () => {
  say("Loading.")
  first = ask("keep")
  if (await showFirst()) say("Done: all practice pages are kept on this device.")
}

keep.addEventListener("click", async () => {
  if (waits) {
    keepPractice()
    return
  }
  const mine = running = {}
  say("Loading. You may leave this page and go on later: what is kept stays.")
  navigator.storage?.persist?.()  // or a browser that runs out of space may forget it
  let answer = await first
  show(answer.kept)
  while (running === mine && answer.kept?.missing) {
    answer = await ask("more")
    if (answer.failed && running === mine) {
      running = null
      say(FAILED[answer.failed] ?? STOPPED)
    }
    show(answer.kept)
  }
  if (running !== mine) return
  running = null
  say("Done: every page opens without a network, but for the prints of a whole level.")
  show(answer.kept)
})

cancel.addEventListener("click", async () => {
  running = null
  say("Stopped. What is kept stays.")
  show((await first).kept)
})

remove.addEventListener("click", async () => {
  show((await ask("remove")).kept)
  say("Removed. What a visit to practice keeps is still here.")
})

const start = async () => {
  box.hidden = false
  await showFirst()
  if (location.hash === `#${box.getAttribute("aria-labelledby")}`) box.scrollIntoView()  // it was hidden when the browser looked
}

start()
