// Progress as a link, short enough for a QR code where there is not too much of it.
//
// The link's fragment, which is sent to no server, has the entries of a progress file by kind and by their fields, so that
// what repeats is written once; deflated, in base64url.

const NAME = "progress="
const TIME = 1e11  // milliseconds: what is larger is a moment, and kept to the second
const MOST = 20e6  // bytes: more than a browser stores of a site; a short link could mean thousands of times as many

const write = value => {
  if (typeof value === "string") return `s${value}`
  if (typeof value !== "number") return value
  if (value > TIME) return `t${Math.ceil(value / 1000).toString(36)}`
  return Number.isInteger(value) ? value : Number(value.toPrecision(4))
}

const read = value => {
  if (typeof value !== "string") return value
  return value.startsWith("t") ? Number.parseInt(value.slice(1), 36) * 1000 : value.slice(1)
}

/** A progress file's text, shorter. */
export const pack = text => {
  const { entries, ...head } = JSON.parse(text)
  const groups = Map.groupBy(Object.entries(entries), ([name, entry]) => JSON.stringify([name.split(":", 1)[0], Object.keys(entry)]))
  return JSON.stringify([head, ...[...groups].map(([key, members]) => [
    ...JSON.parse(key), ...members.map(([name, entry]) => [name.slice(name.indexOf(":") + 1), ...Object.values(entry).map(write)])])])
}

/** The progress file's text again. @throws {Error} it is none. */
export const unpack = text => {
  const [head, ...groups] = JSON.parse(text)
  const entries = groups.flatMap(([kind, fields, ...members]) => members.map(([id, ...values]) => [
    `${kind}:${id}`, Object.fromEntries(fields.map((field, index) => [field, read(values[index])]))]))
  return JSON.stringify({ ...head, entries: Object.fromEntries(entries) })
}

/** @throws {RangeError} more than MOST would come out. */
const through = async (bytes, stream) => {
  let left = MOST
  const limited = new TransformStream({ transform: (chunk, out) => {
    if ((left -= chunk.length) < 0) throw new RangeError("too much")
    out.enqueue(chunk)
  } })
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream).pipeThrough(limited)).arrayBuffer())
}

/** The link's fragment for a progress file's text, without #. */
export const fragmentOf = async text => {
  const bytes = await through(new TextEncoder().encode(pack(text)), new CompressionStream("deflate-raw"))
  const binary = Array.from(bytes, byte => String.fromCharCode(byte)).join("")
  return NAME + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")
}

/**
 * The progress file's text of a fragment, with #.
 *
 * @returns {Promise<?string>} null where the fragment means something else.
 * @throws {Error} it was cut off or changed.
 */
export const textOf = async fragment => {
  if (!fragment.startsWith(`#${NAME}`)) return null
  const binary = atob(fragment.slice(NAME.length + 1).replaceAll("-", "+").replaceAll("_", "/"))
  const bytes = await through(Uint8Array.from(binary, one => one.charCodeAt(0)), new DecompressionStream("deflate-raw"))
  return unpack(new TextDecoder().decode(bytes))
}
