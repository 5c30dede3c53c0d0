import { keyOf } from '../../gateway-api/index.ts';
import { resolveRevocationLists, revocationListRef } from '../../graph/index.ts';
import type { AdminSources } from '../sources.ts';
import type { Finding } from './problem.ts';

/** Lists of revoked certificates that have ended, or are late to be renewed. No event says so: time alone makes it true. */
export function* ofRevocationLists({ graph, now }: Pick<AdminSources, 'graph' | 'now'>): Generator<Finding> {
  const at = now();
  for (const policy of graph.list('ListenerPolicy')) {
    const ref = revocationListRef(policy);
    if (!ref || graph.statusOf('ListenerPolicy', keyOf(policy)) === undefined) continue;
    const lists = resolveRevocationLists(ref, graph);
    // Its conditions say it.
    if ('fault' in lists) continue;
    const { ends, late } = lists;
    if (!ends || !late || at < late) continue;
    const object = { kind: ref.kind, namespace: ref.namespace, name: ref.name };
    const end = ends.toISOString();
    yield at < ends
      ? {
          code: 'revocation_list_ending',
          object,
          message: `a list of revoked certificates in it ends at ${end}; from then on no client with a certificate of its authority comes in where ListenerPolicy ${keyOf(policy)} is`,
        }
      : {
          code: 'revocation_list_ended',
          object,
          message: `a list of revoked certificates in it ended at ${end}, so no client with a certificate of its authority comes in where ListenerPolicy ${keyOf(policy)} is`,
          since: ends,
        };
  }
}
