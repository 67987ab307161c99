"""Take the README's picture anew: ``python -m tests.browser.screenshot``, the first demo of lesson 00 in JupyterLab."""

import shutil
import tempfile
from pathlib import Path

from tests.browser.demo import demos
from tests.browser.lab import Lab, Notebook, launch, serve

ROOT = Path(__file__).parents[2]
LESSON = "00_start_here.ipynb"
PICTURE = ROOT / ".github" / "first-demo.png"


def main():
    with tempfile.TemporaryDirectory() as folder:
        root, scratch = Path(folder, "lessons"), Path(folder, "jupyter")
        root.mkdir()
        scratch.mkdir()
        shutil.copy(ROOT / "notebooks" / LESSON, root)
        with serve(root, scratch) as address, launch() as browser:
            notebook = Notebook(Lab(browser, address), LESSON)
            notebook.run_all()
            notebook.command("application:toggle-left-area")
            notebook.page.set_viewport_size({"width": 1000, "height": 900})
            demo = demos(notebook)[0]
            sliders = demo.sliders()
            for _ in range(12):  # from 30 to 42
                demo.step("number", sliders["number"])
            demo.root.evaluate("demo => demo.scrollIntoView({block: 'start'})")
            notebook.page.mouse.move(0, 0)
            notebook.page.wait_for_timeout(500)
            notebook.page.screenshot(path=PICTURE)
            notebook.close()


if __name__ == "__main__":
    main()
