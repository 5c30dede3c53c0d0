import { typeUrls } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { clientAuthorities, translateAuthorities } from './authorities.ts';
import { translateCluster } from './cluster.ts';
import { translateEndpoints } from './endpoints.ts';
import type { EnvoyResource, GatewayChange } from './envoy-resource.ts';
import { translateListener } from './listener.ts';
import {
  backendAuthoritiesName,
  clusterName,
  exactScopeName,
  fallbackScopeName,
  listenerName,
  secretName,
} from './names.ts';
import { translateExactScope, translateFallbackScope } from './scope.ts';
import { translateSecret } from './secret.ts';

/** What one gateway's changes come to, in the making: the last word on each resource counts. */
class Draft {
  readonly #resources = new Map<string, { typeUrl: string; name: string; resource: EnvoyResource | undefined }>();
  /** Tables whose fallback scope has to be made anew, once, whatever number of its hosts changed. */
  readonly fallbacks = new Set<string>();
  gone = false;

  set(typeUrl: string, name: string, resource: EnvoyResource | undefined): void {
    this.#resources.set(`${typeUrl} ${name}`, { typeUrl, name, resource });
  }

  finish(gateway: string): GatewayChange {
    const all = [...this.#resources.values()];
    return {
      gateway,
      upserts: all.flatMap(({ resource }) => resource ?? []),
      removals: all.filter(({ resource }) => !resource).map(({ typeUrl, name }) => ({ typeUrl, name })),
      ...(this.gone && { gone: true }),
    };
  }
}

/**
 * Turns what a build changed into what Envoy must be told. Keeps nothing of its own but encodings that can be used
 * again: a backend shared by many gateways is encoded once. Equal snapshots give equal bytes, whatever led to them.
 */
export class Translator {
  readonly #encoded = new WeakMap<object, EnvoyResource>();

  translate(snapshot: ir.Snapshot, changes: Iterable<ir.Change>): GatewayChange[] {
    const drafts = new Map<string, Draft>();
    for (const change of changes) {
      const draft = drafts.get(change.gateway) ?? new Draft();
      drafts.set(change.gateway, draft);
      this.#apply(draft, change);
    }
    for (const [gateway, draft] of drafts) {
      const tables = snapshot.gateways.get(gateway)?.tables;
      for (const id of draft.fallbacks) {
        const table = tables?.get(id);
        draft.set(typeUrls.scopedRoute, fallbackScopeName(id), table && translateFallbackScope(table));
      }
    }
    return [...drafts].map(([gateway, draft]) => draft.finish(gateway));
  }

  #apply(draft: Draft, change: ir.Change): void {
    switch (change.kind) {
      case 'gateway':
        draft.gone = change.after === undefined;
        return;
      case 'listener':
        draft.set(typeUrls.listener, listenerName(change.key), change.after && translateListener(change.after));
        for (const { name, resource } of clientAuthorities(change)) draft.set(typeUrls.secret, name, resource);
        return;
      case 'table':
        draft.fallbacks.add(change.table);
        return;
      case 'virtualHost':
        this.#applyHost(draft, change);
        return;
      case 'secret':
        draft.set(typeUrls.secret, secretName(change.key), this.#once(change.after, translateSecret));
        return;
      case 'backend':
        draft.set(typeUrls.cluster, clusterName(change.key), this.#once(change.after, translateCluster));
        if (change.before?.tls?.authorities ?? change.after?.tls?.authorities) {
          const name = backendAuthoritiesName(change.key);
          draft.set(
            typeUrls.secret,
            name,
            this.#once(change.after?.tls, (tls) => translateAuthorities(name, tls)),
          );
        }
        return;
      case 'endpoints':
        draft.set(typeUrls.endpoint, clusterName(change.key), this.#once(change.after, translateEndpoints));
    }
  }

  #applyHost(draft: Draft, { table, scope, host, after }: Extract<ir.Change, { kind: 'virtualHost' }>): void {
    if (scope === 'fallback') draft.fallbacks.add(table);
    else draft.set(typeUrls.scopedRoute, exactScopeName(table, host), after && translateExactScope(table, after));
  }

  #once<T extends object>(
    fragment: T | undefined,
    translate: (fragment: T) => EnvoyResource | undefined,
  ): EnvoyResource | undefined {
    if (!fragment) return undefined;
    const known = this.#encoded.get(fragment);
    const resource = known ?? translate(fragment);
    if (!known && resource) this.#encoded.set(fragment, resource);
    return resource;
  }
}
