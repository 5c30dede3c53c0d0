/** A program that does nothing, and does not end. */
import { ready } from './ready.ts';

setInterval(() => undefined, 2 ** 30);
ready();
