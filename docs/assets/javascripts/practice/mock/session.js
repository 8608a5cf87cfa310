// The interview that runs or is summed up: where it stands, its clock, and what one can do with it.
//
// What is shown follows the events: `begin`; `step`, another question or another step of one; `pause`; `elsewhere`, when
// another tab has gone on with a question that is not shown here; `tick`, while the clock runs; and `end`, also when one of
// the past is opened.

import { FOLLOW_UPS } from "./follow-ups.js"
import { cost, sum } from "./set.js"
import { keepFinished, prepare, pruneUnfinished, remember, stored } from "./kept.js"

const isOpen = answer => answer.step !== "revealed"

class Session extends EventTarget {
  /** From loadCards(), set once it is there. */
  bank = null
  /** See prepare() in kept.js; null while one is set up. */
  interview = null
  ended = false
  paused = false
  #since = null  // when the clock was last read; null while it stands still

  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }

  get running() {
    return this.interview !== null && !this.ended
  }

  get answer() {
    return this.interview.answers[this.interview.current]
  }

  get card() {
    return this.bank.byId.get(this.answer.id)
  }

  /** Whether one is to speak: the answer is not shown yet. */
  get answering() {
    return this.running && isOpen(this.answer)
  }

  // ---------- The clock ----------

  get ticking() {
    return this.#since !== null
  }

  /** Add what has passed since the last reading; timers are late in a tab that is not shown, so they are not counted. */
  readClock() {
    const now = performance.now()
    if (this.ticking) this.answer.ms += now - this.#since
    this.#since = this.answering && !this.paused ? now : null
  }

  /** Let everybody show how far the clock is. */
  tick() {
    if (!this.ticking) return
    this.readClock()
    this.#say("tick")
  }

  #stopClock() {
    this.readClock()
    this.#since = null
  }

  /** What is left, in milliseconds: of the question's time and of the interview's. Less than 0 once it is over. */
  get left() {
    const used = sum(this.interview.answers.map(answer => answer.ms))
    return { question: cost(this.card, this.interview.format) * 60_000 - this.answer.ms, whole: this.interview.minutes * 60_000 - used }
  }

  pause(to) {
    this.#stopClock()
    this.paused = to
    this.readClock()
    remember(this.interview)
    this.#say("pause")
  }

  /** Keep how far the clock has come. */
  keep() {
    this.readClock()
    remember(this.interview)
  }

  // ---------- From beginning to end ----------

  #change(act) {
    this.#stopClock()
    act()
    this.keep()
    this.#say("step", { byReader: true })
  }

  /** Go on with an interview. */
  go(interview) {
    this.interview = interview
    this.ended = this.paused = false
    this.#since = null
    this.#say("begin")
    this.visit(interview.current)
  }

  /** Begin an interview with these questions. */
  begin(chosen, ids) {
    this.go(prepare(chosen, ids, Date.now()))
    pruneUnfinished(this.bank)
  }

  /** Go to a question by its index. */
  visit(index) {
    this.#change(() => {
      this.interview.current = index
      if (this.answer.step === "new" || this.answer.step === "skipped") this.answer.step = "asked"
    })
  }

  /** Go to the question before or after, if there is one. */
  move(by) {
    const index = this.interview.current + by
    if (this.interview.answers[index]) this.visit(index)
  }

  /** From the question to its follow-ups, and to the answer. */
  advance() {
    const { step } = this.answer
    this.#change(() => {
      this.paused = false
      this.answer.step = step === "asked" ? "follow-1" : step === `follow-${FOLLOW_UPS}` ? "revealed" : `follow-${Number(step.slice(-1)) + 1}`
    })
  }

  /** The index of the next question that is still to be answered, or -1. */
  get next() {
    return this.interview.answers.findIndex((one, index) => index > this.interview.current && isOpen(one))
  }

  onward() {
    this.paused = false
    if (this.next < 0) this.finish()
    else this.visit(this.next)
  }

  skip() {
    this.#stopClock()
    this.answer.step = "skipped"
    this.onward()
  }

  rate(dimension, value) {
    this.answer[dimension] = value
    remember(this.interview)
  }

  /** Keep what one has written, `notes` or `code`. */
  write(name, text) {
    this.answer[name] = text
    remember(this.interview)
  }

  /** How many questions are not answered. */
  get open() {
    return this.interview.answers.filter(isOpen).length
  }

  finish() {
    this.readClock()
    this.review(this.interview)
    keepFinished(this.interview, this.bank)
  }

  /** Sum up an interview. */
  review(interview) {
    this.interview = interview
    this.ended = true
    this.#since = null
    this.#say("end")
  }

  /** Leave the summary. */
  leave() {
    this.interview = null
    this.ended = false
  }

  // ---------- The same interview in another tab ----------

  /** Take over what was done there, stay at the question that is shown here. True if it was finished there. */
  follow() {
    const { place, done } = stored(this.interview, this.bank)
    if (done) this.review(done)
    if (done || !place) return Boolean(done)
    this.readClock()
    const changed = []
    for (const one of this.interview.answers) {
      const { ms, ...news } = place.answers.find(({ id }) => id === one.id) ?? one
      if (Object.keys(news).some(field => news[field] !== one[field])) changed.push(one)
      Object.assign(one, news, { ms: Math.max(ms, one.ms) })
    }
    if (changed.includes(this.answer)) this.#say("step", { byReader: false })
    else if (changed.length) this.#say("elsewhere")
    return false
  }
}

export const session = new Session()
