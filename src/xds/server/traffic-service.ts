import { type Server, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { trafficLimits } from '../../contracts/index.ts';
import { trafficService } from '../methods/index.ts';
import type { NodeClaim } from './admission.ts';
import { type AgentCallOptions, admit, answering, claimOf, decoded, Rejected } from './agent-calls.ts';

/** Keeps what passed through proxies. */
export interface TrafficKeeper {
  /** Whether it knows yet what proxies have. */
  readonly isReady: boolean;
  /**
   * Takes a report, read from JSON and not checked beyond whose it is. Throws an Error, for the agent to read, for one that is not as it should be. A
   * promise: others are asked whether they have it.
   */
  receive(node: NodeClaim, report: Readonly<Record<string, unknown>>): Promise<void> | undefined;
}

export interface TrafficServiceOptions extends AgentCallOptions {
  readonly keeper: TrafficKeeper;
}

const nothing = Buffer.alloc(0);
/** Reports about which others are being asked; of one node there is one. */
const mostPending = 64;

/** Serves what agents report of traffic, beside xDS: a node reports for its own Gateway. An answer means that the report is kept. */
export function serveTraffic(server: Server, options: TrafficServiceOptions): void {
  const pending = new Set<string>();
  const take = async (claim: NodeClaim, report: Readonly<Record<string, unknown>>): Promise<void> => {
    const key = `${claim.cluster}\n${claim.nodeId}`;
    if (pending.has(key)) throw new Rejected(status.UNAVAILABLE, 'the report before has no answer yet');
    if (pending.size >= mostPending) throw new Rejected(status.UNAVAILABLE, 'too many reports come again');
    const taking = decoded(() => options.keeper.receive(claim, report));
    if (taking === undefined) return;
    pending.add(key);
    await taking.finally(() => pending.delete(key));
  };
  server.addService(trafficService, {
    Report: (call: ServerUnaryCall<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>) => {
      void answering(call, done, { log: options.log, what: 'traffic' }, async () => {
        const admission = await admit(call, options);
        if (call.request.length > trafficLimits.reportBytes)
          throw new Rejected(status.RESOURCE_EXHAUSTED, `more than ${trafficLimits.reportBytes} bytes in one report`);
        const report = decoded(() => recordOf(JSON.parse(Buffer.from(call.request).toString())));
        const node = { id: report.nodeId, cluster: report.cluster };
        const claim = claimOf(node, admission, 'a report must carry nodeId and cluster');
        if (!options.keeper.isReady) throw new Rejected(status.UNAVAILABLE, 'no snapshot has been built yet');
        await take(claim, report);
        return nothing;
      });
    },
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('no object');
  return value as Readonly<Record<string, unknown>>;
}
