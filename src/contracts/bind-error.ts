/**
 * Whether Envoy refuses a listener for the place it is at, in its words: a port that is taken or that it may not open.
 * That is not the listener's fault: other proxies may have it, and this one may have it a moment later.
 */
export const isOfThePlace = (message: string): boolean =>
  /address already in use|cannot bind|cannot assign requested address|permission denied/i.test(message);
