"""Settings, addresses, and the programs of a site."""

import gc

# Exports and plans make millions of small objects, none of them in circles: to look for circles after 700
# each time is a tenth of their work.
gc.set_threshold(50_000)
