import type { ListShape } from '../kit/list.ts';
import { age, type Column, shortId } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';

/** How a line of a data plane reads. */
export const nodeColumns = (now: Date): readonly Column<Wire['node']>[] => [
  { heading: 'node', cell: ({ nodeId }) => nodeId },
  { heading: 'gateway', cell: ({ gateway }) => gateway },
  { heading: 'connected', cell: ({ connected, connectedAt }) => (connected ? age(connectedAt, now) : 'lost') },
  { heading: 'ready', cell: ({ ready }) => (ready ? 'yes' : 'no') },
  { heading: 'config', cell: ({ lastConfigStatus }) => lastConfigStatus ?? '' },
  {
    heading: 'applied',
    cell: ({ lastAckVersion }) => shortId(lastAckVersion),
    wideCell: ({ lastAckVersion }) => lastAckVersion ?? '',
  },
  { heading: 'envoy', isWide: true, cell: ({ envoyVersion }) => envoyVersion ?? '' },
  {
    heading: 'message',
    cell: ({ refusals, refusalCount, lastConfigStatus, lastNackMessage, disconnectReason, gatewayKnown = true }) =>
      refusals[0]
        ? `${rejectionText(refusals[0])}${refusalCount > 1 ? ` (and ${refusalCount - 1} more)` : ''}`
        : ((lastConfigStatus === 'NACK' ? lastNackMessage : disconnectReason) ??
          (gatewayKnown ? '' : 'there is no such Gateway: see node.cluster')),
  },
];

const rejectionText = ({ kind, key, message, heldBackFrom }: Wire['node']['refusals'][number]): string =>
  `rejects ${kind} ${key}, held back from ${heldBackFrom === 'fleet' ? 'all proxies of the Gateway' : 'this one alone'}: ${message}`;

/** What a data plane rejected until it was offered again, one line each. */
export const offeredAgainText = ({ nodeId, refusals }: Wire['offeredAgain']): string =>
  refusals.length === 0
    ? `node ${nodeId} rejects nothing`
    : [`node ${nodeId} is offered again what it rejected:`, ...refusals.map((each) => `  ${rejectionText(each)}`)].join(
        '\n',
      );

/** How data planes are listed. */
export const nodeList = (now: Date): ListShape<Wire['node']> => ({
  columns: nodeColumns(now),
  nameOf: ({ nodeId }) => `node/${nodeId}`,
  empty: 'no data plane has connected yet',
});
