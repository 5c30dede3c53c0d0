import type { Config } from '../../config/index.ts';
import type { ObjectKey } from '../../gateway-api/index.ts';
import type { BuildIngresses } from './build-ingresses.ts';

/** What serves Ingresses, which is loaded where the configuration asks for it. */
export async function loadIngresses({
  ingress: { enabled, gateway, ...options },
}: Pick<Config, 'ingress'>): Promise<BuildIngresses | undefined> {
  if (!enabled) return undefined;
  const { deriveInto, NativeIngresses } = await import('../../ingress/native/index.ts');
  const native = { ...options, gateway: gateway as ObjectKey | undefined };
  return {
    build: (lookup, sink) => new NativeIngresses(native, lookup, sink),
    deriveInto: (objects) => deriveInto(objects, native),
  };
}
