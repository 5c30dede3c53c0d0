import type { Condition, DataPlaneStatus, ObjectByKind } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import { dataPlaneFault, gatewayClassEdges, servesClass } from '../../graph/gateways/index.ts';
import { conditionOf, describeTrouble } from '../../graph/model/index.ts';

/** The status of a DataPlane that Gateways or classes of ours name, or did when its status was written. */
export function dataPlaneStatus(
  object: ObjectByKind['DataPlane'],
  key: string,
  context: StatusContext,
): Omit<DataPlaneStatus, 'kind' | 'controllerName'> | undefined {
  const { controllerName, gateways, edges, store } = context;
  const attachedGateways = gateways.countOf(key);
  const classes = [...edges.of(gatewayClassEdges.dataPlane).sourcesOf(key)];
  const isNamed = classes.some((name) => servesClass(store.find('GatewayClass', name), controllerName));
  const wasOurs = object.status?.controllerName !== undefined;
  if (!wasOurs && !isNamed && attachedGateways === 0) return undefined;
  const accepted = conditionOf('Accepted', object.metadata.generation ?? 0, dataPlaneFault(object));
  return { attachedGateways, conditions: [accepted, ...brokenDatabases(object, key, context)] };
}

const maxNamed = 4;

/** Databases that it names and that proxies cannot use. Gateways that share proxies say the same. */
function brokenDatabases(
  { metadata, spec }: ObjectByKind['DataPlane'],
  key: string,
  { gateways, proxies }: StatusContext,
): Condition[] {
  const named = spec.geoip?.databases ?? {};
  const found = [...gateways.usersOf(key)].sort().flatMap((gateway) =>
    proxies
      .databaseTroublesAt(gateway)
      .filter(({ database }) => named[database] !== undefined)
      .map((trouble) => ({ gateway, said: describeTrouble(trouble) })),
  );
  const said = new Map(found.map(({ gateway, said }) => [said, `${said} (Gateway ${gateway})`]));
  if (said.size === 0) return [];
  const observedGeneration = metadata.generation ?? 0;
  const rest = said.size - maxNamed;
  const message = [...[...said.values()].slice(0, maxNamed), ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
  return [{ type: 'Degraded', status: 'True', reason: 'DatabaseUnusable', message, observedGeneration }];
}
