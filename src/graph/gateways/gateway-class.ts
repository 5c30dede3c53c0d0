import { type GatewayClassStatus, type ObjectByKind, supportedFeatures } from '../../gateway-api/index.ts';
import type { Store } from '../engine/index.ts';
import { conditionOf } from '../model/index.ts';
import { classParametersFault } from './parameters.ts';

type GatewayClassObject = ObjectByKind['GatewayClass'];

/** Whether Gateways of the class are ours. */
export const servesClass = (
  gatewayClass: GatewayClassObject | undefined,
  controllerName: string,
): gatewayClass is GatewayClassObject => gatewayClass?.spec.controllerName === controllerName;

/** The status of a class of ours. Source: Gateway API, GatewayClassStatus; GEP-2162 for supportedFeatures. */
export function gatewayClassStatus(gatewayClass: GatewayClassObject, store: Store): GatewayClassStatus {
  const generation = gatewayClass.metadata.generation ?? 0;
  return {
    kind: 'GatewayClass',
    conditions: [conditionOf('Accepted', generation, classParametersFault(gatewayClass, store))],
    supportedFeatures: supportedFeatures.map((name) => ({ name })),
  };
}
