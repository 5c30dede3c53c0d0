import { isDeepStrictEqual } from 'node:util';
import { type Ingress, type KindName, type KubernetesObject, keyOf, type ObjectKey } from '../../gateway-api/index.ts';
import { firstNames } from '../../std/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import { otherOwners, wildcardsOf } from './certificates.ts';
import { claimedHosts, withoutHosts } from './claimed-hosts.ts';
import { type ClassGateway, classGateway } from './class-gateway.ts';
import { type Derived, derive, keyOfDerived, type Outcome } from './derive.ts';
import { gatewayListeners } from './gateway-listeners.ts';
import { HostClaims } from './host-claims.ts';
import { idOf, lookOf } from './look-of.ts';
import type { IngressFault, Lookup, NativeOptions } from './options.ts';
import { ReadIndex } from './read-index.ts';
import { type Unit, Units } from './units.ts';
import { type Reads, worldOf } from './world-of.ts';

/** What Ingresses become, as it changes. */
export interface IngressSink {
  put(kind: KindName, object: KubernetesObject): void;
  remove(kind: KindName, object: KubernetesObject): void;
  /** What became of an Ingress; undefined: it is none of ours, or is gone. */
  outcome(ingress: ObjectKey, outcome: ServedIngress | undefined): void;
}

export interface ServedIngress {
  readonly gateway: ObjectKey | undefined;
  readonly faults: readonly IngressFault[];
  /** Keys of the HTTPRoutes that it became. */
  readonly routes: readonly ObjectKey[];
  /** Another controller writes its status. */
  readonly isAdopted?: true;
}

/** One Ingress of a class of ours. */
interface Known {
  readonly target: ClassGateway;
  /** With their Gateway. */
  readonly claims: readonly string[];
}

/** Thousands of hosts may be below a wildcard. Others may not wait for all of them. */
const mostInOneStep = 500;

/**
 * Makes objects of the Gateway API of Ingresses, and keeps them as Ingresses and what they refer to change. What is made again after a change is the
 * Ingresses that have hosts in common with it, and what differs of that is given on.
 */
export class NativeIngresses {
  readonly #options: NativeOptions;
  readonly #lookup: Lookup;
  readonly #sink: IngressSink;
  readonly #known = new Map<ObjectKey, Known>();
  /** Ingresses of whatever controller, by the class that they name; empty where they name none. */
  readonly #byClass = new Map<string, Set<ObjectKey>>();
  readonly #classOf = new Map<ObjectKey, string>();
  readonly #claims: HostClaims;
  readonly #reads = new ReadIndex();
  /** Those that were made together. */
  readonly #together = new Map<ObjectKey, readonly ObjectKey[]>();
  readonly #made = new Map<ObjectKey, ReadonlyMap<string, Derived>>();
  readonly #dirty = new Units();
  /** Who has a listener for which wildcard, `GATEWAY WILDCARD`. */
  readonly #wildcards = new Map<string, ObjectKey>();
  readonly #wildcardsOf = new Map<ObjectKey, readonly string[]>();

  constructor(options: NativeOptions, lookup: Lookup, sink: IngressSink) {
    this.#options = options;
    this.#lookup = lookup;
    this.#sink = sink;
    this.#claims = new HostClaims((a, b) => this.#compare(a, b), options.sharedHosts);
  }

  /** Whether anything is to be made again. */
  get isDirty(): boolean {
    return this.#dirty.size > 0;
  }

  /** An object came, changed or went, and is so already where it is looked up. */
  observe(kind: string, object: KubernetesObject): void {
    const key = keyOf(object);
    if (kind === 'Ingress') this.#place(key);
    else if (kind === 'IngressClass') {
      const named = [...(this.#byClass.get(key) ?? []), ...(this.#options.withoutClass ? this.#unclassed() : [])];
      for (const ingress of named) this.#place(ingress);
    } else if (kind === 'Gateway' || kind === 'Service' || kind === 'Secret' || kind === 'ConfigMap')
      for (const ingress of this.#reads.changed(idOf(kind, key), this.#look)) this.#mark(ingress, new Set());
  }

  /**
   * Makes what is to be made again. In one step, as a build may follow each: the Ingresses with hosts in common, those that a host goes from and to, and
   * those below a wildcard that comes or goes. Between two of these a host would be served by none, or by another.
   */
  *flushing(): Steps<void> {
    // What is made is taken out, and what comes meanwhile is put in.
    for (const unit of this.#dirty.all()) {
      let made = 0;
      for (const key of unit) {
        this.#make(key, unit);
        made += 1;
        if (made % mostInOneStep === 0) yield;
      }
      yield;
    }
  }

  #unclassed = (): Iterable<ObjectKey> => this.#byClass.get('') ?? [];
  #look = (id: string): string =>
    id.startsWith(wildcardId) ? (this.#wildcards.get(id.slice(wildcardId.length)) ?? '') : lookOf(this.#lookup, id);
  #find = (key: ObjectKey): Ingress | undefined => this.#lookup.find('Ingress', key) as Ingress | undefined;

  /** To be made again, with those that it was made with: they may have to do without it. */
  #mark(key: ObjectKey, unit: Unit): void {
    this.#dirty.add(key, unit);
    for (const other of this.#together.get(key) ?? []) this.#dirty.add(other, unit);
  }

  /** Where an Ingress belongs from now on. */
  #place(key: ObjectKey): void {
    const ingress = this.#find(key);
    this.#setClass(key, ingress);
    const before = this.#known.get(key);
    const target = ingress && classGateway(ingress, this.#options, this.#lookup);
    if (before === undefined && target === undefined) return;
    const unit: Unit = new Set();
    const moved = before ? this.#claims.remove(key, before.claims) : [];
    this.#known.delete(key);
    this.#mark(key, unit);
    for (const other of moved) this.#mark(other, unit);
    if (ingress === undefined || target === undefined) return;
    const claims = 'gateway' in target ? claimedHosts(ingress).map((host) => `${target.gateway} ${host}`) : [];
    this.#known.set(key, { target, claims });
    for (const other of this.#claims.add(key, claims)) this.#mark(other, unit);
  }

  #setClass(key: ObjectKey, ingress: Ingress | undefined): void {
    const before = this.#classOf.get(key);
    const name =
      ingress && (ingress.spec.ingressClassName ?? ingress.metadata.annotations?.['kubernetes.io/ingress.class'] ?? '');
    if (before === name) return;
    if (before !== undefined) this.#byClass.get(before)?.delete(key);
    if (before !== undefined && this.#byClass.get(before)?.size === 0) this.#byClass.delete(before);
    if (name === undefined) this.#classOf.delete(key);
    else {
      this.#classOf.set(key, name);
      this.#byClass.set(name, (this.#byClass.get(name) ?? new Set()).add(key));
    }
  }

  /** Makes an Ingress again, with those that have hosts in common with it. */
  #make(start: ObjectKey, unit: Unit): void {
    const known = this.#known.get(start);
    if (known === undefined) {
      this.#dirty.delete(start);
      this.#giveOn(start, undefined, unit);
      return;
    }
    const members = this.#closure(start);
    for (const member of members) this.#dirty.add(member, unit);
    for (const member of members) {
      this.#dirty.delete(member);
      this.#together.set(member, members);
    }
    const { target } = known;
    const reads: Reads = new Set();
    const outcomes = 'fault' in target ? new Map() : this.#tryDerive(members, target.gateway, reads);
    const none: Outcome = { objects: [], faults: 'fault' in target ? [target.fault] : [] };
    for (const member of members) {
      this.#reads.set(member, [...reads], this.#look);
      this.#giveOn(member, outcomes.get(member) ?? none, unit);
    }
  }

  #closure(start: ObjectKey): readonly ObjectKey[] {
    const found = new Set([start]);
    // A set gives what is added to it while it is walked through.
    for (const member of found)
      for (const claim of this.#known.get(member)?.claims ?? [])
        for (const other of this.#claims.besides(member, claim)) found.add(other);
    return [...found].sort();
  }

  /** Of Ingresses that nothing can be made of nothing is served, and all others are. */
  #tryDerive(members: readonly ObjectKey[], gateway: ObjectKey, reads: Reads): ReadonlyMap<ObjectKey, Outcome> {
    try {
      return this.#derive(members, gateway, reads);
    } catch (error) {
      const message = `this is a bug in Gatewright: ${error instanceof Error ? error.message : String(error)}`;
      const faults = [{ reason: 'InternalError', message, isWhole: true as const }];
      return new Map(members.map((member) => [member, { objects: [], faults }]));
    }
  }

  #derive(members: readonly ObjectKey[], gateway: ObjectKey, reads: Reads): ReadonlyMap<ObjectKey, Outcome> {
    reads.add(idOf('Gateway', gateway));
    const listeners = gatewayListeners(gateway, this.#lookup);
    if ('fault' in listeners)
      return new Map(members.map((member) => [member, { objects: [], faults: [listeners.fault] }]));
    const lost = new Map<ObjectKey, IngressFault>();
    const ingresses = members.flatMap((member) => {
      const ingress = this.#find(member);
      if (ingress === undefined) return [];
      const isTaken = (host: string) => !this.#claims.allows(member, `${gateway} ${host}`);
      const taken = claimedHosts(ingress).filter(isTaken);
      const left = withoutHosts(ingress, isTaken);
      if (taken.length > 0) lost.set(member, hostsTaken(taken, claimedHosts(left).length === 0));
      return [left];
    });
    const world = worldOf(ingresses, this.#options, {
      lookup: this.#lookup,
      reads,
      hasDefault: listeners.https.some(({ hostname }) => hostname === ''),
    });
    const ownerOf = otherOwners(members, (wildcard) => {
      reads.add(`${wildcardId}${gateway} ${wildcard}`);
      return this.#wildcards.get(`${gateway} ${wildcard}`);
    });
    const outcomes = derive(world, { gateway, listeners, ownerOf });
    return new Map(
      members.map((member) => {
        const { objects = [], faults = [] } = outcomes.get(member) ?? {};
        const own = lost.get(member);
        return [member, { objects, faults: own ? [own, ...faults] : faults }];
      }),
    );
  }

  /** Gives on what differs from what was made of the Ingress before. */
  #giveOn(key: ObjectKey, outcome: Outcome | undefined, unit: Unit): void {
    const before = this.#made.get(key) ?? new Map<string, Derived>();
    const after = new Map((outcome?.objects ?? []).map((each) => [keyOfDerived(each), each]));
    for (const [id, { kind, object }] of after)
      if (!isDeepStrictEqual(before.get(id)?.object, object)) this.#sink.put(kind, object);
    for (const [id, { kind, object }] of before) if (!after.has(id)) this.#sink.remove(kind, object);
    this.#placeWildcards(key, outcome, unit);
    if (after.size > 0) this.#made.set(key, after);
    else this.#made.delete(key);
    if (outcome === undefined) {
      this.#together.delete(key);
      this.#reads.remove(key);
      this.#sink.outcome(key, undefined);
      return;
    }
    const routes = [...after.values()].filter(({ kind }) => kind === 'HTTPRoute');
    const { target } = this.#known.get(key) ?? {};
    this.#sink.outcome(key, {
      gateway: target && 'gateway' in target ? target.gateway : undefined,
      faults: outcome.faults,
      routes: routes.map(({ object }) => keyOf(object)),
      ...(target?.isAdopted && { isAdopted: true as const }),
    });
  }

  /** Hosts below a wildcard are made again where its listener came or went. */
  #placeWildcards(key: ObjectKey, outcome: Outcome | undefined, unit: Unit): void {
    const { target } = this.#known.get(key) ?? {};
    const gateway = target && 'gateway' in target ? target.gateway : '';
    const before = this.#wildcardsOf.get(key) ?? [];
    const after = wildcardsOf(outcome?.objects ?? []).map((wildcard) => `${gateway} ${wildcard}`);
    if (before.length === 0 && after.length === 0) return;
    if (after.length > 0) this.#wildcardsOf.set(key, after);
    else this.#wildcardsOf.delete(key);
    for (const each of before) if (this.#wildcards.get(each) === key) this.#wildcards.delete(each);
    for (const each of after) this.#wildcards.set(each, key);
    for (const each of new Set([...before, ...after]))
      for (const reader of this.#reads.changed(`${wildcardId}${each}`, this.#look)) this.#mark(reader, unit);
  }

  /** The older first; of equal ages the greater key, as ingress-nginx has it. */
  #compare(a: ObjectKey, b: ObjectKey): number {
    return this.#age(a) - this.#age(b) || (a < b ? 1 : a > b ? -1 : 0);
  }

  #age(key: ObjectKey): number {
    return Date.parse(this.#find(key)?.metadata.creationTimestamp ?? '') || 0;
  }
}

/** Of listeners for wildcards among what is read. */
const wildcardId = 'Wildcard ';

function hostsTaken(hosts: readonly string[], isWhole: boolean): IngressFault {
  const names = hosts.map((host) => (host === '_' ? 'all other hosts' : host));
  const message = `${firstNames(names, 5)}: an Ingress of another namespace had this first, so these requests are not for this one`;
  return { reason: 'HostTaken', message, ...(isWhole && { isWhole: true as const }) };
}
