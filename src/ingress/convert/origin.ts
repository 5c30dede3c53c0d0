/** Annotations of what is converted: the Ingress that it was made from, `NAMESPACE/NAME@RESOURCEVERSION`, and what that one said. */
export const fromName = 'gatewright.dev/migrated-from';
export const digestName = 'gatewright.dev/migrated-digest';
