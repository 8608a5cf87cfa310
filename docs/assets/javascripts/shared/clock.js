/** Minutes and seconds: 75 s is 1:15. */
export const clock = ms => {
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}
