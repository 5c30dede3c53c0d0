import { objectKey } from '../../gateway-api/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import type { Ingress } from '../world/objects.ts';
import { portNumber } from '../world/port-number.ts';
import type { World } from '../world/world.ts';
import { nothing, only, type Part } from './part.ts';

/** `default-backend`: the Service of the namespace that answers while the one of a path has no endpoints. */
export function defaultBackend(settings: SettingsOf, ingress: Ingress, world: World): Part {
  const name = settings.set('default-backend');
  if (name === undefined) return nothing;
  const { namespace } = ingress.metadata;
  const service = world.services.get(objectKey(namespace, name));
  const isKnown = !world.unread.has('Service');
  if (service === undefined && isKnown)
    return only(annotated('default-backend', 'no-effect', `there is no Service ${name} in the namespace`));
  const port = service?.spec.ports?.[0]?.port;
  return {
    findings: [annotated('default-backend'), ...(isKnown ? unreplaced(ingress, world) : [])],
    // All requests go there when no endpoint is left, and none before.
    backend: { failover: { backendRefs: [{ name, ...(port !== undefined && { port }) }], belowHealthyPercent: 1 } },
  };
}

/** Services that are not there, in place of which nginx has the default backend answer too. */
function unreplaced({ metadata: { namespace }, spec: { rules = [] } }: Ingress, world: World): readonly Finding[] {
  const services = rules.flatMap(({ http }) => http?.paths.flatMap(({ backend: { service } }) => service ?? []) ?? []);
  const lost = services.filter(({ name, port }) => {
    const key = objectKey(namespace, name);
    const spec = world.services.get(key)?.spec;
    const number = portNumber(world, key, port?.name || String(port?.number ?? ''));
    return spec?.type !== 'ExternalName' && !spec?.ports?.some((each) => each.port === number);
  });
  return [...new Set(lost.map(({ name }) => name))].map((name) =>
    annotated(
      'default-backend',
      'decision',
      `Service ${name}, or its port, does not exist, and none takes its place: write it, or name the default backend in the path`,
    ),
  );
}
