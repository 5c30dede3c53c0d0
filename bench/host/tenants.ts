import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { backend, namespace } from '../peer/world.ts';
import type { Typed } from '../support/apply-all.ts';

const apiVersion = 'gateway.networking.k8s.io/v1';

/** The objects of many tenants on one Gateway: a namespace each, with ListenerSets of one HTTPS listener, with HTTPRoutes. */
export class Tenants {
  /** Where their listeners are. */
  readonly port: number;
  readonly #spaces: number;
  readonly #sets: number;
  readonly #routes: number;
  readonly #gateway: string;

  /** `sets` for each of the `spaces`, `routes` for each of those; `gateway`: its name, which is its class's too. */
  constructor(of: {
    readonly spaces: number;
    readonly sets: number;
    readonly routes: number;
    readonly gateway: string;
    readonly port: number;
  }) {
    this.port = of.port;
    this.#spaces = of.spaces;
    this.#sets = of.sets;
    this.#routes = of.routes;
    this.#gateway = of.gateway;
  }

  /** The Gateway, which takes ListenerSets of all namespaces; with a listener of its own on that port. */
  gatewayObject(port: number): KubernetesObject {
    const listeners = [{ name: 'http', port, protocol: 'HTTP' }];
    const allowedListeners = { namespaces: { from: 'All' } };
    const spec = { gatewayClassName: this.#gateway, listeners, allowedListeners };
    return { apiVersion, kind: 'Gateway', metadata: { name: this.#gateway, namespace }, spec };
  }

  namespaces(): Typed[] {
    return this.#names().map((name) => [kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
  }

  /** Certificates, and leave to refer to the backend's Service: a grant each, for one takes 16 namespaces. */
  objects({ certificatePem, keyPem }: { certificatePem: string; keyPem: string }): Typed[] {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const data = { 'tls.crt': base64(certificatePem), 'tls.key': base64(keyPem) };
    return this.#names().flatMap((name): Typed[] => [
      [kinds.Secret, secret(name, data)],
      [kinds.ReferenceGrant, grant(name)],
    ]);
  }

  *listenerSets(): Generator<Typed> {
    for (let space = 0; space < this.#spaces; space += 1) {
      for (let set = 0; set < this.#sets; set += 1) {
        const listener = {
          name: 'https',
          port: this.port,
          protocol: 'HTTPS',
          hostname: `*.s${set}.t${space}.example.com`,
          tls: { certificateRefs: [{ name: 'certificate' }] },
        };
        const spec = { parentRef: { name: this.#gateway, namespace }, listeners: [listener] };
        const metadata = { name: `set-${set}`, namespace: spaceName(space) };
        yield [kinds.ListenerSet, { apiVersion, kind: 'ListenerSet', metadata, spec }];
      }
    }
  }

  *routes(): Generator<Typed> {
    for (let space = 0; space < this.#spaces; space += 1)
      for (let set = 0; set < this.#sets; set += 1)
        for (let at = 0; at < this.#routes; at += 1) yield route({ space, set, at }, hostOf({ space, set, at }));
  }

  /** The host that is written last. */
  get lastHost(): string {
    return hostOf({ space: this.#spaces - 1, set: this.#sets - 1, at: this.#routes - 1 });
  }

  /** A route on a host that no other change has. */
  changedRoute(change: number): { readonly host: string; readonly route: Typed } {
    const place = { space: change % this.#spaces, set: change % this.#sets };
    const host = hostOf({ ...place, at: `new${change}` });
    return { host, route: route({ ...place, at: 0 }, host) };
  }

  #names(): string[] {
    return Array.from({ length: this.#spaces }, (_, space) => spaceName(space));
  }
}

/** True for a route of theirs. */
export const isOfTenant = ({ metadata }: KubernetesObject): boolean =>
  metadata.namespace?.startsWith(spacePrefix) ?? false;

const spacePrefix = 'tenant-';
const spaceName = (space: number): string => `${spacePrefix}${space}`;

interface Place {
  readonly space: number;
  readonly set: number;
  readonly at: number | string;
}

const hostOf = ({ space, set, at }: Place): string => `r${at}.s${set}.t${space}.example.com`;

function secret(of: string, data: object): KubernetesObject {
  const metadata = { name: 'certificate', namespace: of };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data } as KubernetesObject;
}

function grant(to: string): KubernetesObject {
  const from = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: to }];
  const spec = { from, to: [{ group: '', kind: 'Service' }] };
  return { apiVersion, kind: 'ReferenceGrant', metadata: { name: to, namespace }, spec };
}

function route({ space, set, at }: Place, host: string): Typed {
  const spec = {
    parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'ListenerSet', name: `set-${set}` }],
    hostnames: [host],
    rules: [{ backendRefs: [{ name: backend.name, namespace, port: backend.port }] }],
  };
  const metadata = { name: `route-${set}-${at}`, namespace: spaceName(space) };
  return [kinds.HTTPRoute, { apiVersion, kind: 'HTTPRoute', metadata, spec }];
}
