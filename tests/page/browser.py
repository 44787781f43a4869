"""A headless Chromium with what the tests of report pages ask of it."""
import json
import pathlib
import shutil
import sys
import tempfile
import time

SKIPPED = 77  # the exit code that CTest knows as skipped

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
except ImportError:
    print("skipped: no selenium for this Python; Debian has it as python3-selenium")
    sys.exit(SKIPPED)

FLAGS = ("--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync").split()
PATIENCE = 5  # seconds until something that should happen counts as missing


def program(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        print(f"skipped: no {names[0]} here; Debian has it in chromium and chromium-driver")
        sys.exit(SKIPPED)
    return found


class Browser:
    def __init__(self):
        self.room = tempfile.TemporaryDirectory()
        self.downloads = pathlib.Path(self.room.name, "downloads")
        self.downloads.mkdir()
        options = Options()
        options.binary_location = program("chromium", "chromium-browser", "google-chrome")
        for flag in [*FLAGS, f"--user-data-dir={self.room.name}/profile"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(program("chromedriver")), options=options)
        self.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])

    def close(self):
        self.driver.quit()
        self.room.cleanup()

    def devtools(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def resize(self, width, height=900):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                      mobile=width < 500)

    def media(self, media="", theme="light"):
        self.devtools("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme", "value": theme}])
        self.settle()

    def settle(self):
        """Waits for two frames: events of scrolling and of media queries come with the next one."""
        self.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def open(self, path):
        self.resize(1280)
        self.media()
        self.driver.get(pathlib.Path(path).as_uri())
        self.script("try { localStorage.clear(); } catch {}")

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def all(self, selector, inside=None):
        return (inside or self.driver).find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, inside=None):
        return (inside or self.driver).find_element(By.CSS_SELECTOR, selector)

    def button(self, text, inside=None):
        return next(b for b in self.all("button", inside) if b.text == text)

    def press(self, element):
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def hover(self, element, right=0, down=0):
        """Moves the pointer to the middle of an element, or so many pixels off it, once the page has scrolled there."""
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        self.settle()
        ActionChains(self.driver).move_to_element_with_offset(element, right, down).perform()

    def style(self, element, name):
        return self.script("return getComputedStyle(arguments[0]).getPropertyValue(arguments[1])", element, name)

    def saved(self, name):
        """The text of a file that was downloaded, which is then gone.

        Chromium reserves the name with an empty file and later moves the whole
        file over it: the name alone does not say that the text is there.
        """
        path = self.downloads / name
        until = time.monotonic() + PATIENCE
        while not path.exists() or path.stat().st_size == 0:
            if time.monotonic() > until:
                found = sorted(p.name for p in self.downloads.iterdir())
                raise AssertionError(f"{name} was not saved; there are {found}")
            time.sleep(0.02)
        text = path.read_text()
        path.unlink()
        return text

    def clipboard(self):
        return self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")

    def console(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Every address that was asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
