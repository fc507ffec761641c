"""Whether this process is told to end: jobs that can be begun again are handed back then."""

import threading

stopping = threading.Event()
