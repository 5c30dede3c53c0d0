import type { Condition, GatewayStatus, ListenerSetStatus } from '../../gateway-api/index.ts';
import {
  allListeners,
  type ConditionFault,
  combineFaults,
  conditionOf,
  type DataPlaneState,
  noteConditions,
  noteKey,
  type ResolvedGateway,
  type ResolvedListener,
  type ResolvedListenerSet,
  type TargetNote,
} from '../model/index.ts';
import { addressesCondition, addressFault, closedFault, unsupportedAddress } from './addresses.ts';
import { assignAddresses } from './assigned-addresses.ts';
import { allowsInsecureClients } from './frontend-tls.ts';
import { isAttached, listenerSetStatus } from './listener-set.ts';
import { listenerStatus } from './listener-status.ts';

/** What a Gateway's status depends on besides its own resolving. */
export interface GatewayCircumstances {
  readonly dataPlane: DataPlaneState | undefined;
  /** The status has had addresses: clients may know them, so that they stay while no proxy is ready. */
  readonly isKnown: boolean;
  /** A proxy of the Gateway has applied its listeners as they are now. */
  readonly acknowledged: boolean;
  /** By ResolvedListener.id. */
  readonly attachedRoutes: (listener: string) => number;
  /** What proxies reject of a listener. */
  readonly rejectionOf: (listener: ResolvedListener) => ConditionFault | undefined;
  /** What proxies reject of the certificate that they show to backends. */
  readonly clientCertificateRejection: ConditionFault | undefined;
}

/** The most addresses that a status may have. Source: GatewayStatus.addresses. */
const maxAddresses = 16;

/** The desired status of the Gateway. Source: Gateway API, GatewayStatus, GEP-1364. */
export function gatewayStatus(gateway: ResolvedGateway, circumstances: GatewayCircumstances): GatewayStatus {
  const generation = gateway.object.metadata.generation ?? 0;
  const { accept, programmed } = verdict(gateway, circumstances);
  const rejected = rejectedListeners(gateway.listeners, circumstances);
  const countsSets = gateway.sets.size > 0 || gateway.object.spec.allowedListeners !== undefined;
  return {
    kind: 'Gateway',
    addresses: isReached(gateway, circumstances)
      ? assignAddresses(gateway.object, circumstances.dataPlane).addresses.slice(0, maxAddresses)
      : [],
    conditions: [
      conditionOf('Accepted', generation, accept.fault, accept.good),
      conditionOf('Programmed', generation, accept.fault ? programmed : (rejected ?? programmed)),
      ...addressesCondition(gateway.object, generation, circumstances.dataPlane),
      ...tlsConditions(gateway, generation, circumstances.clientCertificateRejection),
      ...noteConditions(notesOf(gateway, gateway.object), generation),
    ],
    listeners: gateway.listeners.map((listener) =>
      listenerStatus(
        listener,
        generation,
        circumstances.attachedRoutes(listener.id),
        circumstances.rejectionOf(listener) ?? programmed,
        gateway.notes.get(noteKey(listener.owner, listener.name)),
      ),
    ),
    ...(countsSets && { attachedListenerSets: [...gateway.sets.values()].filter(isAttached).length }),
  };
}

/** What it says of policies that are for all of an object. */
const notesOf = (
  { notes }: ResolvedGateway,
  { kind, metadata: { namespace = '', name } }: ResolvedGateway['object'] | ResolvedListenerSet['object'],
): readonly TargetNote[] | undefined => notes.get(noteKey({ kind, namespace, name }));

/** An address appears when a client can use it. */
const isReached = (gateway: ResolvedGateway, { dataPlane, isKnown }: GatewayCircumstances): boolean =>
  isKnown || closedFault(gateway, dataPlane) === undefined;

/** The desired status of a ListenerSet of the Gateway. */
export function statusOfSet(
  set: ResolvedListenerSet,
  gateway: ResolvedGateway,
  circumstances: GatewayCircumstances,
): ListenerSetStatus {
  const { accept, programmed } = verdict(gateway, circumstances);
  const { attachedRoutes, rejectionOf } = circumstances;
  const rejected = rejectedListeners(set.listeners, circumstances);
  return listenerSetStatus(set, {
    parentFault: accept.fault,
    programmed,
    rejected,
    attachedRoutes,
    rejectionOf,
    notes: notesOf(gateway, set.object),
    notesOf: ({ owner, name }) => gateway.notes.get(noteKey(owner, name)),
  });
}

/** What proxies reject of listeners that one object declares. */
const rejectedListeners = (
  listeners: readonly ResolvedListener[],
  { rejectionOf }: Pick<GatewayCircumstances, 'rejectionOf'>,
): ConditionFault | undefined =>
  combineFaults(
    listeners.flatMap((listener) => {
      const fault = rejectionOf(listener);
      return fault ? { ...fault, message: `${listener.name}: ${fault.message}` } : [];
    }),
  );

/** Whether the Gateway as a whole is good, and why its proxies do not serve it yet, if so. */
function verdict(gateway: ResolvedGateway, circumstances: GatewayCircumstances) {
  const { object, parameters } = gateway;
  const unsupported = unsupportedAddress(object) ?? parameters.fault;
  const accept = unsupported ? { fault: unsupported } : acceptance(gateway);
  const programmed = accept.fault
    ? { reason: 'Invalid', message: accept.fault.message }
    : programmedFault(gateway, circumstances);
  return { accept, programmed };
}

/** Only where the Gateway sets frontend TLS. Source: GatewayConditionResolvedRefs, GatewayConditionInsecureFrontendValidationMode. */
function tlsConditions(
  { object, clientCertificate }: ResolvedGateway,
  generation: number,
  rejection: ConditionFault | undefined,
): Condition[] {
  const fault = clientCertificate && 'fault' in clientCertificate ? clientCertificate.fault : rejection;
  return [
    ...(clientCertificate ? [conditionOf('ResolvedRefs', generation, fault)] : []),
    ...(allowsInsecureClients(object)
      ? [
          conditionOf('InsecureFrontendValidationMode', generation, undefined, {
            reason: 'ConfigurationChanged',
            message: 'Clients without a valid certificate are let in by mode AllowInsecureFallback of tls.frontend',
          }),
        ]
      : []),
  ];
}

/** A Gateway whose own listeners are all wrong still serves what ListenerSets bring. */
function acceptance(gateway: ResolvedGateway): { readonly fault?: ConditionFault; readonly good?: ConditionFault } {
  const wrong = gateway.listeners.filter(({ acceptFault, referenceFault }) => acceptFault ?? referenceFault);
  if (wrong.length === 0) return {};
  const detail = wrong
    .map(({ name, acceptFault, referenceFault }) => `${name}: ${(acceptFault ?? referenceFault)?.message}`)
    .join('; ');
  const verdict = { reason: 'ListenersNotValid', message: `Listeners with problems: ${detail}` };
  return allListeners(gateway).some(({ serves }) => serves) ? { good: verdict } : { fault: verdict };
}

function programmedFault(
  gateway: ResolvedGateway,
  { dataPlane, acknowledged }: GatewayCircumstances,
): ConditionFault | undefined {
  const fault = addressFault(gateway.object, dataPlane);
  if (fault) return fault;
  if (dataPlane?.problem !== undefined) return { reason: 'Invalid', message: dataPlane.problem };
  const closed = closedFault(gateway, dataPlane);
  if (closed) return closed;
  if (!acknowledged) return { reason: 'Pending', message: 'No proxy of this Gateway has applied its listeners yet' };
  return undefined;
}
