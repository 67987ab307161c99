"""Make bikes.csv from the table of bike hire inside a published package.

pip download --no-deps ISLP==0.6.0 -d DIRECTORY
python -m attention_lab.data.extract_bikes DIRECTORY/islp-0.6.0-py3-none-any.whl

Nothing else in attention_lab runs this file: the lessons read its result. README.md beside it tells the story.
"""

import argparse
import csv
import hashlib
import io
import zipfile
from datetime import date, timedelta
from pathlib import Path

SHA256 = "ca772cecca1747a2f84ee799a5503ddddbdf0e98f90c235494790c1d036c694b"  # of islp-0.6.0-py3-none-any.whl
TABLE = "ISLP/data/Bikeshare.csv"  # a row for each hour in which somebody hired a bike
FIRST = date(2011, 1, 1)  # the table numbers the days of this year
OUTPUT = Path(__file__).with_name("bikes.csv")


def read_wheel(path):
    """The table's rows, a dict each, after a check of the wheel's SHA-256."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{path} has SHA-256 {digest} but {SHA256} is expected: is this another version?")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return list(csv.DictReader(io.StringIO(archive.read(TABLE).decode("ascii"))))


def by_day(rows):
    """One line a day: date, 1 on a holiday, and the bikes hired in each hour, "" for an hour that has no row."""
    lines = {}
    for row in rows:
        day = FIRST + timedelta(days=int(row["day"]) - 1)
        if (day.weekday() + 1) % 7 != int(row["weekday"]):  # the table counts from Sunday
            raise ValueError(f"day {row['day']} is {day:%A} but the table calls it weekday {row['weekday']}")
        line = lines.setdefault(day, [day.isoformat(), row["holiday"], *[""] * 24])
        line[2 + int(row["hr"])] = row["bikers"]
    days = sorted(lines)
    if days != [days[0] + timedelta(days=i) for i in range(len(days))]:
        raise ValueError("the table leaves out whole days: the windows of a week need every one")
    return [lines[day] for day in days]


def main(arguments=None):
    """Read the wheel, write date, holiday and 24 counts a day."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    lines = by_day(read_wheel(options.wheel))
    header = ["date", "holiday", *map(str, range(24))]
    options.output.write_bytes("".join(f"{','.join(line)}\n" for line in [header, *lines]).encode("ascii"))
    print(f"{options.output}: {len(lines)} days, {sum(line.count('') for line in lines)} hours without a row")


if __name__ == "__main__":
    main()
