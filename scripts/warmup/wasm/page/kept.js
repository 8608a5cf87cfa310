// The files that Python needs in a browser: downloaded once, kept under their hashes, and compared each time they are used.
//
// All sites of a host share its caches, and what is in one may be anybody's. So a file is compared with its hash whether it
// comes from the network or from what is kept; what is kept and wrong is downloaded again.

import { address } from "../javascripts/shared/address.js"
import { Refused } from "../programs/programs.js"

const FOLDER = new URL("../pyodide/", import.meta.url)
const LIST = "files.json"
const CACHE = `torch-warmup-wasm ${address("").pathname}`

/** What this browser keeps; null where it refuses to, as some private windows do. */
const opened = async () => {
  try {
    return await caches.open(CACHE)
  } catch {
    return null
  }
}

const keyOf = (url, integrity) => `${url.href}?${encodeURIComponent(integrity)}`
const fileUrl = name => new URL(encodeURIComponent(name), FOLDER)
const parsed = bytes => JSON.parse(new TextDecoder().decode(bytes))

/** The hash of bytes as browsers write it: https://www.w3.org/TR/sri/ */
const integrityOf = async bytes =>
  `sha256-${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))))}`

/** What is kept of a file, if it is that file; null otherwise. */
const kept = async (cache, url, integrity) => {
  const response = await cache?.match(keyOf(url, integrity))
  if (!response) return null
  const bytes = await response.arrayBuffer()
  return await integrityOf(bytes) === integrity ? bytes : null
}

/** A file, as an ArrayBuffer. @throws {Refused} it cannot be had, or is not the one that its hash means. */
const file = async (cache, url, integrity, signal) => {
  const found = await kept(cache, url, integrity)
  if (found) return found
  const name = decodeURIComponent(url.pathname.split("/").at(-1))
  let response, bytes
  try {
    response = await fetch(url, { signal, cache: "no-cache" })
    bytes = await response.arrayBuffer()
  } catch (error) {
    if (signal.aborted) throw error
    throw new Refused(`${name} could not be downloaded. Is there a network?`)
  }
  if (!response.ok) throw new Refused(`${name} could not be downloaded: the server answers ${response.status}.`)
  if (await integrityOf(bytes) !== integrity) {
    throw new Refused(`${name} is not the file that this page asks for, so it is not used. Reload the page and try again.`)
  }
  // Where storage is full, it is downloaded again next time.
  await cache?.put(keyOf(url, integrity), new Response(bytes)).catch(() => {})
  return bytes
}

/** Forget what is kept of the addresses that begin so, but for these. */
const forget = async (cache, beginning, wanted) => {
  for (const { url } of await cache?.keys() ?? []) {
    if (url.startsWith(beginning) && !wanted.has(url)) await cache.delete(url)
  }
}

/**
 * All files of a release, by their names; nothing else stays kept.
 *
 * @param {string} hash the hash of the list of them.
 * @param {AbortSignal} signal
 * @param {function(number)} arrived called with how many bytes are here.
 * @returns {Promise<Object<string, ArrayBuffer>>}
 * @throws {Refused} one of them cannot be had, or is not the one that its hash means.
 */
export const release = async (hash, signal, arrived) => {
  // Hashes need an address that begins with https, or with a name of this machine.
  if (!globalThis.crypto?.subtle) throw new Refused("This browser cannot compare files with their hashes at this address.")
  const cache = await opened()
  const list = parsed(await file(cache, fileUrl(LIST), hash, signal))
  const names = Object.keys(list)
  let bytes = 0
  const files = await Promise.all(names.map(async name => {
    const one = await file(cache, fileUrl(name), list[name].integrity, signal)
    arrived(bytes += list[name].bytes)
    return one
  }))
  const keys = names.map(name => keyOf(fileUrl(name), list[name].integrity))
  await forget(cache, FOLDER.href, new Set([keyOf(fileUrl(LIST), hash), ...keys]))
  return Object.fromEntries(names.map((name, index) => [name, files[index]]))
}

/** Whether all files of a release seem to be kept: then there is nothing to download. */
export const isKept = async hash => {
  const cache = await opened()
  const list = globalThis.crypto?.subtle && await kept(cache, fileUrl(LIST), hash)
  if (!list) return false
  const found = Object.entries(parsed(list)).map(([name, { integrity }]) => cache.match(keyOf(fileUrl(name), integrity)))
  return (await Promise.all(found)).every(Boolean)
}

/** The text of a judge, by its name below snippets/. @throws {Refused} as `release` does. */
export const judge = async (name, integrity, signal) => {
  const cache = await opened()
  const url = address(`snippets/${name}`)
  const bytes = await file(cache, url, integrity, signal)
  await forget(cache, `${url.href}?`, new Set([keyOf(url, integrity)]))
  return new TextDecoder().decode(bytes)
}
