// Suggesting a set: questions of one level over several topics that fill some minutes, those of the level's plans first.

import { element } from "../../shared/dom.js"
import { isExercise } from "../shared/cards.js"
import { choose, FORMATS, roundOf, sum } from "../mock/set.js"

const MINUTES = [30, 45, 60]
const USUAL = { level: "mid", minutes: 45 }
/** So many sets are drawn; the one with the most of the plans is suggested. */
const DRAWS = 60

const same = (one, other) => one.length === other.length && one.every(id => other.includes(id))

/**
 * A set as ids, in the site's order: the same for the same level, minutes and seed while the site has the same questions.
 *
 * It is one of several that the mock interview would draw, without exercises, behavioral questions and whiteboard rounds.
 *
 * @param {Object[]} cards in the site's order.
 * @param {{hours: string[], days: string[]}} plan what the level's plans name.
 * @param {Object} wish `level`, `minutes`, `seed`, and `but`: a set that it must not be.
 */
export const suggest = (cards, plan, { level, minutes, seed, but = [] }) => {
  const own = cards.filter(card => card.level === level && card.kind !== "behavioral" && !isExercise(card) && !roundOf(card))
  const worth = id => (plan.hours.includes(id) ? 3 : plan.days.includes(id) ? 1 : 0)
  const sets = Array.from({ length: DRAWS }, (_, index) =>
    choose(own, { format: level, minutes, seed: `${seed} ${index}` }).map(card => card.id))
  const value = ids => sum(ids.map(worth)) / ids.length
  const best = sets.toSorted((one, other) => value(other) - value(one))
  const found = best.find(ids => !same(ids, but)) ?? best[0]
  return own.filter(card => found.includes(card.id)).map(card => card.id)
}

const select = (label, name, options, chosen) => element("label", {}, label, element("select", { name },
  options.map(([value, text]) => element("option", { value, selected: value === chosen }, text))))

/**
 * The form that asks for a set.
 *
 * @param {Object} material from load().
 * @param {Selection} selection gets the set.
 * @param {{tell: Function, done: Function}} then `tell(text)` shows a message, `done()` is called when the set is there.
 */
export const suggestForm = (material, selection, { tell, done }) => {
  const { bank } = material
  const levels = Object.entries(bank.levels).filter(([level]) => FORMATS[level] && bank.cards.some(card => card.level === level))
  const wanted = new URLSearchParams(location.search).get("level")
  const usual = [wanted, USUAL.level, levels[0]?.[0]].find(level => levels.some(([name]) => name === level))
  const take = async event => {
    event.preventDefault()
    const level = form.elements.namedItem("suggest-level").value
    const minutes = Number(form.elements.namedItem("suggest-minutes").value)
    try {
      const plan = await material.plan(level)
      selection.take(suggest(bank.cards, plan, { level, minutes, seed: Math.random().toString(36).slice(2), but: selection.ids }))
    } catch {
      tell("No set could be suggested, because the level's questions did not load. Check the connection and try again.")
      return
    }
    done()
  }
  const form = element("form", { class: "tw-kit__suggest", "aria-label": "Suggest a set", onsubmit: take },
    select("Level", "suggest-level", levels, usual),
    select("Minutes", "suggest-minutes", MINUTES.map(minutes => [minutes, `${minutes} minutes`]), USUAL.minutes),
    element("button", { class: "tw-button" }, "Suggest a set"))
  return form
}
