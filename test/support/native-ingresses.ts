import { type KindName, type KubernetesObject, keyOf, objectKey } from '../../src/gateway-api/index.ts';
import { NativeIngresses, type NativeOptions, type ServedIngress } from '../../src/ingress/native/index.ts';

export const ingressController = 'gatewright.dev/ingress-controller';

export const nativeOptions: NativeOptions = {
  controllerName: ingressController,
  gateway: undefined,
  adopt: [],
  sharedHosts: false,
  withoutClass: false,
  hsts: false,
};

/** A class of ours whose Gateway is `edge` of a namespace. */
export const ownClass = (name = 'gatewright', more: object = {}, namespace = 'infra'): KubernetesObject =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name, ...more },
    spec: {
      controller: ingressController,
      parameters: {
        apiGroup: 'gateway.networking.k8s.io',
        kind: 'Gateway',
        name: 'edge',
        namespace,
        scope: 'Namespace',
      },
    },
  }) as KubernetesObject;

const all = { namespaces: { from: 'All' } };

export const edgeGateway = (...more: readonly object[]): KubernetesObject =>
  ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge', namespace: 'infra' },
    spec: {
      gatewayClassName: 'gatewright',
      listeners: [{ name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: all }, ...more],
      allowedListeners: all,
    },
  }) as KubernetesObject;

export interface IngressText {
  readonly namespace?: string;
  readonly host?: string;
  readonly paths?: readonly string[];
  readonly type?: string;
  readonly service?: string;
  readonly port?: object;
  readonly created?: string;
  /** Without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly className?: string | undefined;
  /** Of its spec. */
  readonly more?: object;
}

/** An Ingress of our class, by default in `shop` with path `/` of `a.test` to Service `web`. */
export function servedIngress(name: string, given: IngressText = {}): KubernetesObject {
  const { namespace = 'shop', host = 'a.test', paths = ['/'], type = 'Prefix', service = 'web', more = {} } = given;
  const { port = { number: 80 }, created = '2026-01-01T00:00:00Z', annotations = {} } = given;
  const className = 'className' in given ? given.className : 'gatewright';
  const backend = { service: { name: service, port } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace,
      creationTimestamp: created,
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([short, value]) => [`nginx.ingress.kubernetes.io/${short}`, value]),
      ),
    },
    spec: {
      ...(className !== undefined && { ingressClassName: className }),
      rules: [
        {
          ...(host !== '' && { host }),
          http: { paths: paths.map((path) => ({ path, pathType: type, backend })) },
        },
      ],
      ...more,
    },
  } as KubernetesObject;
}

export const servedService = (name: string, namespace = 'shop', spec: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80 }], ...spec },
  }) as KubernetesObject;

/** What Ingresses become, in memory: objects go in, and what was made comes out. */
export function nativeWorld(options: Partial<NativeOptions> = {}, ...first: readonly KubernetesObject[]) {
  const stored = new Map<string, KubernetesObject>();
  const made = new Map<string, KubernetesObject>();
  const outcomes = new Map<string, ServedIngress>();
  /** `KIND KEY` of what was put or removed since it was emptied. */
  const touched: string[] = [];
  const idOf = (kind: string, object: KubernetesObject) => `${kind} ${keyOf(object)}`;
  const native = new NativeIngresses(
    { ...nativeOptions, ...options },
    {
      find: (kind, key) => stored.get(`${kind} ${key}`),
      list: (kind) => [...stored.values()].filter((object) => object.kind === kind),
    },
    {
      put(kind: KindName, object) {
        made.set(idOf(kind, object), object);
        touched.push(idOf(kind, object));
      },
      remove(kind: KindName, object) {
        made.delete(idOf(kind, object));
        touched.push(idOf(kind, object));
      },
      outcome(ingress, outcome) {
        if (outcome === undefined) outcomes.delete(ingress);
        else outcomes.set(ingress, outcome);
      },
    },
  );
  const flush = () => {
    for (const _ of native.flushing()) world.onStep();
  };
  const world = {
    native,
    made,
    outcomes,
    touched,
    /** Called where others, such as a build, may look at what was made so far. */
    onStep: (): void => undefined,
    put(...objects: readonly KubernetesObject[]) {
      for (const object of objects) {
        stored.set(idOf(object.kind, object), object);
        native.observe(object.kind, object);
      }
      flush();
    },
    remove(kind: string, namespace: string, name: string) {
      const object = stored.get(`${kind} ${objectKey(namespace, name)}`);
      if (object === undefined) return;
      stored.delete(idOf(kind, object));
      native.observe(kind, object);
      flush();
    },
    reasons: (ingress: string) => outcomes.get(ingress)?.faults.map(({ reason }) => reason) ?? [],
    message: (ingress: string) => (outcomes.get(ingress)?.faults ?? []).map(({ message }) => message).join('\n'),
    kinds: () => [...made.keys()].sort(),
  };
  world.put(...first);
  return world;
}
