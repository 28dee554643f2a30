"""`python -m hippod`: the command line."""

import sys

from hippod.cli import main

sys.exit(main())
