import { keyOf, type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import type { Workload } from './objects.ts';

/** One ingress-nginx: its flags and its ConfigMap. Where none was found, what it does by default. */
export interface Controller {
  /** Undefined: none was found. */
  readonly workload?: { readonly kind: Workload['kind']; readonly key: ObjectKey; readonly image: string };
  /** By name without dashes; `true` for one without a value. The last of several counts. */
  readonly flags: ReadonlyMap<string, string>;
  /** `--ingress-class`: the value of the annotation, and the name of the class under `--ingress-class-by-name`. */
  readonly className: string;
  /** `--controller-class`: `spec.controller` of its IngressClasses. */
  readonly controllerClass: string;
  /** The ConfigMap that it is started with. */
  readonly configMap?: ObjectKey;
  /** The keys of that ConfigMap as they are written; empty without it. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What a workload says of the controller that it runs; undefined for every other workload. */
export function controllerOf(workload: Workload): Omit<Controller, 'settings'> | undefined {
  const { namespace = 'default' } = workload.metadata;
  for (const { image = '', command = [], args = [] } of workload.spec.template.spec.containers) {
    const words = [...command, ...args];
    if (!isController(image, words)) continue;
    const flags = flagsOf(words.map((word) => word.replaceAll('$(POD_NAMESPACE)', namespace)));
    const configMap = flags.get('configmap');
    return {
      workload: { kind: workload.kind, key: keyOf(workload), image },
      flags,
      ...classesOf(flags),
      ...(configMap !== undefined && { configMap: keyIn(namespace, configMap) }),
    };
  }
  return undefined;
}

/** By its program, or by its image where that starts with flags alone. */
const isController = (image: string, words: readonly string[]): boolean =>
  words.some((word) => /(^|\/)nginx-ingress-controller$/.test(word)) ||
  (/(^|\/)(ingress-nginx\/controller(-chroot)?|nginx-ingress-controller)([@:]|$)/.test(image) && words.length > 0);

const keyIn = (namespace: string, name: string): ObjectKey =>
  name.includes('/') ? (name as ObjectKey) : objectKey(namespace, name);

/** What a controller is known by when no workload says it. */
export const controllerWithout = (flags: ReadonlyMap<string, string>): Omit<Controller, 'settings'> => ({
  flags,
  ...classesOf(flags),
});

const classesOf = (flags: ReadonlyMap<string, string>): Pick<Controller, 'className' | 'controllerClass'> => ({
  className: flags.get('ingress-class') ?? 'nginx',
  controllerClass: flags.get('controller-class') ?? 'k8s.io/ingress-nginx',
});

/** `--name=value`, `--name value` and `--name`. */
function flagsOf(words: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>();
  for (const [at, word] of words.entries()) {
    const { name, value } = /^--?(?<name>[a-z0-9][a-z0-9-]*)(?:=(?<value>.*))?$/s.exec(word)?.groups ?? {};
    if (name === undefined) continue;
    const next = words[at + 1];
    flags.set(name, value ?? (next === undefined || next.startsWith('-') ? 'true' : next));
  }
  return flags;
}
