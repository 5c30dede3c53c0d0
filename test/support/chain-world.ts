import { wholeOf } from '../../src/contracts/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type * as ir from '../../src/ir/index.ts';
import { demandsIn, versionWith } from '../../src/translate/chains/demands.ts';
import type { ChainDemand, EnvoyResource, GatewayChange } from '../../src/translate/index.ts';
import { decodeDeltaResponse } from '../../src/xds/index.ts';
import { ResourceGroup } from '../../src/xds/session/resource-group.ts';
import { Session } from '../../src/xds/session/session.ts';
import { fakeResource } from './xds.ts';

const { cluster, extension, listener, scopedRoute } = typeUrls;
export const chainName = 'auth/http/80';
/** For hosts whose routes fill no slot. */
export const baseName = 'base/http/80';
/** What listeners of earlier releases have in place of both. */
export const earlierName = 'access/http/80';
export const lingerMs = 600_000;
export const allSlots = ['a', 'b', 'c'];
const at = new Date('2026-01-02T03:04:05Z');

/** What else is in a chain. */
export interface ChainMore {
  readonly needs?: EnvoyResource['needs'];
  readonly name?: string;
  readonly text?: string;
  /** What it demands by itself; behind its slots, written `!NAME`. */
  readonly guards?: readonly string[];
  readonly former?: readonly ChainDemand[];
  /** Slots that add nothing to its bytes: others have brought along what they need. */
  readonly silent?: readonly string[];
}

/** A chain with these slots. */
export function chainOf(
  names: Iterable<string>,
  { name: chain = chainName, text = '', guards = [], former = [], silent = [], needs }: ChainMore = {},
): EnvoyResource {
  const slots = [...new Set(names)].sort();
  const own = new Map(guards.map((name) => [digestOf(name), demandOf(name)]));
  const kept = former.filter(({ digest }) => !own.has(digest));
  const demands = new Map([...own.values(), ...kept].map((demand) => [demand.digest, demand]));
  const words = [
    ...slots.filter((slot) => !silent.includes(slot)),
    ...[...demands.values()].map(
      ({
        guards: {
          demands: [only],
        },
      }) => `!${only?.source}`,
    ),
  ];
  const resource = fakeResource(extension, chain, `${words.join(',')} ${text}`);
  return {
    ...resource,
    version: versionWith(resource.version, demands.values()),
    ...(needs && { needs }),
    slots: {
      names: new Set(slots),
      lists: new Map(),
      own,
      demands,
      with: (more, before = []) =>
        chainOf([...slots, ...more], {
          name: chain,
          text,
          guards,
          former: [...before],
          silent,
          ...(needs && { needs }),
        }),
      demandsIn: (version, find) => demandsIn(version, own, find),
      withAll: (before = []) =>
        chainOf(allSlots, { name: chain, text, guards, former: [...before], silent, ...(needs && { needs }) }),
    },
  };
}

const hexOf = (text: string, length: number): string =>
  Buffer.from(text).toString('hex').padEnd(length, '0').slice(0, length);
const digestOf = (name: string): string => hexOf(name, 16);
const demandOf = (source: string): ChainDemand => ({
  digest: digestOf(source),
  place: hexOf(source, 8),
  guards: { demands: [{ level: 'gateway', source, overridable: [] } satisfies ir.TableAccess] },
});

/** A scope whose routes fill these slots. */
export const scopeOf = (name: string, filled: readonly string[], text = ''): EnvoyResource => ({
  ...fakeResource(scopedRoute, name, `${filled.join(',')} ${text}`),
  ...(filled.length > 0 && { needs: new Map([[chainName, filled]]) }),
});

/** `SLOT,SLOT TEXT`, as the resources above are written. */
export const slotsIn = (body: string): string[] => body.split(' ', 1)[0]?.split(',').filter(Boolean) ?? [];

const nothing = new Uint8Array();

const turned = <T>(all: readonly T[], turn: number): readonly T[] => {
  const start = turn % Math.max(1, all.length);
  return [...all.slice(start), ...all.slice(0, start)];
};

/** What an Envoy has, and what it can be made to reject. */
export class Client {
  readonly has = new Map(
    [cluster, listener, scopedRoute, extension].map((typeUrl): [string, Map<string, string>] => [typeUrl, new Map()]),
  );
  readonly versions = new Map(
    [...this.has.keys()].map((typeUrl): [string, Map<string, string>] => [typeUrl, new Map()]),
  );
  /** The same as bytes: by `TYPE NAME`. */
  readonly bytes = new Map<string, Uint8Array>();
  /** Types of which the next response is rejected, if it has anything that may be. */
  readonly rejects = new Set<string>();
  /**
   * By name of ECDS, what Envoy rejected and did not replace since. If the same comes again, it says that it takes it, and continues with what it has. What
   * names the resource from then on is rejected, too.
   */
  readonly spoilt = new Map<string, Uint8Array>();
  /** Whether this Envoy may reject the resource. */
  canReject: (name: string, bytes: Uint8Array) => boolean = () => true;

  forget(typeUrl: string, name: string): void {
    this.has.get(typeUrl)?.delete(name);
    this.versions.get(typeUrl)?.delete(name);
    this.bytes.delete(`${typeUrl} ${name}`);
    this.spoilt.delete(name);
  }

  #sentAgain(name: string, bytes: Uint8Array): boolean {
    const spoilt = this.spoilt.get(name);
    return spoilt !== undefined && Buffer.compare(spoilt, bytes) === 0;
  }

  take(typeUrl: string, { name, version, bytes }: { name: string; version: string; bytes: Uint8Array }): void {
    this.versions.get(typeUrl)?.set(name, version);
    if (typeUrl === extension && this.#sentAgain(name, bytes)) return;
    this.spoilt.delete(name);
    this.has.get(typeUrl)?.set(name, Buffer.from(bytes).toString());
    this.bytes.set(`${typeUrl} ${name}`, bytes);
  }

  /**
   * Rejects a response with several resources of ECDS for one of those that change. Envoy takes them in no order of ours: those in front of it are used, the
   * others are not, and all are reported as rejected. `turn` says which one it is. Gives whether any may be rejected.
   */
  rejectOne(resources: readonly { name: string; bytes: Uint8Array }[], turn: number): boolean {
    const inTurn = turned(resources, turn);
    const changes = inTurn.filter(
      ({ name, bytes }) =>
        this.canReject(name, bytes) && Buffer.compare(bytes, this.bytes.get(`${extension} ${name}`) ?? nothing) !== 0,
    );
    const rejected = changes[turn % Math.max(1, changes.length)];
    if (!rejected) return false;
    for (const { name, bytes } of inTurn.slice(0, inTurn.indexOf(rejected))) {
      if (this.#sentAgain(name, bytes)) continue;
      this.spoilt.delete(name);
      this.bytes.set(`${extension} ${name}`, bytes);
    }
    this.spoilt.set(rejected.name, rejected.bytes);
    return true;
  }

  slots(): string[] | undefined {
    const body = this.has.get(extension)?.get(chainName);
    return body === undefined ? undefined : slotsIn(body);
  }

  /** Names of scopes that this Envoy would serve without one of their filters. */
  unguarded(): string[] {
    const slots = this.slots();
    const scopes = [...(this.has.get(scopedRoute) ?? [])];
    return slots
      ? scopes.filter(([, body]) => slotsIn(body).some((slot) => !slots.includes(slot))).map(([name]) => name)
      : [];
  }
}

/** A control plane with one client, without streams: what is published, and what the client makes of it. */
export class World {
  readonly client = new Client();
  group = new ResourceGroup('default/edge');
  nowMs = 0;
  /** How many were delivered. */
  responses = 0;
  #session = this.#open();
  #epoch = 0;
  /** Names that the client asks for. */
  readonly chains = [chainName];
  /** After each response that the client took, or took a part of. */
  readonly onTaken: () => void;

  constructor(onTaken: () => void = () => {}) {
    this.onTaken = onTaken;
  }

  publish(...upserts: readonly EnvoyResource[]): void {
    this.change(upserts, []);
  }

  /** `removals`: names of scopes. */
  change(upserts: readonly EnvoyResource[], removals: readonly string[]): void {
    const removed = removals.map((name) => ({ typeUrl: scopedRoute, name }));
    this.apply({ gateway: 'default/edge', upserts, removals: removed });
  }

  apply(change: GatewayChange): void {
    this.#epoch += 1;
    this.group.apply(change, this.#epoch, `digest ${this.#epoch}`);
  }

  /** The client wants other resources of ECDS than before. */
  want(names: ReadonlySet<string>): void {
    const unsubscribe = this.chains.filter((name) => !names.has(name));
    const subscribe = [...names].filter((name) => !this.chains.includes(name));
    if (subscribe.length + unsubscribe.length === 0) return;
    this.chains.splice(0, this.chains.length, ...names);
    for (const name of unsubscribe) this.client.forget(extension, name);
    this.#session.request(
      { typeUrl: extension, nonce: '', subscribe, unsubscribe, initialVersions: new Map() },
      this.nowMs,
    );
  }

  /** The control plane ends, and another one, which knows only what is published now, takes the client. */
  replace(): void {
    const published = [...this.group.all()];
    this.group.leave(this.#session);
    this.group = new ResourceGroup('default/edge');
    this.publish(...published);
    this.#session = this.#open();
    this.client.spoilt.clear();
    this.start();
  }

  /** The stream breaks, and the client comes back with what it has. */
  reconnect(): void {
    this.group.leave(this.#session);
    this.#session = this.#open();
    // By its agent, which sends it what it has.
    this.client.spoilt.clear();
    this.start();
  }

  start(): void {
    for (const [typeUrl, initialVersions] of this.client.versions) {
      const subscribe = typeUrl === extension ? this.chains : ['*'];
      this.#session.request(
        { typeUrl, nonce: '', subscribe, unsubscribe: [], initialVersions: new Map(initialVersions) },
        this.nowMs,
      );
    }
  }

  /** Delivers at most so many responses. */
  deliver(most = Number.POSITIVE_INFINITY): string[] {
    const said: string[] = [];
    for (let sent = 0; sent < most; sent += 1) {
      const push = this.#session.next(this.nowMs);
      if (!push) break;
      this.responses += 1;
      const { typeUrl, nonce, resources, removedResources } = decodeDeltaResponse(push.bytes);
      const sentBytes = resources.map(({ name, resource }) => ({ name, bytes: resource?.value ?? nothing }));
      const inPieces = resources.some(({ name }) => wholeOf(name) !== undefined);
      // No Envoy rejects that something is gone.
      const mayBe = sentBytes.some(({ name, bytes }) => this.client.canReject(name, bytes));
      const isRejected =
        mayBe &&
        this.client.rejects.has(typeUrl) &&
        (!inPieces || this.client.rejectOne(sentBytes, this.responses)) &&
        this.client.rejects.delete(typeUrl);
      if (!isRejected) {
        for (const { name, version, resource } of turned(resources, this.responses)) {
          this.client.take(typeUrl, { name, version, bytes: resource?.value ?? nothing });
          // Requests come between, and find some pieces of before.
          if (inPieces) this.onTaken();
        }
        for (const name of removedResources) this.client.forget(typeUrl, name);
        this.onTaken();
      } else if (inPieces) this.onTaken();
      else if (typeUrl === extension && resources.length === 1)
        for (const { name, resource } of resources) this.client.spoilt.set(name, resource?.value ?? new Uint8Array());
      said.push(
        ...resources.map(
          ({ name, resource }) =>
            `${name}: ${Buffer.from(resource?.value ?? [])
              .toString()
              .trim()}`,
        ),
      );
      const error = isRejected ? { error: 'no' } : {};
      this.#session.request(
        { typeUrl, nonce, subscribe: [], unsubscribe: [], initialVersions: new Map(), ...error },
        this.nowMs,
      );
    }
    return said;
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.#session.tick(this.nowMs);
  }

  #open(): Session {
    const session = new Session({
      variant: 'delta',
      group: this.group,
      newest: () =>
        this.group.snapshotVersion(this.#epoch, {
          id: `s${this.#epoch}`,
          generatedAt: at,
          gateways: 1,
          listeners: 1,
          routes: 1,
          backends: 1,
        }),
      wantsManifest: false,
      maxResponseBytes: 60,
      maxFirstRoutesBytes: 60,
      bindRetryMs: 5_000,
      lingerMs,
      clock: () => at,
      observer: { acked() {}, nacked() {}, rejected() {}, relented() {}, trialEnded() {}, tried() {}, applied() {} },
    });
    this.group.join(session);
    return session;
  }
}
