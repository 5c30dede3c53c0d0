/** GatewayClasses, Gateways, ListenerSets and their listeners. */

export { describeOwner, type ListenerOwner } from '../model/listener-owner.ts';
export { anyNamespace, gatewayClassEdges, gatewayEdges, listenerSetEdges, markParent } from './edges.ts';
export { servesClass } from './gateway-class.ts';
export type { SettledListener } from './listener.ts';
export {
  hasHttp3,
  type ListenerOwners,
  type PortSettings,
  type SettingsOf,
  type SettledPolicies,
  type SettledSettings,
  udpPortsOf,
  whyNoHttp3,
} from './listener-settings.ts';
export { dataPlaneFault, dataPlaneOf } from './parameters.ts';
