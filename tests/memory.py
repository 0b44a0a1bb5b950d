"""Memory that a piece of work takes, measured where nothing else has used any."""

import os
import subprocess
import sys
import textwrap

PEAK = """
import resource, sys

def peak():  # bytes
    if sys.platform == "linux":  # not ru_maxrss, which begins at the parent's
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line[:6] == "VmHWM:")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
"""
# A work that takes far too much shall fail, not slow down the machine. The sanitizers' own tables
# are larger than any limit.
LIMIT = "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))"


def peak_growth(before, work):
    """Run two pieces of Python in a process of their own, the second with the names of the first.

    Gives the bytes by which the second raised the peak.
    """
    sanitized = "asan" in os.environ.get("LD_PRELOAD", "")
    limited = sys.platform == "linux" and not sanitized
    options = os.environ.get("ASAN_OPTIONS", "")
    # A sanitizer keeps what is freed, up to 256 MB, to catch late use; that is not the work's.
    environment = os.environ | {"ASAN_OPTIONS": f"{options}:quarantine_size_mb=1"}
    parts = [
        PEAK,
        LIMIT if limited else "",
        textwrap.dedent(before),
        "start = peak()",
        textwrap.dedent(work),
        "print(peak() - start)",
    ]
    command = [sys.executable, "-c", "\n".join(parts)]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)
