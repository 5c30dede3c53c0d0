import { type EnvoyRoute, type InnerListener, innerListener } from '../inner/index.ts';
import { clusterName, durationOf, type EnvoyResource, notProcessed } from '../resource/index.ts';
import { outcomeIs, pickFailed, servedHeaders, whoServed, withoutPicks } from './pick-headers.ts';

interface Plain {
  readonly name: string;
  /** Key of the pool's ir.Backend. */
  readonly key: string;
}

/** A listener that sends requests to any model server. */
export const plainListener = ({ name, key, servers }: Plain & { readonly servers: string }): EnvoyResource =>
  innerListener({ name, stats: `${key}/any`, early: [withoutPicks], filters: [], routes: [toServers(servers, 'any')] });

/** A listener for a pool whose picker cannot be found: no model server is to be asked without it. */
export const unavailableListener = ({
  name,
  key,
  accessLog,
}: Plain & { readonly accessLog: NonNullable<InnerListener['accessLog']> }): EnvoyResource =>
  innerListener({
    name,
    stats: key,
    accessLog,
    filters: [],
    routes: [
      {
        match: anyPath,
        action: {
          case: 'directResponse',
          value: {
            status: 503,
            body: { specifier: { case: 'inlineString', value: 'the endpoint picker of the pool cannot be found' } },
          },
        },
        responseHeadersToAdd: [outcomeIs(pickFailed.value)],
      },
    ],
  });

const anyPath = { pathSpecifier: { case: 'prefix' as const, value: '/' } };

/**
 * What no model server has read is sent to the next that the picker named, and to any after these. What a server says about picks is replaced: it could
 * make the request go another way.
 */
export const toServers = (servers: string, outcome: 'picked' | 'any'): EnvoyRoute => ({
  match: anyPath,
  action: {
    case: 'route',
    value: {
      clusterSpecifier: { case: 'cluster', value: clusterName(servers) },
      timeout: durationOf(0),
      retryPolicy: {
        retryOn: notProcessed,
        numRetries: 2,
        retryBackOff: { baseInterval: durationOf(1), maxInterval: durationOf(1) },
      },
    },
  },
  responseHeadersToRemove: [...servedHeaders],
  responseHeadersToAdd: [...whoServed(outcome)],
});
