import type { StructuralSchema } from './schema.ts';

const text: StructuralSchema = { type: 'string' };
const map: StructuralSchema = { type: 'object', additionalProperties: text };
const list: StructuralSchema = {
  type: 'array',
  items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

// Definitions leave metadata to the API server; these are its rules for names (RFC 1123) and its fields (meta/v1 ObjectMeta).
const subdomain = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const label = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** What `metadata` of any object may have. A `generateName` alone is not enough: there is no server to generate a name. */
export const metadataSchema: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 253, pattern: subdomain },
    namespace: { type: 'string', minLength: 1, maxLength: 63, pattern: label },
    labels: map,
    annotations: map,
    creationTimestamp: { type: 'string', nullable: true, format: 'date-time' },
    deletionTimestamp: { type: 'string', nullable: true },
    deletionGracePeriodSeconds: { type: 'integer' },
    finalizers: { type: 'array', items: text },
    generateName: text,
    generation: { type: 'integer' },
    managedFields: list,
    ownerReferences: list,
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};
