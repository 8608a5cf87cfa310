// The address of an interview kit: its questions in their order, as the mock interview names them, too.

/** So many questions a kit has at most: two days of interviews, and an address that mail programs do not cut. */
export const MOST = 40

/** The part of an address that brings back these questions. */
export const writeQuestions = ids => `?questions=${ids.join(",")}`

/**
 * The questions that an address asks for. Nothing in it is trusted.
 *
 * @param {string} search the part of an address from the question mark on.
 * @param {Map} byId what there is, by id.
 * @returns {?{ids: string[], notes: string[]}} null where it names none; `notes` tell what could not be used.
 */
export const readQuestions = (search, byId) => {
  const text = new URLSearchParams(search).get("questions")
  if (!text) return null
  const asked = [...new Set(text.split(",").filter(Boolean))]
  const known = asked.filter(id => byId.has(id))
  const unknown = asked.length - known.length
  const notes = []
  if (unknown) {
    notes.push(`${unknown} of the link's ${asked.length} questions ${unknown === 1 ? "is" : "are"} not on this site and left out.`)
  }
  if (known.length > MOST) notes.push(`The link names ${known.length} questions; a kit has at most ${MOST}, so the others are left out.`)
  return { ids: known.slice(0, MOST), notes }
}
