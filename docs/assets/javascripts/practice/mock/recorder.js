// Records the reader's voice, a piece for each answer. A piece lives in this tab's memory and goes nowhere else.

const WHY = {
  NotAllowedError: "The browser or you did not allow the microphone.",
  NotFoundError: "There is no microphone.",
  NotReadableError: "Another program holds the microphone.",
}

/** Sends `piece` ({id, url, type}) when a recording is complete, and `lost` when the microphone goes away. */
export class Recorder extends EventTarget {
  #stream = null
  #recorder = null
  #id = null
  #asking = null

  get open() {
    return this.#stream !== null
  }

  /**
   * Ask for the microphone.
   *
   * @throws {Error} there is none to be had; the message says why.
   */
  start() {
    return (this.#asking ??= this.#ask().finally(() => { this.#asking = null }))
  }

  async #ask() {
    if (!navigator.mediaDevices?.getUserMedia || !globalThis.MediaRecorder) {
      throw new Error("This browser does not record here.")
    }
    try {
      this.#stream = await navigator.mediaDevices.getUserMedia({ audio: true })
    } catch (error) {
      throw new Error(WHY[error.name] ?? "The microphone cannot be used.")
    }
    this.#stream.getAudioTracks()[0].addEventListener("ended", () => {
      this.stop()
      this.dispatchEvent(new Event("lost"))
    })
  }

  /** Record for the answer `id`, or nothing for null. A change of it completes the piece before. */
  follow(id, paused) {
    if (!this.open) return
    if (id !== this.#id) this.#complete()
    if (id === null) return
    if (!this.#recorder) this.#begin(id)
    if (paused && this.#recorder.state === "recording") this.#recorder.pause()
    if (!paused && this.#recorder.state === "paused") this.#recorder.resume()
  }

  #begin(id) {
    const recorder = new MediaRecorder(this.#stream)
    const parts = []
    recorder.addEventListener("dataavailable", event => parts.push(event.data))
    recorder.addEventListener("stop", () => {
      const blob = new Blob(parts, { type: recorder.mimeType })
      if (blob.size) this.dispatchEvent(new CustomEvent("piece", { detail: { id, url: URL.createObjectURL(blob), type: blob.type } }))
    })
    recorder.start()
    this.#recorder = recorder
    this.#id = id
  }

  #complete() {
    if (this.#recorder && this.#recorder.state !== "inactive") this.#recorder.stop()
    this.#recorder = null
    this.#id = null
  }

  /** Give the microphone back. */
  stop() {
    this.#complete()
    for (const track of this.#stream?.getTracks() ?? []) track.stop()
    this.#stream = null
  }
}
