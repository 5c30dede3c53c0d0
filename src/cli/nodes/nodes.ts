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
    cell: (node) => messageOf(node),
  },
];

/** What is worst. */
function messageOf(node: Wire['node']): string {
  const { refusals, refusalCount, lastConfigStatus, lastNackMessage, disconnectReason, gatewayKnown = true } = node;
  const [rejection] = refusals;
  if (rejection) return `${rejectionText(rejection)}${more(refusalCount)}`;
  const ended = lastConfigStatus === 'NACK' ? lastNackMessage : disconnectReason;
  if (ended) return ended;
  if (!gatewayKnown) return 'there is no such Gateway: see node.cluster';
  return trialsText(node) ?? databaseText(node) ?? '';
}

const more = (count: number): string => (count > 1 ? ` (and ${count - 1} more)` : '');

/** Control planes of older releases do not report trials and databases. */
function trialsText({ trials = [] }: Partial<Wire['node']>): string | undefined {
  const first = trials.find(({ state }) => state === 'running') ?? trials[0];
  if (!first) return undefined;
  const what = first.state === 'running' ? 'tries patch' : 'serves patch';
  const how = first.state === 'running' ? ', not served yet' : ', which it could not try';
  return `${what} ${first.key}${how}: ${first.message}${more(trials.length)}`;
}

const databaseText = ({ databaseFaults = [] }: Partial<Wire['node']>): string | undefined =>
  databaseFaults[0] && `${databaseFaults[0].message}${more(databaseFaults.length)}`;

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
