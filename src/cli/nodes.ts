import { age, type Column, table } from './table.ts';
import type { Wire } from './wire.ts';

/** How a line of a data plane reads. */
export const nodeColumns = (now: Date): readonly Column<Wire['node']>[] => [
  { heading: 'node', cell: ({ nodeId }) => nodeId },
  { heading: 'gateway', cell: ({ gateway }) => gateway },
  { heading: 'connected', cell: ({ connected, connectedAt }) => (connected ? age(connectedAt, now) : 'no') },
  { heading: 'ready', cell: ({ ready }) => (ready ? 'yes' : 'no') },
  { heading: 'config', cell: ({ lastConfigStatus }) => lastConfigStatus ?? '' },
  { heading: 'applied', cell: ({ lastAckVersion }) => lastAckVersion ?? '' },
  { heading: 'envoy', cell: ({ envoyVersion }) => envoyVersion ?? '' },
  {
    heading: 'message',
    cell: ({ lastConfigStatus, lastNackMessage, disconnectReason }) =>
      (lastConfigStatus === 'NACK' ? lastNackMessage : disconnectReason) ?? '',
  },
];

/** Data planes, one line each. */
export const nodesTable = (nodes: readonly Wire['node'][], now: Date): string =>
  nodes.length === 0 ? 'no data plane has connected yet' : table(nodes, nodeColumns(now));
