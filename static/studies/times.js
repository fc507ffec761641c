// Pages without a session: only the times in the reader's own time zone.

import { addLocalTimes } from "../batches/local_times.js";

addLocalTimes();
