/** GatewayClasses, Gateways, ListenerSets and their listeners. */
export { closedFault } from './addresses.ts';
export { Attachments } from './attachments.ts';
export { anyNamespace, gatewayClassEdges, gatewayEdges, listenerSetEdges, markParent, parentEdges } from './edges.ts';
export { withoutListeners } from './failed-gateway.ts';
export { asksForCertificates } from './frontend-tls.ts';
export { servesClass } from './gateway-class.ts';
export { GatewayClasses } from './gateway-classes.ts';
export { type GatewayCircumstances, gatewayStatus, statusOfSet } from './gateway-status.ts';
export { Gateways } from './gateways.ts';
export { allowsNamespace, listenerAmong } from './listener.ts';
export { PortClaims } from './listener-conflicts.ts';
export { gatewayOfSet, setOfParent } from './listener-set.ts';
export {
  hasHttp3,
  revocationRemarks,
  udpPortsOf,
  whyNoCertificateHeader,
  whyNoHttp3,
  whyNoPins,
} from './listener-settings.ts';
export { listenerViews } from './listener-view.ts';
export { dataPlaneFault, dataPlaneOf, geoDatabasesOf } from './parameters.ts';
export { gatewayOfParent } from './parent-ref.ts';
