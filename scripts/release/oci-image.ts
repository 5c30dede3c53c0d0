import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { entrypoint, user } from '../image.ts';
import { archive, digestOf } from './archive.ts';

/** As OCI names machines; `process.arch` has other names. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export const architecture = (): string => {
  const known = architectures[process.arch];
  if (known === undefined) throw new Error(`no image for ${process.arch}: Envoy is built for x64 and arm64`);
  return known;
};

export interface ImageParts {
  /** Folders whose contents are layers, the lowest first. */
  readonly layers: readonly string[];
  readonly version: string;
  readonly description: string;
  /** An empty folder to work in. */
  readonly scratch: string;
}

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const mediaTypes = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
} as const;

/**
 * Writes an archive of one image in the OCI image layout, without a daemon: `skopeo copy oci-archive:FILE docker://…`, `ctr image import`, `podman load`.
 * Resolves with the digest of its manifest, which is what a registry names it by. Source: OCI image-spec 1.1, image-layout.md.
 */
export async function writeImage(file: string, { layers, version, description, scratch }: ImageParts): Promise<string> {
  const layout = join(scratch, 'layout');
  await mkdir(join(layout, 'blobs/sha256'), { recursive: true });
  const packed = [];
  for (const layer of layers) packed.push(await packLayer(layer, layout));
  const config = await writeBlob(layout, mediaTypes.config, {
    architecture: architecture(),
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      Entrypoint: entrypoint.split(' '),
      Cmd: ['control-plane'],
      ExposedPorts: Object.fromEntries([18080, 18081, 8081, 8082, 18082].map((port) => [`${port}/tcp`, {}])),
      Labels: {
        'org.opencontainers.image.title': 'Gatewright',
        'org.opencontainers.image.description': description,
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': version,
      },
    },
    rootfs: { type: 'layers', diff_ids: packed.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created_by: 'npm run release' })),
  });
  const manifest = await writeBlob(layout, mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: packed.map(({ blob }) => blob),
  });
  const annotations = { 'org.opencontainers.image.ref.name': version };
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [{ ...manifest, annotations }] };
  await writeFile(join(layout, 'index.json'), JSON.stringify(index));
  await writeFile(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  await archive(layout, file, {});
  await rm(layout, { recursive: true });
  return manifest.digest;
}

async function packLayer(directory: string, layout: string): Promise<{ readonly blob: Blob; readonly diffId: string }> {
  const [plain, packed] = [join(layout, 'layer.tar'), join(layout, 'layer.tar.gz')];
  await archive(directory, plain, {});
  const diffId = `sha256:${await digestOf(plain)}`;
  await pipeline(createReadStream(plain), createGzip({ level: 6 }), createWriteStream(packed));
  await rm(plain);
  const digest = await digestOf(packed);
  const { size } = await stat(packed);
  await rename(packed, join(layout, 'blobs/sha256', digest));
  return { blob: { mediaType: mediaTypes.layer, digest: `sha256:${digest}`, size }, diffId };
}

async function writeBlob(layout: string, mediaType: string, content: object): Promise<Blob> {
  const text = JSON.stringify(content);
  const digest = createHash('sha256').update(text).digest('hex');
  await writeFile(join(layout, 'blobs/sha256', digest), text);
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}
