// Cards that a reader does not want to be asked. Their memory stays, for the day on which they are taken back.

import { store } from "../../shared/store.js"

const PLACE = "place:flashcards-suspended"

/** The ids of the cards that are not asked. */
export const suspended = () => new Set(String(store.get(PLACE)?.ids ?? "").split(",").filter(Boolean))

const keep = ids => ids.size ? store.set(PLACE, { ids: [...ids].join(",") }) : store.remove(PLACE)

export const suspend = id => keep(suspended().add(id))

export const takeBack = id => {
  const ids = suspended()
  ids.delete(id)
  keep(ids)
}
