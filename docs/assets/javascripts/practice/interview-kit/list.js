// The candidate's list on paper, parted so that no page ends up with one short question alone.

import { element } from "../../shared/dom.js"

const sum = numbers => numbers.reduce((total, number) => total + number, 0)

const before = (one, other) => {
  const place = one.findIndex((number, index) => number !== other[index])
  return place >= 0 && one[place] < other[place]
}

/**
 * Part a list into pages, in order: as few as can be; then with the fewest short ones alone on a page, where a neighbor has
 * room for them; then with about as much on each.
 *
 * @param {number[]} heights what each takes at least; what is higher than a page has a page of its own.
 * @param {number} room the height of a page.
 * @returns {number[][]} the indices on each page.
 */
export const parted = (heights, room) => {
  const best = [{ cost: [0, 0, 0], pages: [] }]  // by how many of the list are on pages
  for (let end = 1; end <= heights.length; end += 1) {
    for (let begin = end - 1; begin >= 0; begin -= 1) {
      const used = sum(heights.slice(begin, end))
      const isAlone = end - begin === 1
      if (used > room && !isAlone) break
      const [count, lonely, unused] = best[begin].cost
      const cost = [count + 1, lonely + Number(isAlone && used < room / 2), unused + Math.max(0, room - used) ** 2]
      if (best[end] && !before(cost, best[end].cost)) continue
      best[end] = { cost, pages: [...best[begin].pages, Array.from({ length: end - begin }, (_, index) => begin + index)] }
    }
  }
  return best[heights.length].pages
}

/** Whether there is more on a page than it has room for. */
export const overflows = one => one.scrollHeight > one.clientHeight + 1

/** A word and a line to write on. */
export const blank = name => element("span", { class: "tw-kit-blank" }, `${name} `, element("span"))

/** More lines than a page has: how many show is the style sheet's. */
export const ruled = () => element("div", { class: "tw-kit-lines" }, Array.from({ length: 40 }, () => element("hr")))

const page = (title, items, number, count) => element("article", { class: "tw-kit-list" },
  element("header", {},
    element("p", {}, blank("Candidate"), blank("Date")),
    element("p", {}, count > 1 && `Page ${number} of ${count}`),
    element("h2", {}, title)),
  items)

/**
 * Put the candidate's questions into `paper`, page by page.
 *
 * @param {HTMLElement} paper
 * @param {string} title
 * @param {HTMLElement[]} items what is shown of each.
 */
export const showList = (paper, title, items) => {
  const all = page(title, items, 1, 1)
  all.classList.add("tw-kit-list--measured")
  paper.replaceChildren(all)
  const room = all.clientHeight - items[0].offsetTop + all.offsetTop
  const pages = parted(items.map(item => item.offsetHeight), room)
  paper.replaceChildren(...pages.map((indices, index) => page(title, indices.map(one => items[one]), index + 1, pages.length)))
  for (const one of [...paper.children].filter(overflows)) one.classList.add("tw-kit-list--dense")
}
