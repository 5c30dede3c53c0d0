import { readFetchedJwks } from './jwks.ts';

/** What became of fetching keys: the content of the ConfigMap `gatewright-keys-DIGEST` of the control plane's namespace. */
export interface KeptKeys {
  /** A JSON Web Key Set with public keys alone; undefined: they were never fetched. */
  readonly keys?: string;
  /** Of the issuer's discovery document. */
  readonly discovered?: Discovered;
  /** When they were fetched, in ISO 8601. */
  readonly fetchedAt?: string;
  /** Stands for the authorities that the server was checked by; undefined: those of the system. */
  readonly trust?: string;
  /** Why they cannot be fetched now. */
  readonly failure?: KeysFailure;
}

export interface KeysFailure {
  readonly reason: 'KeysNotFetched' | 'DiscoveryFailed';
  readonly message: string;
  /** In ISO 8601. */
  readonly since: string;
}

/** What logging in needs to know of an issuer. */
export interface Discovered {
  readonly authorization?: string;
  readonly token?: string;
  readonly endSession?: string;
}

interface ConfigMap {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** Says which ConfigMaps are ours to remove. */
const keysLabel = { name: 'gatewright.dev/fetched-keys', value: 'true' } as const;

/** It changes with each fetch, and no build depends on it. */
const fetchedAtAnnotation = 'gatewright.dev/fetched-at';
const trustAnnotation = 'gatewright.dev/fetched-with-trust';

const entries = { keys: 'jwks.json', discovered: 'discovery.json', failure: 'failure.json', source: 'source' } as const;

/** Reads what is kept; undefined: nothing is. What cannot be read counts as not there. */
export function readKept(configMap: ConfigMap | undefined): KeptKeys | undefined {
  if (!configMap) return undefined;
  const { data = {}, metadata } = configMap;
  const keys = keysIn(data);
  const discovered = parsed(data[entries.discovered]) as Discovered | undefined;
  const failure = parsed(data[entries.failure]) as KeysFailure | undefined;
  const { [fetchedAtAnnotation]: fetchedAt, [trustAnnotation]: trust } = metadata.annotations ?? {};
  return {
    ...(keys !== undefined && { keys }),
    ...(discovered && { discovered }),
    ...(fetchedAt !== undefined && { fetchedAt }),
    ...(trust !== undefined && { trust }),
    ...(failure && { failure }),
  };
}

/** By data of a ConfigMap: to check a large set takes milliseconds, and policies are resolved again and again. */
const checked = new WeakMap<object, string | undefined>();

/** A hand or an earlier release may have kept what proxies reject. */
function keysIn(data: Readonly<Record<string, string>>): string | undefined {
  if (checked.has(data)) return checked.get(data);
  const text = data[entries.keys];
  const read = text === undefined ? undefined : readFetchedJwks(text);
  const keys = read && 'keys' in read ? read.keys : undefined;
  checked.set(data, keys);
  return keys;
}

/** `labels`: what else it is labelled with, so that all of its entries are read. */
export function keptConfigMap(
  place: { readonly namespace: string; readonly name: string; readonly source: string },
  { keys, discovered, fetchedAt, trust, failure }: KeptKeys,
  labels: Readonly<Record<string, string>>,
) {
  const annotations = {
    ...(fetchedAt !== undefined && { [fetchedAtAnnotation]: fetchedAt }),
    ...(trust !== undefined && { [trustAnnotation]: trust }),
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: place.namespace,
      name: place.name,
      labels: { [keysLabel.name]: keysLabel.value, ...labels },
      ...(fetchedAt !== undefined && { annotations }),
    },
    data: {
      [entries.source]: place.source,
      ...(keys !== undefined && { [entries.keys]: keys }),
      ...(discovered && { [entries.discovered]: JSON.stringify(discovered) }),
      ...(failure && { [entries.failure]: JSON.stringify(failure) }),
    },
  };
}

function parsed(text: string | undefined): unknown {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
