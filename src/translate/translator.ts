import { typeUrls } from '../envoy/index.ts';
import * as ir from '../ir/index.ts';
import { each, type Steps, toEnd } from '../std/steps/index.ts';
import { BackendResources } from './backend-resources.ts';
import { chainResources, type EncodableChains, encodableChains } from './chains/index.ts';
import { translateEndpoints } from './clusters/index.ts';
import { Draft } from './draft.ts';
import { type EncodingFault, EncodingFaults } from './encoding-faults.ts';
import { Encodings, ofOrigin, placeOf } from './encodings.ts';
import { type HostChange, HostScopes, originOf, translateFallbackScope } from './hosts/index.ts';
import { translateStream } from './l4/index.ts';
import { encodableListener } from './listeners/index.ts';
import {
  clusterName,
  fallbackScopeName,
  type GatewayChange,
  type LeftOut,
  listenerName,
  type Origin,
  secretName,
  streamName,
} from './resource/index.ts';
import { clientAuthorities, translateSecret } from './secrets/index.ts';

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
  readonly #encodings = new Encodings();
  readonly #backends = new BackendResources(this.#encodings);
  readonly #hosts = new HostScopes();
  readonly #faults = new EncodingFaults();
  readonly #allowed: Allowed;

  constructor(allowed: Allowed = {}) {
    this.#allowed = allowed;
  }

  /** What is not as desired in what was made last, because it cannot be encoded. */
  get faults(): Iterable<EncodingFault> {
    return this.#faults;
  }

  translate(snapshot: ir.Snapshot, changes: Iterable<ir.Change>): GatewayChange[] {
    return toEnd(this.translating(snapshot, changes));
  }

  /** The same in steps. */
  *translating(snapshot: ir.Snapshot, changes: Iterable<ir.Change>): Steps<GatewayChange[]> {
    const drafts = new Map<string, Draft>();
    for (const change of changes) {
      const draft = drafts.get(change.gateway) ?? new Draft(change.gateway, this.#faults);
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
      for (const id of draft.chains) this.#makeChains(draft, found, tables?.get(id), id);
      yield* each(draft.fallbacks, (id) => {
        const table = tables?.get(id);
        const scope = table && translateFallbackScope(table, (host) => this.#hosts.encodable(host));
        draft.set(typeUrls.scopedRoute, fallbackScopeName(id), scope);
      });
    }
    const finished: GatewayChange[] = [];
    yield* each(drafts.values(), (draft) => {
      finished.push(draft.finish());
    });
    return finished;
  }

  #apply(draft: Draft, change: Exclude<ir.Change, HostChange>): void {
    switch (change.kind) {
      case 'gateway':
        draft.gone = change.after === undefined;
        if (draft.gone) this.#forget(change.gateway);
        return;
      case 'listener':
        this.#applyListener(draft, change);
        return;
      case 'stream':
        this.#applyStream(draft, change);
        return;
      case 'table':
        draft.fallbacks.add(change.table);
        draft.chains.add(change.table);
        return;
      case 'secret':
        draft.wholly(...placeOf('secret', change.key, change.after), () => {
          const made = this.#encodings.once(change.after, (secret) =>
            originOf('secret', secret.key, secret, translateSecret(secret)),
          );
          draft.set(typeUrls.secret, secretName(change.key), made);
        });
        return;
      case 'backend':
        this.#backends.apply(draft, change);
        return;
      case 'endpoints':
        draft.wholly(...placeOf('endpoints', change.key, change.after), () => {
          const made = this.#encodings.once(change.after, (members) =>
            originOf('endpoints', members.backend, members, translateEndpoints(members)),
          );
          draft.set(typeUrls.endpoint, clusterName(change.key), made);
        });
    }
  }

  #forget(gateway: string): void {
    this.#hosts.forget(gateway);
    this.#backends.forget(gateway);
    this.#faults.forget(gateway);
  }

  #applyListener(draft: Draft, change: Extract<ir.Change, { kind: 'listener' }>): void {
    draft.listeners.add(change.key);
    const [, origins] = placeOf('listener', change.key, change.after);
    draft.wholly(`authorities ${change.key}`, origins, () => {
      for (const { name, chain, resource } of clientAuthorities(change)) {
        const key = ir.chainKey(change.key, chain?.name ?? '');
        draft.set(typeUrls.secret, name, resource && originOf('listener', key, chain ?? {}, resource));
      }
    });
  }

  *#makeListeners(draft: Draft, gateway: ir.Fleet | undefined): Steps<void> {
    const isChanged = (chain: ir.Chain) => chain.kind === 'stream' && draft.streams.has(chain.table);
    for (const { key, chains } of draft.streams.size > 0 ? (gateway?.listeners.values() ?? []) : []) {
      if (chains.some(isChanged)) draft.listeners.add(key);
    }
    for (const key of draft.listeners) {
      const listener = gateway?.listeners.get(key);
      let leftOut: LeftOut | undefined;
      const [place, origins] = placeOf('listener', key, listener);
      const isMade = draft.wholly(place, origins, () => {
        const made = listener && encodableListener(listener, (id) => gateway?.streams.get(id));
        leftOut = made?.leftOut;
        const resource = made && listener && ofOrigin('listener', key, listener, made.resource);
        draft.set(typeUrls.listener, listenerName(key), resource);
      });
      if (isMade) draft.judge(place, leftOut);
      yield;
    }
  }

  /** A host that comes or goes is a filter chain of its listener; one that changes is not. UDP has no chains. */
  #applyStream(draft: Draft, { table, host, before, after }: Extract<ir.Change, { kind: 'stream' }>): void {
    const isUdp = table.startsWith('udp/');
    const isChain = !before || !after || !haveSameClients(before, after);
    if (isUdp || isChain) draft.streams.add(table);
    const source = after?.source;
    const [, origins] = placeOf('route', source ?? '', source === undefined ? undefined : after?.shares);
    draft.wholly(`stream ${table} ${host}`, origins, () => {
      const made = after && translateStream(table, after);
      const stream = made && source !== undefined ? originOf('route', source, after.shares, made) : made;
      if (!isUdp) draft.set(typeUrls.extension, streamName(table, host), stream);
    });
  }

  *#applyHost(draft: Draft, change: HostChange): Steps<void> {
    const { table, scope, host } = change;
    const place = `host ${table} ${scope} ${host}`;
    if (scope === 'fallback') {
      draft.fallbacks.add(table);
      const { usesOtherSlots, leftOut } = this.#hosts.fallbackChanged(change);
      draft.judge(place, leftOut);
      if (usesOtherSlots) draft.chains.add(table);
      return;
    }
    const { scopes, usesOtherSlots, leftOut } = this.#hosts.changed(change);
    draft.judge(place, leftOut);
    if (usesOtherSlots) draft.chains.add(table);
    yield* each(scopes, ([name, resource]) => draft.set(typeUrls.scopedRoute, name, resource));
  }

  /** The table that all HTTPS listeners of a port share only says which hosts are theirs: no connection manager is of it. */
  #makeChains(draft: Draft, gateway: ir.Fleet | undefined, table: ir.RouteTable | undefined, id: string): void {
    if (ir.sharedTable(id) === id) return;
    const place = `chains ${id}`;
    let leftOut: LeftOut | undefined;
    const isMade = draft.wholly(
      place,
      () => chainsOf(gateway, id),
      () => {
        const used = this.#hosts.slotsOf(draft.gateway, id);
        const made: EncodableChains = table ? encodableChains(table, used, this.#allowed.wasm) : { resources: [] };
        leftOut = made.leftOut;
        for (const { typeUrl, name } of chainResources(id)) draft.set(typeUrl, name, undefined);
        for (const resource of made.resources) draft.set(resource.typeUrl, resource.name, resource);
      },
    );
    if (isMade) draft.judge(place, leftOut);
  }
}

/** The listeners whose requests pass the filter chains of a table. */
const chainsOf = (gateway: ir.Fleet | undefined, table: string): readonly Origin[] =>
  [...(gateway?.listeners.values() ?? [])].flatMap(({ key, chains }) =>
    chains.flatMap((chain) =>
      chain.table === table
        ? [{ kind: 'listener', key: ir.chainKey(key, chain.name), digest: ir.digestOf(chain) } as const]
        : [],
    ),
  );

/** Whose connections are taken is decided by the chain: by which they match, and by its handshake. */
const haveSameClients = (one: ir.StreamHost, other: ir.StreamHost): boolean =>
  isLike(one.sources, other.sources) && isLike(one.certificates, other.certificates);

const isLike = (one: object | undefined, other: object | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && ir.digestOf(one) === ir.digestOf(other));
