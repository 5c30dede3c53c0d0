/** `listener` as listenerId makes it. */
export const attachmentKey = (gateway: string, listener: string): string => `${gateway} ${listener}`;

/** Keys of the Gateway, and of the ListenerSet when the listener is of one. */
export function splitAttachmentKey(key: string): { readonly gateway: string; readonly listenerSet?: string } {
  const space = key.indexOf(' ');
  const lastSlash = key.lastIndexOf('/');
  const gateway = key.slice(0, space);
  return lastSlash > space ? { gateway, listenerSet: key.slice(space + 1, lastSlash) } : { gateway };
}
