import { idOf, type SourceObject } from '../kit/objects.ts';
import { mostStandby } from '../kit/standby.ts';
import type { Note } from '../kit/table.ts';
import { type Fields, textAt } from '../kit/values.ts';
import type { BackendsMade } from './backends.ts';
import { egGroup } from './kinds.ts';
import { backendsOf, type Moving, rulesOf } from './moving.ts';
import { noteOf } from './policy.ts';
import type { BackendPolicies } from './services.ts';

/** A Service that a rule names. */
interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
  readonly port: unknown;
}

/**
 * Backends with `fallback` get requests when the others of their rule cannot. Here the BackendPolicies of these others name them, and rules have
 * the others alone.
 */
export class Failovers {
  readonly #moving: Moving;
  readonly #backends: BackendsMade;
  readonly #policies: BackendPolicies;
  readonly #kept = new Map<Fields, readonly Fields[]>();
  readonly #notes = new Map<string, Note[]>();

  constructor(moving: Moving, backends: BackendsMade, policies: BackendPolicies) {
    this.#moving = moving;
    this.#backends = backends;
    this.#policies = policies;
    for (const route of moving.routes) for (const rule of rulesOf(route)) this.#read(route, rule);
  }

  /** The backends of a rule without those that stand by; undefined: all of them. */
  keptOf = (rule: Fields): readonly Fields[] | undefined => this.#kept.get(rule);

  notesOf = (route: SourceObject): readonly Note[] => this.#notes.get(idOf(route)) ?? [];

  #read(route: SourceObject, rule: Fields): void {
    const all = backendsOf(rule);
    const standby = all.filter((ref) => this.#isStandby(ref, route.namespace));
    const others = all.filter((ref) => !standby.includes(ref));
    if (standby.length === 0 || others.length === 0) return;
    const services = standby.map((ref) => this.#serviceOf(ref, route.namespace));
    const targets = others.map((ref) => this.#serviceOf(ref, route.namespace));
    const known = services.filter((service) => service !== undefined);
    if (known.length < services.length || targets.includes(undefined)) {
      const text =
        'hosts outside of the cluster have no failover: all backends of the rule share its requests by weight';
      this.#note(route, 'cannot', text);
      return;
    }
    if (known.length > mostStandby)
      this.#note(route, 'cannot', `a policy has ${mostStandby} of them: the first are kept`);
    for (const target of targets as readonly ServiceRef[]) this.#add(route, target, known.slice(0, mostStandby));
    this.#kept.set(rule, others);
  }

  #add(route: SourceObject, { namespace, name }: ServiceRef, standby: readonly ServiceRef[]): void {
    const backendRefs = standby.map((each) => ({
      name: each.name,
      ...(each.namespace !== namespace && { namespace: each.namespace }),
      port: each.port,
    }));
    for (const { namespace: away } of standby)
      if (away !== namespace)
        this.#note(
          route,
          'decision',
          `write a ReferenceGrant in ${away} for BackendPolicies of ${namespace} to Services`,
        );
    this.#note(route, 'differs', `all rules with Service ${namespace}/${name} get this failover`);
    if (!this.#policies.addFailover(namespace, name, { backendRefs }))
      this.#note(route, 'decision', `Service ${namespace}/${name} has one failover: that of another rule is taken`);
  }

  #isStandby({ group, kind, name, namespace }: Fields, home: string): boolean {
    if (group !== egGroup || kind !== 'Backend') return false;
    const found = this.#moving.objects.find('Backend', typeof namespace === 'string' ? namespace : home, String(name));
    return found?.spec.fallback === true;
  }

  #serviceOf(ref: Fields, home: string): ServiceRef | undefined {
    const namespace = textAt(ref, 'namespace') ?? home;
    const { group = '', kind = 'Service', name, port } = ref;
    if (group === '' && kind === 'Service') return { namespace, name: String(name), port };
    if (group !== egGroup || kind !== 'Backend') return undefined;
    const made = this.#backends.refOf(namespace, String(name));
    return made === undefined || made.kind !== undefined
      ? undefined
      : { namespace, name: String(made.name), port: made.port };
  }

  #note(route: SourceObject, verdict: Note['verdict'], text: string): void {
    const notes = this.#notes.get(idOf(route)) ?? [];
    if (!notes.some((each) => each.text === text)) notes.push(noteOf(verdict, 'rules[].backendRefs', text));
    this.#notes.set(idOf(route), notes);
  }
}
