"""Chromium without a window: loads pages as a reader does, and says what is wrong with them."""

from __future__ import annotations

import shutil
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from .required import need

__all__ = ["NARROW", "WIDE", "Browser", "browsing"]

WIDE, NARROW = 1280, 400
_HEIGHT = 900
_QUALITY = 75
_GRAVE = ("serious", "critical")
_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run")
_AXE = "axe.run({resultTypes: ['violations']}).then(arguments[arguments.length - 1])"


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser for several tests; skips them where Chromium is missing."""
    need("chromium", "chromium", "chromedriver", packages="chromium chromium-driver")
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for option in _OPTIONS:
        options.add_argument(option)
    driver = Chrome(options=options, service=ChromeService(shutil.which("chromedriver")))
    driver.set_page_load_timeout(30)
    try:
        yield Browser(driver)
    finally:
        driver.quit()


@dataclass(frozen=True)
class Browser:
    """A window with one page."""

    driver: Chrome

    def open(self, address: str, *, width: int = WIDE, scheme: str = "light") -> None:
        """Loads a page in a window of this width, light or dark."""
        self._resize(width, _HEIGHT)
        preference = {"name": "prefers-color-scheme", "value": scheme}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [preference]})
        self._read_log()  # of the page before
        self.driver.get(address)

    @property
    def path(self) -> str:
        """Path and query of the page."""
        return str(self.run("return location.pathname + location.search"))

    def run(self, script: str, *values: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *values)

    def find(self, selector: str) -> WebElement:
        """The first element that a CSS selector selects."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, keys: str) -> None:
        """Presses keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(keys)

    def errors(self) -> list[str]:
        """What the browser complains of: failed scripts, missing files, violations of the policy."""
        return [entry["message"] for entry in self._read_log() if entry["level"] in ("SEVERE", "WARNING")]

    def overflow(self) -> list[str]:
        """The elements that make the page wider than the window."""
        if self.run("return document.documentElement.scrollWidth <= innerWidth"):
            return []
        wide: list[str] = self.run(
            "return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth)"
            ".map(e => `${e.tagName.toLowerCase()}.${e.getAttribute('class')}`).slice(0, 5)"
        )
        return wide or ["something"]

    def barriers(self) -> list[str]:
        """What axe finds to be a grave barrier for some readers: its rule, and the first place."""
        self.run(_read_axe())
        found = self.driver.execute_async_script(_AXE)["violations"]
        return [f"{rule['id']}: {rule['nodes'][0]['html']}" for rule in found if rule["impact"] in _GRAVE]

    def picture(self, most_height: int) -> bytes:
        """The page as WebP, which is a third of a PNG, from its top down to `most_height` pixels."""
        width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        self._resize(width, min(height, most_height))
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": _QUALITY})
        return b64decode(shot["data"])

    def _read_log(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.driver.execute("getLog", {"type": "browser"})["value"]
        return entries

    def _resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width == NARROW}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@cache
def _read_axe() -> str:
    return files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
