import { hostOf } from '../host-of.ts';
import type { TerminationReason, XdsMetrics } from '../metrics.ts';
import type { NodeIdentity } from '../nodes/node-identity.ts';
import { RejectionLog } from '../rejections/rejection-log.ts';
import type { ClientLog } from './client-log.ts';
import type { XdsLogger } from './xds-logger.ts';

interface TurnedAwayOptions {
  readonly logger: XdsLogger;
  readonly metrics: Pick<XdsMetrics, 'connectionRefused'>;
  readonly clientLog: ClientLog;
  /** The Gateway that a name which is none may have meant. */
  readonly nearest: (cluster: string) => string | undefined;
}

/** How a stream ended that was never served. */
export interface UnservedEnd {
  readonly peer: string;
  readonly level: 'info' | 'warn';
  readonly reason: TerminationReason;
  readonly details: string;
}

/** What the log says of clients that are not served, or not yet. They try again and again, so equal lines are held back. */
export class TurnedAway {
  readonly #options: TurnedAwayOptions;
  readonly #lines = new RejectionLog();

  constructor(options: TurnedAwayOptions) {
    this.#options = options;
  }

  /** The node waits for a Gateway that is not there. */
  unknownGateway({ nodeId, cluster }: NodeIdentity, peer: string): void {
    const facts = () => ({ node_id: nodeId, cluster, peer, ...this.#nearestTo(cluster) });
    const what = 'node.cluster names no Gateway that is served: the node waits for it';
    this.#options.clientLog.write('warn', peer, facts, what);
  }

  #nearestTo(cluster: string): { readonly did_you_mean?: string } {
    const nearest = this.#options.nearest(cluster);
    return nearest === undefined ? {} : { did_you_mean: nearest };
  }

  neverServed({ peer, level, reason, details }: UnservedEnd): void {
    const held = this.#admit(`${hostOf(peer)} ${details}`);
    if (held === undefined) return;
    const facts = { peer, reason, details, ...(held > 0 && { held_back: held }) };
    this.#options.logger[level](facts, 'xDS stream rejected or ended before its first request');
  }

  /** A call of a method that there is not. */
  notServed(method: string, peer: string): void {
    const held = this.#admit(`${hostOf(peer)} ${method}`);
    if (held === undefined) return;
    const facts = { peer, method, ...(held > 0 && { held_back: held }) };
    this.#options.logger.warn(facts, 'a method was asked for that is not served: all resources come over ADS');
  }

  /** A connection that never became a stream. */
  lost(peer: string, reason: string): void {
    const { logger, metrics } = this.#options;
    metrics.connectionRefused();
    const held = this.#admit(`${hostOf(peer)} ${reason}`);
    if (held !== undefined)
      logger.warn({ peer, reason: 'unauthenticated', details: reason, held_back: held }, 'xDS connection lost');
  }

  /** Whether a line may be written, and how many like it were not: see RejectionLog. */
  #admit(line: string): number | undefined {
    return this.#lines.admit(line, performance.now());
  }
}
