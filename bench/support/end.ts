/** Loaded before each bench, and by the processes that one forks. */
import { endAtOnce } from '../../bin/end-at-once.ts';

endAtOnce();
