import type { ErrorCode } from './error-codes.ts';

/** The codes of managed resources: of what is written, and of where it is kept. */
export const resourceErrorCodes = {
  body_malformed: {
    status: 400,
    meaning: 'The body is not one object in JSON or YAML.',
    remedy: 'Correct the place that `details` names; send one object per request.',
  },
  path_mismatch: {
    status: 400,
    meaning: 'The body names another object than the path, or the path has a namespace that its kind cannot have.',
    remedy: 'Give kind, namespace and name as the path has them; `_cluster` stands for no namespace.',
  },
  kind_unsupported: {
    status: 400,
    meaning: 'Objects of this kind are not managed here.',
    remedy: 'Use one of the kinds in `details`.',
  },
  cluster_forbidden: {
    status: 403,
    meaning: 'The cluster does not let the control plane do this.',
    remedy:
      'Grant its ServiceAccount the verb and the kind that the message names; for writes, apply rbac/resource-writer.yaml.',
  },
  write_denied: {
    status: 403,
    meaning: 'The person whose token of the cluster this is may not do this to the object, by kubectl or here.',
    remedy: 'Grant the person the verb and the kind that the message names.',
  },
  directory_read_only: {
    status: 403,
    meaning: 'The directory or file cannot be written by this process, or cannot hold another object.',
    remedy: 'Mount it writable and give this user the right to it.',
  },
  origin_foreign: {
    status: 403,
    meaning: 'A browser sent this write from a page of another site.',
    remedy: 'Open the page under the address of this API, or name its origin in `admin_auth.allowed_origins`.',
  },
  resource_not_found: {
    status: 404,
    meaning: 'There is no object of this kind, namespace and name.',
    remedy: 'Look it up in the list of resources.',
  },
  namespace_not_found: {
    status: 404,
    meaning: 'The namespace of the object does not exist in the cluster.',
    remedy: 'Create the namespace first, or correct `metadata.namespace`.',
  },
  resource_conflict: {
    status: 409,
    meaning: 'The object changed since it was read, is being deleted, or cannot be changed without its neighbours.',
    remedy: 'Read it again and repeat the change on what it is now.',
  },
  field_conflict: {
    status: 409,
    meaning: 'Fields of the object belong to other managers.',
    remedy: 'Leave out the fields in `details`, or take them over with `force=true`.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than 1 MiB.',
    remedy: 'Send a smaller object; a cluster would not keep one of this size either.',
  },
  media_type_unsupported: {
    status: 415,
    meaning: 'The body is in no format, encoding or character set that is read here.',
    remedy: 'Send `Content-Type: application/json` or `application/yaml`, in UTF-8.',
  },
  body_too_costly: {
    status: 422,
    meaning: 'The body takes more time or memory to read than is given to one request.',
    remedy: 'Send fewer or simpler objects at once, or JSON.',
  },
  resource_invalid: {
    status: 422,
    meaning: 'The schema or the rules of the kind reject the object.',
    remedy: 'Correct every place that `details` names.',
  },
  kind_unavailable: {
    status: 501,
    meaning: 'The kind is known, but its definition is not installed here.',
    remedy: 'Install the Gateway API’s definitions that have it.',
  },
  cluster_unavailable: {
    status: 503,
    meaning: 'The API server of the cluster cannot be reached, or is too busy; whether a write was done is not known.',
    remedy: 'Read the object to see what it is now, and repeat the request.',
  },
  reading_busy: {
    status: 503,
    meaning: 'So many large bodies are waiting to be read that this one was not taken.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
  },
  directory_unavailable: {
    status: 503,
    meaning: 'The directory cannot be read or written now, such as when its disk is full.',
    remedy: 'See the message for what the system says, mend it and repeat the request.',
  },
} as const satisfies Record<string, ErrorCode>;
