/** Names that a route can have as hosts. */
export const isHostname = (name: string): boolean =>
  /^(?:\*\.)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(name);
