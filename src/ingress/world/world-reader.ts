import type { ZodError } from 'zod';
import {
  type ConfigMap,
  type EndpointSlice,
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  objectKey,
  type Secret,
  type Service,
} from '../../gateway-api/index.ts';
import { type Controller, controllerOf, controllerWithout } from './controller.ts';
import type { Ingress, IngressClass, Workload } from './objects.ts';
import { apiVersions, schemas } from './schema.ts';
import { type ReadKind, readKinds, type World } from './world.ts';

/** What is wrong with one object: it is left out. */
export interface ObjectFault {
  /** `Ingress shop/web`. */
  readonly object: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface WorldOptions {
  /** Kinds that were not looked at. */
  readonly unread: Iterable<ReadKind>;
  /** The controller by the value of its `--ingress-class`; undefined: the only one, or the first by name. */
  readonly className?: string | undefined;
  /** `NAMESPACE/NAME` instead of what the workload says. */
  readonly configMap?: string | undefined;
  /** Objects are as a user writes them, and not as the API server keeps them: what it adds when it stores them is added here. */
  readonly areWritten?: boolean;
}

/** Gathers objects, and makes a world of them. An object that is there twice counts once, as it came last. */
export class WorldReader {
  readonly #objects = new Map<ReadKind, Map<ObjectKey, KubernetesObject>>(readKinds.map((kind) => [kind, new Map()]));

  /** Takes one object of any kind. Kinds that no world has are passed over. Gives what is wrong with it. */
  add(value: unknown): readonly ObjectFault[] {
    const { kind, apiVersion } = (value ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
    if (!isReadKind(kind)) return [];
    if (apiVersion !== apiVersions[kind]) return unknownVersion(value, kind, apiVersion);
    const { success, data, error } = schemas[kind].safeParse(value);
    if (!success) return faultsOf(value, kind, error);
    const object = placed(data as KubernetesObject, kind);
    this.#objects.get(kind)?.set(keyOf(object), object);
    return [];
  }

  /** Kinds of which there is no object. */
  get missing(): ReadKind[] {
    return readKinds.filter((kind) => this.#all(kind).size === 0);
  }

  world({ unread, className, configMap, areWritten = false }: WorldOptions): World {
    const configMaps = this.#all<ConfigMap>('ConfigMap');
    const classes = new Map([...this.#all<IngressClass>('IngressClass')].map(([key, object]) => [String(key), object]));
    const found = this.#controllers();
    const chosen = found.find((each) => className === undefined || each.className === className);
    const controller =
      chosen ?? controllerWithout(new Map(className === undefined ? [] : [['ingress-class', className]]));
    const named = (configMap ?? controller.configMap ?? usualConfigMap(configMaps.keys(), found.length)) as ObjectKey;
    const ingresses = [...this.#all<Ingress>('Ingress').values()].sort(byKey);
    return {
      ingresses: areWritten ? ingresses.map((ingress) => withDefaultClass(ingress, classes)) : ingresses,
      classes,
      services: this.#all<Service>('Service'),
      slices: Map.groupBy(this.#all<EndpointSlice>('EndpointSlice').values(), serviceOf),
      secrets: this.#all<Secret>('Secret'),
      configMaps,
      controller: {
        ...controller,
        ...(named !== undefined && { configMap: named }),
        settings: configMaps.get(named)?.data ?? {},
      },
      otherControllers: found.flatMap(({ workload }) =>
        workload && workload.key !== chosen?.workload?.key ? [workload.key] : [],
      ),
      unread: new Set(unread),
    };
  }

  #controllers(): Omit<Controller, 'settings'>[] {
    const workloads = [...this.#all<Workload>('Deployment').values(), ...this.#all<Workload>('DaemonSet').values()];
    return workloads.sort(byKey).flatMap((workload) => controllerOf(workload) ?? []);
  }

  #all<T extends KubernetesObject>(kind: ReadKind): Map<ObjectKey, T> {
    return this.#objects.get(kind) as Map<ObjectKey, T>;
  }
}

const byKey = (a: KubernetesObject, b: KubernetesObject): number => (keyOf(a) < keyOf(b) ? -1 : 1);

const isReadKind = (kind: unknown): kind is ReadKind => readKinds.includes(kind as ReadKind);

/** Where it is: files may leave out the namespace. */
function placed<T extends KubernetesObject>(object: T, kind: ReadKind): T {
  if (kind === 'IngressClass') return object;
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace || 'default' } };
}

const serviceOf = ({ metadata: { namespace, labels = {} } }: EndpointSlice): ObjectKey =>
  objectKey(namespace, labels['kubernetes.io/service-name'] ?? '');

/** The name that the chart gives to the ConfigMap, if one alone has it and no workload says another. */
function usualConfigMap(keys: Iterable<ObjectKey>, controllers: number): ObjectKey | undefined {
  if (controllers > 0) return undefined;
  const [only, ...others] = [...keys].filter((key) => /[/-]ingress-nginx-controller$/.test(key));
  return others.length === 0 ? only : undefined;
}

/** The API server writes the default class into an Ingress without one when it is created. */
function withDefaultClass(ingress: Ingress, classes: ReadonlyMap<string, IngressClass>): Ingress {
  const { spec, metadata } = ingress;
  if (spec.ingressClassName !== undefined || metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined)
    return ingress;
  const standard = [...classes.values()].filter(
    ({ metadata: { annotations } }) => annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true',
  );
  const [only] = standard;
  return only && standard.length === 1
    ? { ...ingress, spec: { ...spec, ingressClassName: only.metadata.name } }
    : ingress;
}

function unknownVersion(value: unknown, kind: ReadKind, apiVersion: unknown): readonly ObjectFault[] {
  // Another group's kind of the same name, such as a Service of Knative, is none of ours.
  if (kind !== 'Ingress' || !['extensions/v1beta1', 'networking.k8s.io/v1beta1'].includes(String(apiVersion)))
    return [];
  const message = `${apiVersion} ended with Kubernetes 1.22: write it as ${apiVersions.Ingress}`;
  return [{ object: nameOf(value, kind), path: ['apiVersion'], message }];
}

const faultsOf = (value: unknown, kind: ReadKind, error: ZodError): ObjectFault[] =>
  error.issues.slice(0, mostFaults).map(({ path, message }) => ({
    object: nameOf(value, kind),
    path: path.filter((part) => typeof part !== 'symbol'),
    message: message.replace(/^Invalid input: /, ''),
  }));

/** Of one object that are named. */
const mostFaults = 10;

function nameOf(value: unknown, kind: ReadKind): string {
  const { name, namespace } = ((value as { metadata?: unknown }).metadata ?? {}) as {
    name?: unknown;
    namespace?: unknown;
  };
  const text = (part: unknown): string => (typeof part === 'string' ? part.slice(0, 253) : '');
  return `${kind} ${objectKey(text(namespace), text(name))}`.trimEnd();
}
