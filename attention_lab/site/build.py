"""Write the course as pages to read: ``python -m attention_lab.site.build build/site``."""

import shutil
import sys
import tempfile
from pathlib import Path

from attention_lab.site.finish import finish

ROOT = Path(__file__).parents[2]
PICTURE = Path(".github", "first-demo.png")
GLOSSARY = "00_start_here"
MISSING = "The pages need some packages more: pip install 'attention-lab[site]'"


def build(folder, root=ROOT):
    """Make the pages, beside where they are to stand, then put them there: whole, or as they were before.

    Parameters
    ----------
    folder : str or pathlib.Path
        Where to. Pages of an earlier build are replaced; anything else is left alone.
    root : pathlib.Path
        The repository, with README.md and notebooks/.

    Raises
    ------
    ValueError
        If the folder holds something else, or there is no repository to read.
    RuntimeError
        If Sphinx finds fault with a page; what it is stands on stderr.
    """
    from sphinx.cmd.build import build_main

    folder = Path(folder).absolute()
    if folder.exists() and not (folder / ".buildinfo").is_file() and (folder.is_file() or any(folder.iterdir())):
        raise ValueError(f"{folder} is no earlier build of these pages: name a new or an empty folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as scratch:
        source, pages = Path(scratch, "source"), Path(scratch, "pages")
        write_source(source, root)
        options = ["-q", "-W", "--keep-going", "-j", "2", "-c", str(Path(__file__).parent), "-d", f"{scratch}/trees"]
        if build_main([*options, str(source), str(pages)]):
            raise RuntimeError("The pages were not made.")
        for page in pages.rglob("*.html"):
            page.write_text(finish(page.read_text(encoding="utf-8")), encoding="utf-8")
        if folder.exists():
            folder.rename(Path(scratch, "before"))
        pages.rename(folder)


def write_source(source, root=ROOT):
    """Write what Sphinx is to read: the front page, the lessons, the reference."""
    import nbformat

    from attention_lab.site import lessons, pages

    readme, notebooks = Path(root, "README.md"), sorted(Path(root, "notebooks").glob("*.ipynb"))
    if not readme.is_file() or not notebooks:
        raise ValueError(f"{root} holds no README.md and notebooks: the pages are made in a copy of the repository")
    (source / "lessons").mkdir(parents=True)
    (source / "reference").mkdir()
    (source / "index.md").write_text(pages.front(readme.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copy(root / PICTURE, source)
    for name, text in pages.reference().items():
        (source / "reference" / name).write_text(text, encoding="utf-8")
    read = {path: nbformat.read(path, as_version=4) for path in notebooks}
    terms = lessons.glossary(next(book for path, book in read.items() if path.stem == GLOSSARY))
    for path, notebook in read.items():
        lessons.page(notebook, terms, "" if path.stem == GLOSSARY else f"{GLOSSARY}.html", path.stem[:2])
        nbformat.write(notebook, source / "lessons" / path.name)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("Name the folder to write: python -m attention_lab.site.build build/site")
    try:
        build(sys.argv[1])
    except ModuleNotFoundError as error:
        sys.exit(f"{MISSING}\n({error})")
    except (ValueError, RuntimeError, OSError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Stopped; the pages are as they were.")
    print(f"The course is in {Path(sys.argv[1], 'index.html')}: open it in a browser.")


if __name__ == "__main__":
    main()
