"""Ctrl-C in the middle of a computation."""

import signal
import threading
import time

PATIENCE = 3.0  # seconds from the signal to the exception; a twentieth is usual


class CtrlC:
    """Sends SIGINT to the main thread after a while, and remembers when."""

    def __init__(self, after):
        self.sent = None
        self.timer = threading.Timer(after, self.send)

    def send(self):
        self.sent = time.monotonic()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def __enter__(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.timer.start()
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.timer.join()
        signal.signal(signal.SIGINT, self.before)
