import { typeUrls } from '../envoy/index.ts';
import * as ir from '../ir/index.ts';
import { each, type Steps, toEnd } from '../std/steps/index.ts';
import { aiResources } from './ai/index.ts';
import { chainResources, translateChains } from './chains/index.ts';
import { translateCluster, translateEndpoints } from './clusters/index.ts';
import { type HostChange, HostScopes, originOf, translateFallbackScope } from './hosts/index.ts';
import { translateStream } from './l4/index.ts';
import { translateListener } from './listeners/index.ts';
import { moduleResources } from './modules/index.ts';
import { namedServerResources } from './named/index.ts';
import { poolResources } from './pools/index.ts';
import {
  backendAuthoritiesName,
  backendCertificateName,
  clusterName,
  type EnvoyResource,
  fallbackScopeName,
  type GatewayChange,
  genericSecret,
  injectedCredentialName,
  listenerName,
  loginSecretName,
  secretName,
  streamName,
} from './resource/index.ts';
import {
  clientAuthorities,
  translateAuthorities,
  translateLoginSecret,
  translateOwnCertificate,
  translateSecret,
} from './secrets/index.ts';

/** What one gateway's changes come to, in the making: the last word on each resource counts. */
class Draft {
  readonly #resources = new Map<string, { typeUrl: string; name: string; resource: EnvoyResource | undefined }>();
  /** Tables whose fallback scope has to be made again, once, whatever number of its hosts changed. */
  readonly fallbacks = new Set<string>();
  /** Tables whose filter chains are to be made again. */
  readonly chains = new Set<string>();
  /** Listeners to be made again, once, for they or hosts of their streams changed. */
  readonly listeners = new Set<string>();
  /** Stream tables whose listeners are to be made again. */
  readonly streams = new Set<string>();
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

/** What operators let run in proxies. Tables in which requests wait have room for it before it is used. */
interface Allowed {
  /** Modules. */
  readonly wasm?: boolean;
}

/**
 * Turns the changes of a build into changes for Envoy. It keeps only what saves work: encodings, because several gateways may share
 * a backend, and how hosts with many routes are cut. Equal snapshots give equal bytes, whatever led to them.
 */
export class Translator {
  readonly #encoded = new WeakMap<object, EnvoyResource>();
  readonly #hosts = new HostScopes();
  readonly #allowed: Allowed;

  constructor(allowed: Allowed = {}) {
    this.#allowed = allowed;
  }

  translate(snapshot: ir.Snapshot, changes: Iterable<ir.Change>): GatewayChange[] {
    return toEnd(this.translating(snapshot, changes));
  }

  /** The same in steps. */
  *translating(snapshot: ir.Snapshot, changes: Iterable<ir.Change>): Steps<GatewayChange[]> {
    const drafts = new Map<string, Draft>();
    for (const change of changes) {
      const draft = drafts.get(change.gateway) ?? new Draft();
      drafts.set(change.gateway, draft);
      // A host may come to thousands of scopes.
      if (change.kind === 'virtualHost') yield* this.#applyHost(draft, change);
      else this.#apply(draft, change);
      yield;
    }
    for (const [gateway, draft] of drafts) {
      const found = snapshot.gateways.get(gateway);
      yield* this.#makeListeners(draft, found);
      const tables = found?.tables;
      for (const id of draft.chains) this.#makeChains(draft, gateway, tables?.get(id), id);
      yield* each(draft.fallbacks, (id) => {
        const table = tables?.get(id);
        draft.set(typeUrls.scopedRoute, fallbackScopeName(id), table && translateFallbackScope(table));
      });
    }
    const finished: GatewayChange[] = [];
    yield* each(drafts, ([gateway, draft]) => {
      finished.push(draft.finish(gateway));
    });
    return finished;
  }

  #apply(draft: Draft, change: Exclude<ir.Change, HostChange>): void {
    switch (change.kind) {
      case 'gateway':
        draft.gone = change.after === undefined;
        if (draft.gone) this.#hosts.forget(change.gateway);
        return;
      case 'listener':
        draft.listeners.add(change.key);
        for (const { name, chain, resource } of clientAuthorities(change)) {
          const key = ir.chainKey(change.key, chain?.name ?? '');
          const made = resource && originOf('listener', key, chain ?? {}, resource);
          draft.set(typeUrls.secret, name, made);
        }
        return;
      case 'stream':
        this.#applyStream(draft, change);
        return;
      case 'table':
        draft.fallbacks.add(change.table);
        draft.chains.add(change.table);
        return;
      case 'secret':
        draft.set(
          typeUrls.secret,
          secretName(change.key),
          this.#once(change.after, (secret) => originOf('secret', secret.key, secret, translateSecret(secret))),
        );
        return;
      case 'backend':
        this.#applyBackend(draft, change);
        return;
      case 'endpoints':
        draft.set(
          typeUrls.endpoint,
          clusterName(change.key),
          this.#once(change.after, (members) =>
            originOf('endpoints', members.backend, members, translateEndpoints(members)),
          ),
        );
    }
  }

  #applyBackend(draft: Draft, { key, before, after }: Extract<ir.Change, { kind: 'backend' }>): void {
    this.#applyInner(draft, key, before, after);
    // What is reached through listeners within the proxy has brought its own cluster, or taken it away.
    if (!hasOwnCluster(after ?? before)) {
      const cluster = this.#once(after, (backend) => ofOrigin('backend', key, backend, translateCluster(backend)));
      draft.set(typeUrls.cluster, clusterName(key), cluster);
    }
    const ofBackend = (resource: EnvoyResource | undefined) =>
      resource && originOf('backend', key, after ?? {}, resource);
    if (before?.tls?.ownCertificate ?? after?.tls?.ownCertificate) {
      const certificate = this.#once(after?.tls?.ownCertificate, () =>
        ofBackend(translateOwnCertificate(key, after?.tls as ir.BackendTls)),
      );
      draft.set(typeUrls.secret, backendCertificateName(key), certificate);
    }
    for (const secret of before?.login || after?.login ? (['client', 'hmac'] as const) : []) {
      const login = after?.login;
      const resource = ofBackend(login && translateLoginSecret(key, secret, login));
      draft.set(typeUrls.secret, loginSecretName(key, secret), resource);
    }
    if (before?.credential ?? after?.credential) {
      const name = injectedCredentialName(key);
      draft.set(typeUrls.secret, name, ofBackend(after?.credential && genericSecret(name, after.credential.value)));
    }
    if (before?.tls?.authorities ?? after?.tls?.authorities) {
      const name = backendAuthoritiesName(key);
      draft.set(
        typeUrls.secret,
        name,
        this.#once(after?.tls, (tls) => ofBackend(translateAuthorities(name, tls))),
      );
    }
  }

  /** Several resources, which may be others after a change. */
  #applyInner(draft: Draft, key: string, before: ir.Backend | undefined, after: ir.Backend | undefined): void {
    for (const { typeUrl, name } of before ? innerResources(before) : []) draft.set(typeUrl, name, undefined);
    for (const resource of after ? innerResources(after) : [])
      draft.set(resource.typeUrl, resource.name, originOf('backend', key, after ?? {}, resource));
  }

  *#makeListeners(draft: Draft, gateway: ir.Fleet | undefined): Steps<void> {
    const isChanged = (chain: ir.Chain) => chain.kind === 'stream' && draft.streams.has(chain.table);
    for (const { key, chains } of draft.streams.size > 0 ? (gateway?.listeners.values() ?? []) : []) {
      if (chains.some(isChanged)) draft.listeners.add(key);
    }
    for (const key of draft.listeners) {
      const listener = gateway?.listeners.get(key);
      const resource = listener && translateListener(listener, (id) => gateway?.streams.get(id));
      draft.set(typeUrls.listener, listenerName(key), resource && ofOrigin('listener', key, listener, resource));
      yield;
    }
  }

  /** A host that comes or goes is a filter chain of its listener; one that changes is not. UDP has no chains. */
  #applyStream(draft: Draft, { table, host, before, after }: Extract<ir.Change, { kind: 'stream' }>): void {
    const isUdp = table.startsWith('udp/');
    const isChain = !before || !after || !haveSameClients(before, after);
    if (isUdp || isChain) draft.streams.add(table);
    if (isUdp) return;
    const made = after && translateStream(table, after);
    const source = after?.source;
    const stream = made && source !== undefined ? originOf('route', source, after.shares, made) : made;
    draft.set(typeUrls.extension, streamName(table, host), stream);
  }

  *#applyHost(draft: Draft, change: HostChange): Steps<void> {
    const { table, scope } = change;
    if (scope === 'fallback') {
      draft.fallbacks.add(table);
      if (this.#hosts.fallbackChanged(change)) draft.chains.add(table);
      return;
    }
    const { scopes, usesOtherSlots } = this.#hosts.changed(change);
    if (usesOtherSlots) draft.chains.add(table);
    yield* each(scopes, ([name, resource]) => draft.set(typeUrls.scopedRoute, name, resource));
  }

  /** The table that all HTTPS listeners of a port share only says which hosts are theirs: no connection manager is of it. */
  #makeChains(draft: Draft, gateway: string, table: ir.RouteTable | undefined, id: string): void {
    if (ir.sharedTable(id) === id) return;
    const made = table ? translateChains(table, this.#hosts.slotsOf(gateway, id), this.#allowed.wasm) : [];
    for (const { typeUrl, name } of chainResources(id)) draft.set(typeUrl, name, undefined);
    for (const resource of made) draft.set(resource.typeUrl, resource.name, resource);
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

/** The resource with the one fragment that it is made from, unless it says better what that is. */
const ofOrigin: typeof originOf = (kind, key, fragment, resource) =>
  resource.provenance ? resource : originOf(kind, key, fragment, resource);

/** Whether the cluster of a backend leads to listeners within the proxy, and is made with these; or there is none. */
const hasOwnCluster = (backend: ir.Backend | undefined): boolean =>
  backend?.ai?.kind === 'route' ||
  isPool(backend) ||
  backend?.named !== undefined ||
  backend?.pool !== undefined ||
  backend?.module !== undefined;

/** A service whose requests go to the cluster of a pool has none. */
const isPool = (backend: ir.Backend | undefined): boolean =>
  backend?.ai?.kind === 'service' && backend.ai.pool !== undefined;

const innerResources = (backend: ir.Backend): EnvoyResource[] => [
  ...aiResources(backend),
  ...namedServerResources(backend),
  ...poolResources(backend),
  ...moduleResources(backend),
];

/** Whose connections are taken is decided by the chain: by which they match, and by its handshake. */
const haveSameClients = (one: ir.StreamHost, other: ir.StreamHost): boolean =>
  isLike(one.sources, other.sources) && isLike(one.certificates, other.certificates);

const isLike = (one: object | undefined, other: object | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && ir.digestOf(one) === ir.digestOf(other));
