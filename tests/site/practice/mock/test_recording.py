"""Recordings of one's voice."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from mock_page import SHORT, app, click, press, start
from warmup.dev import browser


def test_without_a_microphone_the_interview_goes_on(open_page):
    page = open_page(SHORT)
    page.get_by_role("checkbox", name="Record my voice").check()
    start(page)
    why = "(There is no microphone|did not allow the microphone).*goes on without"
    expect(app(page)).to_contain_text(re.compile(why))
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    press(page, "Space")
    expect(app(page)).to_contain_text("Follow-up 1 of 2")


def test_a_recording_plays_back_and_goes_nowhere(chromium, address):
    fake = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    with chromium.browser_type.launch(executable_path=browser.find(), args=[*browser.ARGUMENTS, *fake]) as started:
        context = started.new_context()
        context.add_init_script("""
            const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
            navigator.mediaDevices.getUserMedia = async wish => (window.stream = await ask(wish))""")
        page = context.new_page()
        sent = []
        page.on("request", lambda request: sent.append((request.method, request.url)))
        page.goto(address + SHORT)
        page.get_by_role("checkbox", name="Record my voice").check()
        start(page)
        expect(app(page)).to_contain_text("never uploaded")
        press(page, "Space", "Space")
        page.wait_for_timeout(400)  # something to hear
        press(page, "Space")
        player = app(page).locator("audio")
        expect(player).to_have_count(1)
        player.evaluate("""audio => new Promise((resolve, reject) => {
            audio.addEventListener("timeupdate", () => { if (audio.currentTime > 0) resolve() })
            audio.addEventListener("error", () => reject(audio.error))
            audio.muted = true
            audio.play()
        })""")
        with page.expect_download() as download:
            app(page).get_by_role("link", name="Download", exact=True).click()
        assert re.fullmatch(r"zero-grad-1\.(webm|ogg|mp4)", download.value.suggested_filename)
        seconds = page.evaluate(
            """async url => {
            const data = await (await fetch(url)).arrayBuffer()
            return (await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(data)).duration
        }""",
            player.get_attribute("src"),
        )
        assert seconds > 0.2
        assert page.evaluate("stream.getTracks().every(track => track.readyState === 'live')")
        click(page, "Stop recording")
        assert page.evaluate("stream.getTracks().every(track => track.readyState === 'ended')")
        click(page, "Record my voice")
        expect(page.get_by_role("button", name="Stop recording")).to_be_visible()
        press(page, "2")
        click(page, "Next question")
        click(page, "Skip")
        expect(page.get_by_role("heading", name="Your recordings")).to_be_visible()
        assert page.evaluate("stream.getTracks().every(track => track.readyState === 'ended')")
        here = (address, "blob:" + address.split("/torch")[0])
        assert all(method == "GET" and url.startswith(here) for method, url in sent), sent
