import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, parseAllDocuments } from 'yaml';

/** The objects of an example's folder, still as documents, so that ports can be moved without losing the rest. */
export function readManifests(directory: string): Document[] {
  const files = readdirSync(directory).filter((name) => /\.ya?ml$/.test(name));
  return files.sort().flatMap((name) => parseAllDocuments(readFileSync(join(directory, name), 'utf8')) as Document[]);
}

export interface EndpointPlace {
  readonly service: string;
  readonly address: string;
  readonly port: number;
  readonly protocol: string;
}

/** Every address and port that an EndpointSlice names. */
export function endpointsIn(documents: readonly Document[]): EndpointPlace[] {
  return objectsOf(documents, 'EndpointSlice').flatMap(({ metadata, ports, endpoints }) =>
    (endpoints ?? []).flatMap(({ addresses }) =>
      (addresses ?? []).flatMap((address) =>
        (ports ?? []).map(({ port, protocol = 'TCP' }) => ({
          service: metadata.labels?.['kubernetes.io/service-name'] ?? '',
          address,
          port,
          protocol,
        })),
      ),
    ),
  );
}

/** The ports that Gateways listen on. */
export const listenerPortsIn = (documents: readonly Document[]): number[] => [
  ...new Set(
    ['Gateway', 'ListenerSet']
      .flatMap((kind) => objectsOf(documents, kind))
      .flatMap(({ spec }) => spec?.listeners?.map(({ port }) => port) ?? []),
  ),
];

/** The port of each AIService, by its name. */
export const aiServicesIn = (documents: readonly Document[]): ReadonlyMap<string, number> =>
  new Map(
    objectsOf(documents, 'AIService').map(
      ({ metadata, spec }) => [metadata.name, spec?.endpoint?.port ?? 443] as const,
    ),
  );

export interface PoolPlace {
  readonly name: string;
  readonly port: number;
  /** Name of its Service. */
  readonly picker: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** Every InferencePool, by its first port. */
export const poolsIn = (documents: readonly Document[]): PoolPlace[] =>
  objectsOf(documents, 'InferencePool').map(({ metadata, spec }) => ({
    name: metadata.name,
    port: spec?.targetPorts?.[0]?.number ?? 0,
    picker: spec?.endpointPickerRef?.name,
    labels: spec?.selector?.matchLabels ?? {},
  }));

/** Every Pod with these labels, and its address. */
export const podsIn = (
  documents: readonly Document[],
  labels: Readonly<Record<string, string>>,
): { readonly name: string; readonly address: string }[] =>
  objectsOf(documents, 'Pod')
    .filter(({ metadata }) => Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value))
    .map(({ metadata, status }) => ({ name: metadata.name, address: status?.podIPs?.[0]?.ip ?? '' }));

/** `NAMESPACE/NAME` of every Gateway. */
export const gatewaysIn = (documents: readonly Document[]): string[] =>
  objectsOf(documents, 'Gateway').map(({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`);

/** Puts Gateways' listeners, EndpointSlices, AIServices, InferencePools and DynamicBackends on other ports. */
export function movePorts(documents: readonly Document[], moved: ReadonlyMap<number, number>): void {
  for (const document of documents) {
    const { kind, spec, ports } = document.toJS() as ManifestObject;
    const endpoint = kind === 'AIService' ? spec?.endpoint?.port : undefined;
    if (endpoint !== undefined) document.setIn(['spec', 'endpoint', 'port'], moved.get(endpoint) ?? endpoint);
    const places: [(string | number)[], number][] =
      kind === 'Gateway' || kind === 'ListenerSet'
        ? (spec?.listeners ?? []).map(({ port }, index) => [['spec', 'listeners', index, 'port'], port])
        : (kind === 'EndpointSlice' ? (ports ?? []) : []).map(({ port }, index) => [['ports', index, 'port'], port]);
    const named = (kind === 'DynamicBackend' ? (spec?.ports ?? []) : []).entries();
    for (const [index, port] of named) places.push([['spec', 'ports', index], port]);
    for (const [index, { number }] of (spec?.targetPorts ?? []).entries())
      places.push([['spec', 'targetPorts', index, 'number'], number]);
    for (const [path, port] of places) document.setIn(path, moved.get(port) ?? port);
  }
}

/** The same in URLs of this machine, as in `https://127.0.0.1:9443`. */
export const moveUrls = (text: string, moved: ReadonlyMap<number, number>): string =>
  text.replace(
    /(?<=\bhttps:\/\/(?:127\.0\.0\.1|(?:[\w-]+\.)*localhost):)\d+/g,
    (port) => `${moved.get(Number(port)) ?? port}`,
  );

interface ManifestObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly listeners?: readonly { readonly port: number }[];
    readonly endpoint?: { readonly port?: number };
    /** Of a DynamicBackend. */
    readonly ports?: readonly number[];
    /** Of an InferencePool. */
    readonly targetPorts?: readonly { readonly number: number }[];
    readonly endpointPickerRef?: { readonly name: string };
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  /** Of a Pod. */
  readonly status?: { readonly podIPs?: readonly { readonly ip: string }[] };
  readonly ports?: readonly { readonly port: number; readonly protocol?: string }[];
  readonly endpoints?: readonly { readonly addresses?: readonly string[] }[];
}

const objectsOf = (documents: readonly Document[], kind: string): ManifestObject[] =>
  documents.map((document) => document.toJS() as ManifestObject).filter((object) => object?.kind === kind);
