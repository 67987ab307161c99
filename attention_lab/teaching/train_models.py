"""Train the stored models that are missing, of all families or of those that are named.

    python -m attention_lab.teaching.train_models names --fresh         (or `make weights MODELS=names FRESH=1`)

Ctrl+C loses at most the model that is being trained; the same command without --fresh goes on.
"""

import argparse
import sys
from pathlib import Path

from attention_lab.teaching.agreement_judges import JUDGES
from attention_lab.teaching.name_models import NAME_MODELS
from attention_lab.teaching.number_translator import TRANSLATOR
from attention_lab.teaching.stored_models import COMMAND, FOLDER

FAMILIES = {family.name: family for family in (NAME_MODELS, JUDGES, TRANSLATOR)}


def main(arguments=None):
    parser = argparse.ArgumentParser(prog=COMMAND, description="Train the stored models that are missing.")
    parser.add_argument("families", nargs="*", metavar="family", help=f"{', '.join(FAMILIES)} (all)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the models are (%(default)s)")
    parser.add_argument("--fresh", action="store_true", help="begin anew: forget what was trained")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.families if name not in FAMILIES]:
        parser.error(f"there is no family {unknown[0]!r}: name some of {', '.join(FAMILIES)}")
    families = [FAMILIES[name] for name in options.families or FAMILIES]
    paths = [family.path(*version, folder=options.folder) for family in families for version in family.versions]
    for path in paths if options.fresh else ():
        path.unlink(missing_ok=True)
    try:
        for family in families:
            family.train_missing(options.folder)
    except KeyboardInterrupt:
        done, then = sum(path.exists() for path in paths), ", without --fresh" if options.fresh else ""
        sys.exit(f"Interrupted with {done} of {len(paths)} models. The same command goes on{then}.")
    for family in families:
        print(*family.report(options.folder), sep="\n")


if __name__ == "__main__":
    main()
