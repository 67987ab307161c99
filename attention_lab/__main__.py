"""``python -m attention_lab`` is the command ``attention-lab``."""

import sys

from attention_lab.command import main

if __name__ == "__main__":
    sys.exit(main())
