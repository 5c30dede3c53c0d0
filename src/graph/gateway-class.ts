import { type GatewayClassStatus, type ObjectByKind, supportedFeatures } from '../gateway-api/index.ts';
import { conditionOf, type Fault } from './condition.ts';

type GatewayClassObject = ObjectByKind['GatewayClass'];

/** Whether Gateways of the class are ours to serve. */
export const servesClass = (gatewayClass: GatewayClassObject | undefined, controllerName: string): boolean =>
  gatewayClass?.spec.controllerName === controllerName && !parametersFault(gatewayClass);

const parametersFault = ({ spec }: GatewayClassObject): Fault | undefined => unknownParameters(spec.parametersRef);

/** Parameters, of a class or of a Gateway, that nobody here can read. Source: GatewayClassReasonInvalidParameters, GatewayReasonInvalidParameters. */
export function unknownParameters(
  parametersRef: { readonly group: string; readonly kind: string } | undefined,
): Fault | undefined {
  if (!parametersRef) return undefined;
  const message = `parametersRef names a ${parametersRef.group}/${parametersRef.kind}, which is not a kind of parameters known here: remove it`;
  return { reason: 'InvalidParameters', message };
}

/** The status of a class of ours. Source: Gateway API, GatewayClassStatus; GEP-2162 for supportedFeatures. */
export function gatewayClassStatus(gatewayClass: GatewayClassObject): GatewayClassStatus {
  const generation = gatewayClass.metadata.generation ?? 0;
  return {
    kind: 'GatewayClass',
    conditions: [conditionOf('Accepted', generation, parametersFault(gatewayClass))],
    supportedFeatures: supportedFeatures.map((name) => ({ name })),
  };
}
