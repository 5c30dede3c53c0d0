import { namespaceOfKey, type ObjectKey } from '../../gateway-api/index.ts';

/** Compares Ingresses by who was there first. */
export type Order = (a: ObjectKey, b: ObjectKey) => number;

interface Claim {
  readonly members: Set<ObjectKey>;
  /** The namespace of the first of them. */
  owner: string;
}

/** Which Ingresses want which hosts of which Gateway. A host belongs to the namespace whose Ingress had it first. */
export class HostClaims {
  readonly #claims = new Map<string, Claim>();
  readonly #order: Order;
  readonly #isShared: boolean;

  constructor(order: Order, isShared: boolean) {
    this.#order = order;
    this.#isShared = isShared;
  }

  /** `hosts`: with their Gateway. Gives the Ingresses that win or lose a host by this. */
  add(ingress: ObjectKey, hosts: readonly string[]): ReadonlySet<ObjectKey> {
    const moved = new Set<ObjectKey>();
    for (const host of hosts) {
      const claim = this.#claims.get(host) ?? { members: new Set(), owner: namespaceOfKey(ingress) };
      this.#claims.set(host, claim);
      claim.members.add(ingress);
      this.#renew(claim, moved);
    }
    return moved;
  }

  /** The same of an Ingress that wants the hosts no more. */
  remove(ingress: ObjectKey, hosts: readonly string[]): ReadonlySet<ObjectKey> {
    const moved = new Set<ObjectKey>();
    for (const host of hosts) {
      const claim = this.#claims.get(host);
      claim?.members.delete(ingress);
      if (claim?.members.size === 0) this.#claims.delete(host);
      else if (claim) this.#renew(claim, moved);
    }
    return moved;
  }

  /** Whether the Ingress may have the host. */
  allows(ingress: ObjectKey, host: string): boolean {
    return this.#isShared || this.#claims.get(host)?.owner === namespaceOfKey(ingress);
  }

  /** Those that are served together with the Ingress at the host. */
  besides(ingress: ObjectKey, host: string): readonly ObjectKey[] {
    if (!this.allows(ingress, host)) return [];
    return [...(this.#claims.get(host)?.members ?? [])].filter((each) => this.allows(each, host));
  }

  #renew(claim: Claim, moved: Set<ObjectKey>): void {
    if (this.#isShared) return;
    let first: ObjectKey | undefined;
    for (const each of claim.members) if (first === undefined || this.#order(each, first) < 0) first = each;
    const owner = namespaceOfKey(first ?? '');
    if (owner === claim.owner) return;
    claim.owner = owner;
    for (const each of claim.members) moved.add(each);
  }
}
