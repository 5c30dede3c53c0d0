/** GatewayClasses, Gateways, ListenerSets and their listeners. */
export { anyNamespace, gatewayClassEdges, gatewayEdges, listenerSetEdges, markParent } from './edges.ts';
export { dataPlaneOf } from './parameters.ts';
