/** How much of a message a listener keeps, unless its ListenerPolicy says otherwise. */
export const bufferLimitBytes = 32 * 1024;
