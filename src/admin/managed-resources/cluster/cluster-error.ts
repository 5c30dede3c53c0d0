import { KubeError, type StatusBody } from '../../../kube/index.ts';
import { type ErrorDetail, HttpError } from '../../http/index.ts';
import { refText } from '../manifest.ts';
import type { ResourceRef } from '../resource-store.ts';

type StatusCause = NonNullable<NonNullable<StatusBody['details']>['causes']>[number];

/** What the API server's rejection means to a client of ours. What is no rejection of the API server stays as it is. */
export function clusterError(caught: unknown, ref: ResourceRef): unknown {
  if (!(caught instanceof KubeError)) return caught;
  const said = caught.body?.message ?? caught.message;
  const message = `${refText(ref)}: ${said}`;
  switch (isUntyped(caught) ? 'invalid' : caught.code) {
    case 'invalid':
      return new HttpError('resource_invalid', message, { details: invalidDetails(caught, said) });
    case 'forbidden':
      return new HttpError('cluster_forbidden', isWrite(said) ? `${message}; ${writerAdvice}` : message);
    case 'not-found':
      return missing(caught, ref, message);
    case 'conflict':
    case 'already-exists':
      return conflict(caught, message);
    case 'rejected':
      return new HttpError('resource_invalid', message);
    default:
      return unavailable(caught);
  }
}

/** What gives the control plane the right to write managed resources. */
export const writerAdvice =
  'apply rbac/resource-writer.yaml (ClusterRole gatewright-resource-writer), or set rbac.resourceWriter with Helm';

/** As the API server words it: `User "…" cannot patch resource "httproutes" …`. */
const isWrite = (message: string): boolean => /cannot (?:create|update|patch|delete) resource/.test(message);

/** Server-side apply answers 500 to an object that does not fit its schema well enough to be merged. */
const isUntyped = ({ body }: KubeError): boolean =>
  body?.message?.startsWith('failed to create typed patch object') ?? false;

/** A 404 of the API server may be about the namespace, the object, or the kind, which then has no path. */
export const isKindMissing = (caught: unknown): boolean =>
  caught instanceof KubeError && caught.code === 'not-found' && caught.body?.details?.kind === undefined;

function missing(error: KubeError, ref: ResourceRef, message: string): HttpError {
  if (isKindMissing(error))
    return new HttpError(
      'kind_unavailable',
      `${ref.kind.name} is not installed in the cluster, or not at this version`,
    );
  const code = error.body?.details?.kind === 'namespaces' ? 'namespace_not_found' : 'resource_not_found';
  return new HttpError(code, message);
}

/** Server-side apply names each field that another manager owns; any other conflict is about the version. */
function conflict(error: KubeError, message: string): HttpError {
  const owned = causesOf(error).filter(({ reason }) => reason === 'FieldManagerConflict');
  if (owned.length === 0) return new HttpError('resource_conflict', message);
  return new HttpError('field_conflict', message, { details: owned.map(detailOf) });
}

function unavailable(error: KubeError): HttpError {
  const { retryAfterMs } = error;
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) };
  return new HttpError('cluster_unavailable', error.message, { headers });
}

/** Causes as the API server lists them; unknown fields are only in the text of its message. */
function invalidDetails(error: KubeError, message: string): readonly ErrorDetail[] {
  const causes = causesOf(error);
  if (causes.length > 0) return causes.map(detailOf);
  const unknown = [...message.matchAll(/(?:unknown|duplicate) field "(?<path>[^"]+)"/g)];
  if (unknown.length > 0)
    return unknown.map((match) => ({ path: match.groups?.path ?? '', message: match[0].replace(/ ".*/, '') }));
  const undeclared = [...message.matchAll(/(?<path>\.[^\s:]+): field not declared in schema/g)];
  if (undeclared.length > 0)
    return undeclared.map((match) => ({ path: withoutDot(match.groups?.path ?? ''), message: 'unknown field' }));
  return [{ path: '', message }];
}

const causesOf = (error: KubeError): readonly StatusCause[] => error.body?.details?.causes ?? [];

const detailOf = ({ field = '', message = '' }: StatusCause): ErrorDetail => ({
  path: field === '<nil>' ? '' : withoutDot(field),
  message,
});

const withoutDot = (path: string): string => path.replace(/^\./, '');
