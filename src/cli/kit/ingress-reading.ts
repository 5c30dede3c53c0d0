import { readFile } from 'node:fs/promises';
import type { Config } from '../../config/index.ts';
import { type Kind, kindsRead, type ObjectKey } from '../../gateway-api/index.ts';
import type { DeriveIngresses } from '../../offline/preview/index.ts';
import { findManifestFiles } from '../../sources/index.ts';

/** How files are read, and how their Ingresses are served. */
export interface IngressReading {
  /** Kinds. */
  readonly read: readonly Kind[];
  /** Undefined: no Ingress is served. */
  readonly deriveIngresses: DeriveIngresses | undefined;
}

/**
 * How the Ingresses of some files are served by a control plane with this configuration. Where the configuration does not ask for it, an
 * IngressClass of ours among the files does. Rejects with the file system's error for a path that cannot be read.
 */
export async function ingressReading(
  { ingress: { enabled, gateway, ...options }, envoyPatches }: Pick<Config, 'ingress' | 'envoyPatches'>,
  paths: readonly string[],
): Promise<IngressReading> {
  const others = envoyPatches.enabled ? (['envoyPatches'] as const) : [];
  if (!enabled && !(await haveClass(paths, options.controllerName)))
    return { read: kindsRead(...others), deriveIngresses: undefined };
  const { deriveInto } = await import('../../ingress/native/index.ts');
  const native = { ...options, gateway: gateway as ObjectKey | undefined };
  return { read: kindsRead('ingress', ...others), deriveIngresses: (objects) => deriveInto(objects, native) };
}

/** By their text: which kinds are read has to be known before files are read as objects. */
async function haveClass(paths: readonly string[], controllerName: string): Promise<boolean> {
  for (const path of paths)
    for (const file of await findManifestFiles(path)) {
      const text = await readFile(file, 'utf8');
      if (text.includes('IngressClass') && text.includes(controllerName)) return true;
    }
  return false;
}
