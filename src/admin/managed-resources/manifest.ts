import { type KubernetesObject, type Metadata, parseApiVersion } from '../../gateway-api/index.ts';
import { HttpError } from '../http/index.ts';
import { clusterScope, getManifestKind } from './managed-kinds.ts';
import { isName, isVersion } from './names.ts';
import type { Manifest, ResourceRef } from './resource-store.ts';

/** What only a server writes in `metadata`. `uid` and `resourceVersion` stay: they say which object, at which version, is meant. */
const serverOnly: readonly string[] = [
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'selfLink',
];

/** One object of a managed kind. Throws a 400 when it is none, or a 422 when it has no name. */
export function manifestOf(value: unknown): Manifest {
  if (!isRecord(value)) throw malformed('', 'is not an object with apiVersion, kind and metadata');
  const { status: _, apiVersion, kind: kindName, metadata, ...rest } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') throw malformed('apiVersion', 'is missing');
  if (typeof kindName !== 'string' || kindName === '') throw malformed('kind', 'is missing');
  const { group, version } = parseApiVersion(apiVersion);
  const kind = getManifestKind(group, kindName);
  const { name, namespace } = isRecord(metadata) ? metadata : {};
  if (!isRecord(metadata) || typeof name !== 'string' || name === '')
    throw invalid(`the ${kind.name} has no name`, 'metadata.name', 'is required');
  const what = `${kind.name} ${name}`;
  if (!isName(name)) throw invalid(what, 'metadata.name', 'must be lower-case letters, digits, "-" and "."');
  if (namespace !== undefined && (typeof namespace !== 'string' || !isName(namespace)))
    throw invalid(what, 'metadata.namespace', 'must be the name of a namespace');
  if (!isVersion(version)) throw invalid(what, 'apiVersion', `${JSON.stringify(version)} is no API version`);
  if (!kind.namespaced && namespace !== undefined)
    throw invalid(what, 'metadata.namespace', `${kind.name} has no namespace`);
  const ref: ResourceRef = {
    kind,
    name,
    namespace: kind.namespaced ? ((namespace as string) ?? 'default') : undefined,
  };
  const written = Object.fromEntries(Object.entries(metadata).filter(([key]) => !serverOnly.includes(key)));
  const scoped = { name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }), ...written };
  const object = { apiVersion, kind: kind.name, metadata: scoped as unknown as Metadata, ...rest } as KubernetesObject;
  return { ref, version, object };
}

/** The manifest of a body for the object of a path. Throws a 400 that names what differs; a namespace may be left out. */
export function manifestFor(ref: ResourceRef, value: unknown): Manifest {
  const inNamespace = isRecord(value) && isRecord(value.metadata) ? { ...value.metadata } : undefined;
  if (inNamespace !== undefined && ref.namespace !== undefined) inNamespace.namespace ??= ref.namespace;
  const manifest = manifestOf(inNamespace === undefined ? value : { ...(value as object), metadata: inNamespace });
  const parts = [
    { path: 'kind', body: manifest.ref.kind.name, asked: ref.kind.name },
    { path: 'metadata.namespace', body: manifest.ref.namespace ?? clusterScope, asked: ref.namespace ?? clusterScope },
    { path: 'metadata.name', body: manifest.ref.name, asked: ref.name },
  ];
  const details = parts
    .filter(({ body, asked }) => body !== asked)
    .map(({ path, body, asked }) => ({ path, message: `is ${body} in the body and ${asked} in the path` }));
  if (details.length > 0) throw new HttpError('path_mismatch', 'body and path name different objects', { details });
  return manifest;
}

/** `HTTPRoute default/shop` */
export const refText = ({ kind, namespace, name }: ResourceRef): string =>
  `${kind.name} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** A 404 for an object that is not there. */
export const notFound = (ref: ResourceRef): HttpError =>
  new HttpError('resource_not_found', `there is no ${refText(ref)}`);

const malformed = (path: string, message: string): HttpError =>
  new HttpError('body_malformed', path === '' ? `the body ${message}` : `${path} ${message}`, {
    details: [{ path, message }],
  });

const invalid = (what: string, path: string, message: string): HttpError =>
  new HttpError('resource_invalid', `${what}: ${path}: ${message}`, { details: [{ path, message }] });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
