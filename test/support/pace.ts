import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 5;

/**
 * What a client that asks in a loop waits between two requests. Without a pause a few of them take all CPU time, from what they watch, too;
 * with it, eight of them still ask a thousand times a second.
 */
export const pause = (): Promise<void> => delay(pauseMs);
