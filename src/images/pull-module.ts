import { type ModuleImage, readReference } from '../contracts/index.ts';
import { PullFault } from './pull-fault.ts';
import { Repository } from './registry.ts';
import type { RegistryClient } from './registry-client.ts';
import { moduleInArchive } from './unpack.ts';

export interface PullClient extends RegistryClient {
  /** Of a module. */
  readonly maxBytes: number;
}

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const maxManifestBytes = 1024 * 1024;

/** How layers are called that are a module as it is. Source: CNCF TAG Runtime "Wasm OCI Artifact Layout"; "WASM Artifact Image Specification". */
const plainTypes: readonly unknown[] = ['application/wasm', 'application/vnd.module.wasm.content.layer.v1+wasm'];

interface Layer {
  readonly mediaType?: unknown;
  readonly digest: string;
  readonly size: number;
}

/** The module that an image has: as its only layer, or as `plugin.wasm` in its last one. Throws PullFault. */
export async function pullModule({ reference }: Pick<ModuleImage, 'reference'>, client: PullClient): Promise<Buffer> {
  const parts = readReference(reference);
  if (!parts) throw new PullFault('it is no reference with a digest');
  const repository = new Repository(parts, client);
  const manifest = await repository.manifest(parts.digest, manifestTypes.join(', '), maxManifestBytes);
  const layer = layerOf(manifest);
  if (layer.size > client.maxBytes)
    throw new PullFault(`its module is ${layer.size} bytes long, and ${client.maxBytes} are allowed`);
  const bytes = await repository.blob(layer.digest, client.maxBytes);
  return plainTypes.includes(layer.mediaType) ? bytes : await moduleInArchive(bytes, client.maxBytes);
}

function layerOf(manifest: Buffer): Layer {
  const { mediaType, layers, manifests } = objectIn(manifest);
  if (manifests !== undefined || (mediaType !== undefined && !manifestTypes.some((type) => type === mediaType)))
    throw new PullFault('it is an index of several images: name the digest of one of them');
  const layer: unknown = Array.isArray(layers) ? layers.at(-1) : undefined;
  if (!isLayer(layer)) throw new PullFault('its manifest has no layer');
  return layer;
}

function objectIn(manifest: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(manifest.toString());
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // As below.
  }
  throw new PullFault('its manifest is no JSON');
}

const isLayer = (value: unknown): value is Layer =>
  typeof value === 'object' &&
  value !== null &&
  'digest' in value &&
  typeof value.digest === 'string' &&
  /^sha256:[0-9a-f]{64}$/.test(value.digest) &&
  'size' in value &&
  Number.isSafeInteger(value.size);
