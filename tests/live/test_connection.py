"""A page has one connection to its kernel, whatever its reader presses while that is being made."""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
from test_page import FIRST, PAGE, Cell

from live_server import KERNELS, ask, bearer, until

KERNEL = re.compile(rf"{KERNELS}(/[\w-]+)?$")


class Held:
    """Requests about kernels that wait until they are let go."""

    def __init__(self, page, method: str):
        self.requests: list = []
        self.held = True
        page.route(KERNEL, partial(self._take, method))

    def _take(self, method: str, route) -> None:
        if self.held and route.request.method == method:
            self.requests.append(route)
        else:
            route.continue_()

    def arrived(self, page) -> None:
        """Wait until the first one is there."""
        until(lambda: self.requests or page.wait_for_timeout(20))

    def let_go(self) -> None:
        self.held = False
        for route in self.requests:
            route.continue_()


def kernels(live) -> set[str]:
    return {kernel["id"] for kernel in json.loads(ask(live, KERNELS, **bearer(live)).text)}


@pytest.fixture
def others(live) -> set[str]:
    """The kernels of tests before: each outlives its page for some seconds."""
    return kernels(live)


@pytest.fixture
def taking_over(open_live, others):
    """A page that asks for the kernel of the one before it and gets no answer yet; its reader has pressed Run."""
    page = open_live(PAGE)
    cell = Cell(page)
    assert cell.run() == "equal"
    cell.edit("import time\ntime.sleep(3)\nprint(7)")
    held = Held(page, "GET")
    page.reload()
    held.arrived(page)
    cell.press("Run")
    page.wait_for_timeout(300)
    return cell, held


def test_a_run_goes_through_the_connection_that_is_being_made(taking_over, live, others):
    cell, held = taking_over
    first, *more = held.requests
    for route in more:  # a second connection would be made first, and be closed for the first one
        route.continue_()
    cell.page.wait_for_timeout(1000)
    held.requests = [first]
    held.let_go()
    assert cell.finish() == "different" and cell.text == "7\n"
    assert len(kernels(live) - others) == 1


def test_a_kernel_that_ends_while_it_is_taken_over_is_replaced(taking_over, live, others):
    cell, held = taking_over
    (kernel,) = kernels(live) - others
    answers = [route.fetch() for route in held.requests]
    ask(live, f"{KERNELS}/{kernel}", "DELETE", **bearer(live))
    for route, answer in zip(held.requests, answers, strict=True):
        route.fulfill(response=answer)
    held.requests = []
    held.let_go()
    assert cell.finish() == "different" and cell.text == "7\n"
    assert len(kernels(live) - others) == 1


@pytest.fixture
def starting(open_live, others):
    """A page whose first program waits for a kernel."""
    page = open_live(PAGE)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    held = Held(page, "POST")
    cell = Cell(page)
    cell.press("Run")
    held.arrived(page)
    return cell, held


def test_what_is_stopped_before_there_is_a_kernel_does_not_run(starting, live, others):
    cell, held = starting
    cell.press("Stop")
    assert cell.finish() == "stopped"
    held.let_go()
    assert cell.run() == "equal"
    assert len(kernels(live) - others) == 1


def test_the_last_of_the_programs_that_wait_for_a_kernel_runs(starting, live, others):
    cell, held = starting
    second = cell.page.locator(".highlight[data-program]").nth(1)
    second.get_by_role("button", name=re.compile("^Run ")).click()
    assert cell.finish() == "stopped"
    cell.page.wait_for_timeout(200)
    held.let_go()
    name = second.get_attribute("data-program")
    cell.page.wait_for_selector(f"[data-program='{name}'] + .tw-run[data-word=equal]", timeout=FIRST)
    assert len(kernels(live) - others) == 1
