// Addresses: of the site's files, and of what is chosen in a form.
//
// Forms choose by level, topic and more. A topic is named with its level, `mid/autograd`: another level may have
// one of the same name.

/** Address of a file below the site's root. */
export const address = path => new URL(`../../../${path}`, import.meta.url)

/** Id of the page that a row of a list of questions links to: its path below the site's root. */
export const idOf = row => new URL(row.querySelector("a").href).pathname.slice(address("").pathname.length).replace(/\/$/, "")

/** The option that a topic means. Who kept `autograd` from when no level was named means that of `level`, or the first. */
const topicOf = (select, topic, level) => {
  const named = [...select.options].map(option => option.value).filter(value => value === topic || value.endsWith(`/${topic}`))
  return named.find(value => value === topic || !level || value.startsWith(`${level}/`))
}

/** Set the fields `names` (the level before the topic) to what is wanted; to their first option where they do not have it. */
export const setFields = (form, names, wanted) => {
  for (const name of names) {
    const select = form.elements[name]
    select.value = name === "topic" ? topicOf(select, wanted.topic, form.elements.level.value) : wanted[name]
    if (select.selectedIndex < 0) select.selectedIndex = 0
  }
}

/** Set the fields to what the address says. */
export const readAddress = (form, names) => setFields(form, names, Object.fromEntries(new URLSearchParams(location.search)))

/** What is chosen in a form as the part of an address after the path; `more` are further values by name. */
export const queryOf = (form, more = {}) => {
  const query = new URLSearchParams([...new FormData(form), ...Object.entries(more)].filter(([, value]) => value))
  return query.size ? `?${String(query).replaceAll("%2F", "/").replaceAll("%2C", ",")}` : ""
}

/** Keep what is chosen in the address, so that it can be shared. */
export const writeAddress = (form, more) => history.replaceState(null, "", queryOf(form, more) || location.pathname)
