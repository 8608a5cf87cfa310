"""Who tests the tests: break a snippet on purpose and see whether anything notices.

A mutant is a snippet with one statement dropped, one operator swapped or one constant changed. It is noticed if its
output no longer matches the recorded one, or if a claim that uses the snippet fails. One that survives shows a line
that neither the page's output nor a claim depends on. The few that change nothing that anyone could see stand in
tests/equivalent_mutants.yml, each with the reason; any other survivor is an error.

Nothing is judged by a test that is red anyway: a snippet must print what is recorded, and its claims must pass, before
it is broken. Then only a failed test is a claim that noticed.
"""
