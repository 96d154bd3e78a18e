"""`python -m metamorph`."""

import sys

from metamorph.cli import main

if __name__ == "__main__":
    sys.exit(main())
