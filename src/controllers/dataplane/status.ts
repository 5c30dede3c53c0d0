import type { DataPlaneStatus, ObjectByKind } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import { dataPlaneFault, gatewayClassEdges, servesClass } from '../../graph/gateways/index.ts';
import { conditionOf } from '../../graph/model/index.ts';

/** The status of a DataPlane that Gateways or classes of ours name, or did when its status was written. */
export function dataPlaneStatus(
  object: ObjectByKind['DataPlane'],
  key: string,
  { controllerName, gateways, edges, store }: StatusContext,
): Omit<DataPlaneStatus, 'kind' | 'controllerName'> | undefined {
  const attachedGateways = gateways.countOf(key);
  const classes = [...edges.of(gatewayClassEdges.dataPlane).sourcesOf(key)];
  const isNamed = classes.some((name) => servesClass(store.find('GatewayClass', name), controllerName));
  const wasOurs = object.status?.controllerName !== undefined;
  if (!wasOurs && !isNamed && attachedGateways === 0) return undefined;
  const accepted = conditionOf('Accepted', object.metadata.generation ?? 0, dataPlaneFault(object));
  return { attachedGateways, conditions: [accepted] };
}
