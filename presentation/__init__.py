"""How numbers, intervals and their absence are said: on pages, in reports, in the terminal."""
