"""The tests of hippod."""

import signal

# A shell that starts the tests in the background has them ignore SIGINT, and they would hand that
# on to every process whose reaction to it they test.
signal.signal(signal.SIGINT, signal.default_int_handler)
