"""Calling again after a failure."""

import random
import time


def retry_with_backoff(call, attempts=5, base=0.1):
    """Call until it succeeds, with exponential delays and full jitter between attempts."""
    for attempt in range(attempts):
        try:
            return call()
        except ConnectionError:
            time.sleep(random.uniform(0, base * 2**attempt))
    return call()
