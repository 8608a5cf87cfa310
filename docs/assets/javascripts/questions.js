// The list of all questions, filtered; what is shown can become an interview kit.

import { address, idOf, queryOf } from "./shared/address.js"
import { counted } from "./shared/dom.js"
import { filterList } from "./shared/filter.js"
import { MOST, writeQuestions } from "./shared/kit-link.js"

const form = document.querySelector(".tw-filter")
const link = document.querySelector(".tw-filter__kit a")

// A set of more would be no interview: the kit then opens with the same filter, to choose from.
const offer = shown => {
  const few = shown.length <= MOST
  link.parentElement.hidden = shown.length === 0
  link.textContent = few ? `Make an interview kit of ${shown.length === 1 ? "this question" : `these ${counted(shown.length, "question")}`}`
    : "Choose some of these for an interview kit"
  const query = few ? writeQuestions(shown.map(idOf)) : queryOf(form)
  link.href = address(`practice/interview-kit/${query}`).href
}

filterList(form, [...document.querySelectorAll(".tw-question")], {
  groups: [...document.querySelectorAll(".tw-group")],
  changed: offer,
})
