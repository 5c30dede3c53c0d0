import { kindModules } from '../../src/controllers/index.ts';
import { type KindName, keyOf, type ObjectByKind } from '../../src/gateway-api/index.ts';
import { Graph, type TranslatorLimits, type UserCode } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
import { bytesOfText } from '../../src/std/memory/index.ts';
import { type EnvoyResource, type Origin, Translator } from '../../src/translate/index.ts';
import { controllerName } from './objects.ts';

export type AnyObject = ObjectByKind[KindName];

export const newGraph = (limits?: TranslatorLimits, onOneMachine = false, userCode?: UserCode): Graph =>
  new Graph({
    ...(userCode && { userCode }),
    onOneMachine,
    controllerName,
    kinds: kindModules,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
    ...(limits && { limits }),
  });

/** A time that stands still, so that builds can be compared. */
export const someTime = new Date('2026-01-02T03:04:05Z');

export const put = (graph: Graph, ...objects: readonly AnyObject[]): void => {
  for (const object of objects) graph.upsert(object.kind as KindName, object as never);
};

/** Everything a build says, as text that is equal exactly when the builds are. */
export function describeWorld(graph: Graph, statuses: ReadonlyMap<string, unknown>): string {
  const snapshot = graph.snapshot() as ir.Snapshot;
  const changes = [...ir.allChanges(snapshot)].map((change) => JSON.stringify(change, canonical));
  const desired = [...statuses].filter(([, status]) => status !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    snapshot.id,
    JSON.stringify(snapshot.counts),
    ...changes,
    ...desired.map((entry) => JSON.stringify(entry)),
  ].join('\n');
}

/** Immutable maps list their entries in an order of their own, which says nothing. */
function canonical(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString(16);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the proxies of each gateway hold after a sequence of builds: type and name to version and bytes. */
export class ProxyResources {
  readonly #translator = new Translator();
  readonly #held = new Map<string, Map<string, EnvoyResource>>();

  apply(snapshot: ir.Snapshot, changes: Iterable<ir.Change>): void {
    for (const { gateway, upserts, removals, gone } of this.#translator.translate(snapshot, changes)) {
      if (gone) this.#held.delete(gateway);
      else {
        const held = this.#held.get(gateway) ?? new Map<string, EnvoyResource>();
        this.#held.set(gateway, held);
        for (const { typeUrl, name } of removals) held.delete(`${typeUrl} ${name}`);
        for (const resource of upserts) held.set(`${resource.typeUrl} ${resource.name}`, resource);
      }
    }
  }

  /** Everything that a proxy could reject, in sorted order. */
  origins(): (Origin & { readonly gateway: string })[] {
    const all = [...this.#held].flatMap(([gateway, held]) =>
      [...held.values()].flatMap(({ provenance }) =>
        (provenance?.origins() ?? []).map((origin) => ({ ...origin, gateway })),
      ),
    );
    const text = ({ gateway, kind, key, digest }: (typeof all)[number]) => `${gateway} ${kind} ${key} ${digest}`;
    return all.sort((a, b) => (text(a) < text(b) ? -1 : 1));
  }

  describe(): string {
    const lines = [...this.#held].flatMap(([gateway, held]) =>
      [...held].map(
        ([name, { version, body }]) => `${gateway} ${name} ${version} ${bytesOfText(body).toString('base64')}`,
      ),
    );
    return lines.sort().join('\n');
  }
}

export const keyed = (object: AnyObject): { readonly kind: KindName; readonly key: string } => ({
  kind: object.kind as KindName,
  key: keyOf(object),
});
