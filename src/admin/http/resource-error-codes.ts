import type { ErrorCode } from './error-code.ts';

/** The codes of managed resources: of what is written, and of where it is kept. */
export const resourceErrorCodes = {
  body_malformed: {
    status: 400,
    meaning: 'The body is not a single object in JSON or YAML.',
    remedy: 'Correct the position in `details`; send one object per request.',
  },
  path_mismatch: {
    status: 400,
    meaning: 'The body and the path name different objects, or the path has a namespace that its kind cannot have.',
    remedy: 'Use the kind, namespace and name of the path; `_cluster` stands for no namespace.',
  },
  kind_unsupported: {
    status: 400,
    meaning: 'This API does not manage objects of this kind.',
    remedy: 'Use one of the kinds in `details`.',
  },
  cluster_forbidden: {
    status: 403,
    meaning: 'The cluster does not allow the control plane to do this.',
    remedy:
      'Grant its ServiceAccount the verb and the kind in the message; for writes, apply rbac/resource-writer.yaml.',
  },
  write_denied: {
    status: 403,
    meaning: 'The user of this token lacks the right to do this to the object, with kubectl too.',
    remedy: 'Grant the user the verb and the kind in the message.',
  },
  directory_read_only: {
    status: 403,
    meaning: 'This process cannot write the directory or file, or the file cannot contain another object.',
    remedy: 'Mount it writable and give this user write permission.',
  },
  origin_foreign: {
    status: 403,
    meaning: 'A browser sent this write from another site.',
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
    meaning:
      'The object has changed since it was read, is being deleted, or cannot be changed without other objects of its file.',
    remedy: 'Read it again and repeat the change on the current version.',
  },
  field_conflict: {
    status: 409,
    meaning: 'Fields of the object belong to other managers.',
    remedy: 'Leave out the fields in `details`, or take them over with `force=true`.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than 1 MiB.',
    remedy: 'Send a smaller object; a cluster does not store one of this size either.',
  },
  media_type_unsupported: {
    status: 415,
    meaning: 'The format, encoding or character set of the body is not supported.',
    remedy: 'Send `Content-Type: application/json` or `application/yaml`, in UTF-8.',
  },
  body_too_costly: {
    status: 422,
    meaning: 'Reading the body takes more time or memory than one request may use.',
    remedy: 'Send fewer or simpler objects, or JSON.',
  },
  resource_invalid: {
    status: 422,
    meaning: 'The schema or the rules of the kind reject the object.',
    remedy: 'Correct every position in `details`.',
  },
  kind_unavailable: {
    status: 501,
    meaning: 'The kind is known, but its definition is not installed.',
    remedy: 'Install the Gateway API’s definitions for it.',
  },
  cluster_unavailable: {
    status: 503,
    meaning: 'The API server is unreachable or too busy. A write may or may not have happened.',
    remedy: 'Read the current object, and repeat the request.',
  },
  reading_busy: {
    status: 503,
    meaning: 'Too many large bodies are waiting to be read.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
  },
  directory_unavailable: {
    status: 503,
    meaning: 'The directory cannot be read or written at the moment, for example because its disk is full.',
    remedy: 'Correct the cause in the message, and repeat the request.',
  },
} as const satisfies Record<string, ErrorCode>;
