// A design as a drawing: boxes in layers from top to bottom, and arrows between them.

import { counted } from "../../shared/dom.js"

const [ROW, BOX_HEIGHT, GAP, CHARACTER, LONGEST] = [84, 34, 24, 8, 26]
let drawn = 0  // a page may have several drawings, and each arrowhead a name
const NAMESPACE = "http://www.w3.org/2000/svg"

const svg = (tag, attributes, ...children) => {
  const made = document.createElementNS(NAMESPACE, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children)
  return made
}

const short = text => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}\u2026` : text)

/**
 * What a text says: "a -> b: label" is an arrow, "a -> b -> c" two, any other line a component. A line that begins
 * with # is a note.
 *
 * @returns {{names: string[], arrows: {from: string, to: string, label: string}[]}} names in the order of their first mention.
 */
export const read = text => {
  const names = new Set()
  const arrows = []
  for (const line of text.split("\n").map(one => one.trim()).filter(one => one && !one.startsWith("#"))) {
    const [path, ...rest] = line.split(/:\s*(?=\S)/)
    const stops = path.split(/\s*(?:->|\u2192)\s*/).filter(stop => /[\p{L}\p{N}]/u.test(stop))
    for (const stop of stops) names.add(stop)
    for (const [index, to] of stops.slice(1).entries()) {
      arrows.push({ from: stops[index], to, label: index === stops.length - 2 ? rest.join(": ") : "" })
    }
  }
  return { names: [...names], arrows }
}

// A layer lower than all that point at it; an arrow back to an earlier name moves nothing.
const layersOf = ({ names, arrows }) => {
  const layer = new Map(names.map(name => [name, 0]))
  for (const name of names) {
    for (const { from, to } of arrows) {
      if (from === name && names.indexOf(to) > names.indexOf(name)) layer.set(to, Math.max(layer.get(to), layer.get(name) + 1))
    }
  }
  return layer
}

/** The drawing of a text; nothing where there is nothing to draw. */
export const whiteboard = text => {
  const found = read(text)
  if (!found.names.length) return ""
  const layer = layersOf(found)
  const rows = []
  for (const name of found.names) (rows[layer.get(name)] ??= []).push(name)
  const widthOf = name => short(name).length * CHARACTER + 20
  const rowWidth = row => row.reduce((total, name) => total + widthOf(name) + GAP, GAP)
  const width = Math.max(280, ...rows.map(rowWidth))
  const place = new Map()
  for (const [index, row] of rows.entries()) {
    let x = (width - rowWidth(row)) / 2 + GAP
    for (const name of row) {
      place.set(name, { x: x + widthOf(name) / 2, y: index * ROW + BOX_HEIGHT / 2 + 4, half: widthOf(name) / 2 })
      x += widthOf(name) + GAP
    }
  }
  const head = `tw-arrow-${drawn += 1}`
  const arrow = ({ from, to, label }) => {
    const [one, other] = [place.get(from), place.get(to)]
    const down = other.y > one.y
    // Down along a straight line; sideways and back up in a curve at the side.
    const start = [one.x + (down ? 0 : one.half), one.y + (down ? BOX_HEIGHT / 2 : 0)]
    const end = [other.x + (down ? 0 : other.half), other.y - (down ? BOX_HEIGHT / 2 : 0)]
    const bend = Math.min(width - 4, Math.max(start[0], end[0]) + 40)
    const path = down ? `M${start}L${end}` : `M${start}C${bend},${start[1]} ${bend},${end[1]} ${end}`
    const middle = [down ? (start[0] + end[0]) / 2 : bend - 10, (start[1] + end[1]) / 2 + 4]
    return [svg("path", { d: path, "marker-end": `url(#${head})`, class: "tw-board__arrow" }),
      label && svg("text", { x: middle[0], y: middle[1], class: "tw-board__label", "text-anchor": down ? "middle" : "end" }, short(label))]
  }
  const box = name => {
    const { x, y, half } = place.get(name)
    return svg("g", {}, svg("title", {}, name),
      svg("rect", { x: x - half, y: y - BOX_HEIGHT / 2, width: 2 * half, height: BOX_HEIGHT, rx: 4, class: "tw-board__box" }),
      svg("text", { x, y: y + 5, "text-anchor": "middle" }, short(name)))
  }
  const height = (rows.length - 1) * ROW + BOX_HEIGHT + 8
  return svg("svg", {
    viewBox: `0 0 ${width} ${height}`, class: "tw-board", role: "img", style: `max-width: ${width}px`,
    "aria-label": `Your drawing: ${counted(found.names.length, "component")}, ${counted(found.arrows.length, "arrow")}`,
  },
  svg("defs", {}, svg("marker", { id: head, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
    svg("path", { d: "M0,0L8,4L0,8z" }))),
  ...found.arrows.flatMap(arrow).filter(Boolean), ...found.names.map(box))
}
