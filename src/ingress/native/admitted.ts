import { type Ingress, keyOf, type ObjectKey } from '../../gateway-api/index.ts';
import { buildServers, orderedIngresses } from '../model/servers.ts';
import { readSettings } from '../model/settings.ts';
import type { World } from '../world/world.ts';
import type { IngressFault } from './options.ts';

/**
 * The world without Ingresses whose paths its hosts cannot have beside those of older ones: an expression that is none, or a path that is there already
 * in another form. In nginx one of these stops every further change of the whole controller.
 */
export function admitted(world: World): {
  readonly world: World;
  readonly faults: ReadonlyMap<ObjectKey, readonly IngressFault[]>;
} {
  if (faultOf(world) === undefined) return { world, faults: new Map() };
  const faults = new Map<ObjectKey, readonly IngressFault[]>();
  let ingresses: readonly Ingress[] = [];
  for (const ingress of orderedIngresses(world)) {
    const more = [...ingresses, ingress];
    const fault = faultOf({ ...world, ingresses: more });
    if (fault === undefined) ingresses = more;
    else
      faults.set(keyOf(ingress), [
        {
          reason: 'InvalidPath',
          message: `it is not served, since one of its paths cannot be: ${fault}`,
          isWhole: true,
        },
      ]);
  }
  return { world: { ...world, ingresses }, faults };
}

function faultOf(world: World): string | undefined {
  const { all } = buildServers({ world, settings: readSettings(world) });
  return [...all.values()].find(({ locations }) => locations.fault !== undefined)?.locations.fault;
}
