"""Make sentiment.tsv from the rated short texts that come with a published sentiment lexicon.

pip download --no-deps --no-binary vaderSentiment vaderSentiment==3.3.2 -d DIRECTORY
python -m attention_lab.data.extract_sentiment DIRECTORY/vaderSentiment-3.3.2.tar.gz

Nothing else in attention_lab runs this file: the lessons read its result. README.md beside it tells the story.
"""

import argparse
import hashlib
import html
import io
import re
import tarfile
from operator import itemgetter
from pathlib import Path

from attention_lab.data.splits import shuffled
from attention_lab.data.words import tokenize

SHA256 = "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9"  # of vaderSentiment-3.3.2.tar.gz
INNER = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"  # an archive within the archive
TEXTS = "hutto_ICWSM_2014/tweets_GroundTruth.txt"
CLEAR = 0.8  # a mean rating, from -4 to 4, whose sign can be trusted
ALIKE = 0.7  # two texts that share this much of their words count as one
MOST = 3000
OUTPUT = Path(__file__).with_name("sentiment.tsv")

# Left out whole: texts with a word that begins so. These are coarse ...
COARSE = r"""arse\b ass\b asshol assole bastard batshit bimbo bitch boob bullshit butt\b cock\b crap cunt dammit
    damn dicking dirty\stalk douche fart fck fkn fokn fuck fukter goddam gtfo hentai ho\b hoes?\b hoeshit jackass
    laid\b lmao lmbo lmfao mothafuck niccas nigg omfg penis phuck pimp piss pms porn prick\b prostitut pussy scum
    sex shag shiet shit skank slut spank sperm stfu tits twat uterus vagina vulgar wank whore wtf"""
# ... and these speak of crime, drugs, self-harm, or of groups of people: a small model would learn prejudice.
GRIM = r"""abus arrest boers broken\senglish cocaine cut\sthe\sword drag\b drug drunk gay\b harass hindu illuminati
    indian jew(s|ish) kush lsd murder muslim naked nazi obl\b racis rape\b sandusky shoot suicid terroris
    want\sto\sdie wheresmybb xanax (black|white)\s(actor|kid|people)"""
UNWANTED = re.compile(
    rf"\b({'|'.join(COARSE.split() + GRIM.split())})"
    r"|\w\*\w|\*&|[*&#$%]{3}"  # letters hidden behind signs
    r"|\bRT\b"  # repeats someone else's words
    r"|https?:|www\.|\w\.com\b|\[link\]"  # mostly the headline of what is linked to
    r"|\d{3}\D?\d{4}",  # a telephone number
    re.IGNORECASE,
)
NAMES = re.compile(r"@\w+(?:'s)?")
EMOTICONS = re.compile(r"(?<!\w)(?:[:;=]['^o0-]?[()\[\]DPpOo3/\\|*@]+|[xX]D+|<3+|\^_*\^|[oO>-]_+[oO<-])(?!\w)")


def read_sdist(path):
    """(rating, text) of each row, after a check of the archive's SHA-256."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{path} has SHA-256 {digest} but {SHA256} is expected: is this another version?")
    for name in (INNER, TEXTS):
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            data = archive.extractfile(name).read()
    rows = (line.split("\t") for line in data.decode("utf-8").splitlines())
    return [(float(rating), html.unescape(html.unescape(text))) for _, rating, text in rows]  # some escape twice


def clean(text):
    """The text without names of users, the sign of hashtags, emoticons and what then hangs loose at its ends.

    The tokeniser of words.py drops punctuation, so a text whose smile alone tells its mood would be a riddle.
    """
    text = " ".join(EMOTICONS.sub(" ", NAMES.sub(" ", text).replace("#", " ")).split())
    return re.sub(" (?=[.,!?])", "", text).lstrip(".,:;|&/)- ").rstrip(",:;|&/(- ")


def bag(text):
    """The set of a text's words."""
    return frozenset(tokenize(text)) if any(c.isalnum() for c in text) else frozenset()


def distinct(rows):
    """The rows (label, text) of two words at least that do not nearly repeat an earlier one."""
    kept = {}
    for label, text in rows:
        words = bag(text)
        if len(words) > 1 and not any(len(words & w) >= ALIKE * len(words | w) for w in kept):
            kept[words] = label, text
    return list(kept.values())


def balance(rows):
    """As many rows of label 1 as of label 0, in the order they came in."""
    parts = [shuffled([row for row in rows if row[0] == label], seed=0, key=itemgetter(1)) for label in (0, 1)]
    size = min(MOST // 2, *map(len, parts))
    chosen = {row for part in parts for row in part[:size]}
    return [row for row in rows if row in chosen]


def main(arguments=None):
    """Read the source archive, choose and clean its texts, write one line a text: label (1 positive), tab, text."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("sdist", type=Path)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    wanted = [row for row in read_sdist(options.sdist) if abs(row[0]) >= CLEAR and not UNWANTED.search(row[1])]
    rows = balance(distinct((int(rating > 0), clean(text)) for rating, text in wanted))
    lines = [f"{label}\t{text}\n" for label, text in rows]
    options.output.write_bytes("".join(lines).encode("utf-8"))
    print(f"{options.output}: {len(rows)} texts, {sum(label for label, _ in rows)} of them positive")


if __name__ == "__main__":
    main()
