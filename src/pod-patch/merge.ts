export type Json = Readonly<Record<string, unknown>>;

/** By which field elements of a list are the same, in a pod. Source: `x-kubernetes-patch-merge-key` of PodSpec and what is in it. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  hostAliases: 'ip',
  initContainers: 'name',
  ports: 'containerPort',
  resourceClaims: 'name',
  // Kubernetes replaces the whole list, and with it what lets a proxy bind port 80.
  sysctls: 'name',
  volumeDevices: 'devicePath',
  volumeMounts: 'mountPath',
  volumes: 'name',
};

/** The field that identifies the elements of a list; undefined: the list is replaced as a whole. */
export const mergeKeyOf = (field: string): string | undefined =>
  Object.hasOwn(mergeKeys, field) ? mergeKeys[field] : undefined;

/**
 * An object with a strategic merge patch: objects are merged, elements of lists are found by their merge key and put behind the others where there is
 * none, and all else replaces what is there. Neither argument is changed.
 */
export function patched(base: Json, patch: Json): Json {
  const fields = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) fields.set(name, patchedValue(name, fields.get(name), value));
  return Object.fromEntries(fields);
}

function patchedValue(name: string, below: unknown, value: unknown): unknown {
  if (isJson(value)) return patched(isJson(below) ? below : {}, value);
  const key = mergeKeyOf(name);
  if (!Array.isArray(value) || key === undefined) return value;
  return patchedList(Array.isArray(below) ? below : [], value, key);
}

function patchedList(base: readonly Json[], patch: readonly Json[], key: string): Json[] {
  const found = new Map(base.map((element) => [element[key], element] as const));
  for (const element of patch) found.set(element[key], patched(found.get(element[key]) ?? {}, element));
  return [...found.values()];
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
