/** Loaded before each bench, and by the processes that one forks. */
import { endAtOnce } from '../../src/app/process/index.ts';

endAtOnce();
