import type { ObjectKey } from '../../gateway-api/index.ts';
import type { World } from './world.ts';

/** A port of a Service by its number: as it is written, or as the Service says. Undefined: it cannot be found out. */
export function portNumber({ services }: World, service: ObjectKey, written: string): number | undefined {
  if (/^\d+$/.test(written)) return Number(written);
  return services.get(service)?.spec.ports?.find(({ name }) => name === written)?.port;
}
