import { type GatewayStatus, type ListenerSetStatus, parseObjectKey } from '../../gateway-api/index.ts';
import type { StatusBook } from '../engine/index.ts';
import {
  allListeners,
  attachmentKey,
  type ListenerView,
  type ResolvedGateway,
  type ResolvedListener,
  routeReference,
} from '../model/index.ts';
import type { Attachments } from './attachments.ts';

/** The listeners of the resolved Gateways and of their ListenerSets, as others may see them. */
export function* listenerViews(
  gateways: Iterable<ResolvedGateway>,
  statuses: StatusBook,
  attachments: Attachments,
): Generator<ListenerView> {
  for (const gateway of gateways) {
    for (const listener of allListeners(gateway)) yield viewOf(listener, gateway, statuses, attachments);
  }
}

function viewOf(
  listener: ResolvedListener,
  { key: gatewayKey, fleet }: ResolvedGateway,
  statuses: StatusBook,
  attachments: Attachments,
): ListenerView {
  const { id, owner, name, port, protocol, spec, clients, certificateRefs } = listener;
  // Looked up when asked for: there may be tens of thousands, and most readers want none of them.
  const attached = () => attachments.committedRoutesOf(attachmentKey(gatewayKey, id));
  const ownStatus = statuses.findCommitted(owner.kind, `${owner.namespace}/${owner.name}`);
  const { listeners } = (ownStatus ?? { listeners: [] }) as GatewayStatus | ListenerSetStatus;
  return {
    name: `${gatewayKey}/${id}`.replaceAll('/', '.'),
    gateway: parseObjectKey(gatewayKey),
    fleet,
    source: owner.kind,
    section: name,
    port,
    protocol,
    ...(spec.hostname && { hostname: spec.hostname }),
    addresses: (statuses.findCommitted('Gateway', gatewayKey) as GatewayStatus | undefined)?.addresses ?? [],
    ...(spec.tls && {
      tls: {
        mode: spec.tls.mode ?? 'Terminate',
        certificates: certificateRefs,
        ...(clients && { frontendValidation: clients.required ? 'AllowValidOnly' : 'AllowInsecureFallback' }),
      },
    }),
    get attachedRoutes() {
      return countOf(attached());
    },
    get routes() {
      return [...attached()].sort().map(routeReference);
    },
    conditions: listeners.find((entry) => entry.name === name)?.conditions ?? [],
  };
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count += 1;
  return count;
}
