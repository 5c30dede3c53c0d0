/**
 * What a proxy may reject of a snapshot. `route` stands for routes of every kind, `access` for policies of access for whole tables, `traffic` for one
 * filter of a policy of traffic, `limit` for a bucket, `patch` for an EnvoyPatch of one resource.
 */
export const rejectedKinds = [
  'route',
  'backend',
  'endpoints',
  'listener',
  'secret',
  'access',
  'traffic',
  'limit',
  'patch',
] as const;

export type RejectedKind = (typeof rejectedKinds)[number];
