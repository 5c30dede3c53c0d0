import * as whatIf from '../diff/record.ts';
import { resourceList } from '../managed-resources/mount.ts';
import * as schemas from '../managed-resources/record.ts';
import { listOf, type Operation } from './operation.ts';

const tag = 'Managed resources';
const collection = '/v1/resources';
const single = '/v1/resources/:kind/:namespace/:name';
const record = schemas.resource.or(schemas.dryRun);
const dryRun = { dryRun: '`true`: says what would change, and changes nothing' };
const rejections = [
  'body_malformed',
  'kind_unsupported',
  'cluster_forbidden',
  'directory_read_only',
  'origin_foreign',
  'resource_conflict',
  'body_too_large',
  'body_too_costly',
  'reading_busy',
  'media_type_unsupported',
  'resource_invalid',
] as const;

/** Managed resources: where there is a cluster or a directory to write to. */
export const resourceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: collection,
    tag,
    summary: 'Managed resources of every kind',
    ...listOf(schemas.resource.array(), resourceList),
  },
  {
    method: 'post',
    path: collection,
    tag,
    summary: 'Creates an object, or updates it when it exists',
    body: schemas.manifest,
    creates: true,
    answer: record,
    query: { ...dryRun, force: '`true`: takes over fields of other managers' },
    errors: [...rejections, 'namespace_not_found', 'field_conflict'],
  },
  {
    method: 'post',
    path: '/v1/diff',
    tag,
    summary: 'What would change in objects, statuses and proxies if these objects were applied; changes nothing',
    body: whatIf.objectList,
    answer: whatIf.diff,
    errors: [
      'body_malformed',
      'body_too_large',
      'body_too_costly',
      'reading_busy',
      'media_type_unsupported',
      'resource_invalid',
      'cluster_forbidden',
      'diff_busy',
    ],
  },
  {
    method: 'get',
    path: single,
    tag,
    summary: 'One managed resource; `_cluster` stands for no namespace',
    answer: schemas.resource,
    errors: ['kind_unsupported', 'path_mismatch', 'resource_not_found'],
  },
  {
    method: 'put',
    path: single,
    tag,
    summary: 'Replaces an object; a `resourceVersion` in it must be the current one',
    body: schemas.manifest,
    answer: record,
    query: dryRun,
    errors: [...rejections, 'path_mismatch', 'resource_not_found'],
  },
  {
    method: 'delete',
    path: single,
    tag,
    summary: 'Deletes an object, and answers what it was',
    answer: record,
    query: dryRun,
    errors: ['kind_unsupported', 'path_mismatch', 'cluster_forbidden', 'origin_foreign', 'resource_not_found'],
  },
];
