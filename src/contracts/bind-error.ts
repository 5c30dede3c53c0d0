/**
 * Whether Envoy rejects a listener because of its address, by Envoy's message: the port is taken, or may not be opened.
 * The listener itself is not at fault: other proxies may open it, and this one may open it a moment later.
 */
export const isBindError = (message: string): boolean =>
  /address already in use|cannot bind|cannot assign requested address|permission denied/i.test(message);
