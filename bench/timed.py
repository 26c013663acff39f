"""What a command costs."""
import resource
import time


def timed(work):
    """Returns what `work()` returns, the seconds that passed, and the processor time of the child processes that ended meanwhile."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = work()
    passed, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
