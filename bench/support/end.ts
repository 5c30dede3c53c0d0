/** Loaded before each bench, and by the processes that one forks. */
import { forceExit } from '../../src/app/process/index.ts';

forceExit();
