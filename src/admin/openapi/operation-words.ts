import type { Operation } from '../resource/operation.ts';

/** What stands in paths. */
export const pathWords: Readonly<Record<string, string>> = {
  namespace: 'Namespace of the object; `_cluster` where its kind has none',
  name: 'Name of the object; of a listener NAMESPACE.GATEWAY.LISTENER, of a backend SERVICE:PORT',
  kind: 'Kind of the object, in lower case or as Kubernetes writes it',
  nodeId: 'Id of the data plane',
  report: 'Which report of the agent',
  code: 'A problem, a flag of Envoy, the reason of a condition, or an error code',
};

/** Sentences for people who write a client, from what is known of the operation. */
export function descriptionOf(operation: Operation): string {
  const { method, path, summary, query = {}, description, errors = [], media } = operation;
  const isList = 'limit' in query && 'offset' in query;
  return [
    `${summary}.`,
    description ?? '',
    isList
      ? '`limit` and `offset` choose a page, which `X-Total-Count` and `Link` describe; without `limit` the list is whole. Parameters that are fields choose entries.'
      : '',
    method === 'get' && media === undefined && !probe.test(path)
      ? 'Send the `ETag` back as `If-None-Match` to get 304 while nothing has changed.'
      : '',
    errors.includes('not_ready') && !probe.test(path) ? 'Before the first full list of objects it answers 503.' : '',
    method === 'post' || method === 'put' || method === 'delete' ? '' : 'It changes nothing.',
  ]
    .filter(Boolean)
    .join(' ');
}

const probe = /^\/(livez|readyz|healthz)$/;
