import type { Fields, Grant } from '../features/part.ts';
import { nameOf } from './names.ts';
import { objectOf } from './object.ts';
import type { WrittenObject } from './yaml.ts';

const groups = {
  AccessPolicy: 'gatewright.dev',
  HTTPRoute: 'gateway.networking.k8s.io',
  TrafficPolicy: 'gatewright.dev',
} as const;

/** References of Ingresses to other namespaces. ingress-nginx asks no owner for them; the Gateway API asks for a grant of that namespace. */
export class Grants {
  readonly #all = new Map<string, { readonly grant: Grant; readonly home: string; readonly by: Set<string> }>();

  add(home: string, ingress: string, grants: readonly Grant[]): void {
    for (const grant of grants) {
      const id = JSON.stringify([grant.namespace, grant.to, grant.name, grant.from, home]);
      const found = this.#all.get(id) ?? { grant, home, by: new Set() };
      this.#all.set(id, found);
      found.by.add(`${home}/${ingress}`);
    }
  }

  /** By the namespace that grants, in order. */
  objects(): ReadonlyMap<string, readonly WrittenObject[]> {
    const sorted = [...this.#all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    return new Map(
      [...Map.groupBy(sorted, ({ grant }) => grant.namespace)].map(([namespace, some]) => [
        namespace,
        some.map(({ grant, home, by }) => ({
          object: objectOfGrant(grant, home),
          comments: [`its owner agrees to what ingress-nginx lets pass unasked: for ${[...by].sort().join(', ')}`],
        })),
      ]),
    );
  }
}

const objectOfGrant = ({ from, to, namespace, name }: Grant, home: string): Fields =>
  objectOf(
    'gateway.networking.k8s.io/v1beta1',
    'ReferenceGrant',
    { name: nameOf(name, `${to}-for-${from}-of-${home}`.toLowerCase()), namespace },
    { from: [{ group: groups[from], kind: from, namespace: home }], to: [{ group: '', kind: to, name }] },
  );
