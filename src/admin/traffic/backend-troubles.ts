import { portOfBackend } from '../../graph/index.ts';
import type { Standing } from '../../traffic/index.ts';
import { isOfBackend } from './trouble-words.ts';

/** What fails of a backend now, by `portOfBackend` of its key: proxies may treat one port in several ways. */
export type BackendTroubles = ReadonlyMap<string, Standing>;

export function indexTroubles({ troubles, endpoints }: Standing): BackendTroubles {
  const index = new Map<
    string,
    { troubles: Standing['troubles'][number][]; endpoints: Standing['endpoints'][number][] }
  >();
  const of = (backend: string) => {
    const port = portOf(backend);
    if (port === undefined) return undefined;
    const known = index.get(port) ?? { troubles: [], endpoints: [] };
    index.set(port, known);
    return known;
  };
  for (const trouble of troubles.filter(isOfBackend)) of(trouble.backend)?.troubles.push(trouble);
  for (const endpoint of endpoints) of(endpoint.backend)?.endpoints.push(endpoint);
  return index;
}

/** Undefined for what is the key of no backend, which another replica of another version may send. */
function portOf(backend: string): string | undefined {
  try {
    return backend === '' ? undefined : portOfBackend(backend);
  } catch {
    return undefined;
  }
}
