import { isDeepStrictEqual } from 'node:util';
import { clientText } from '../client-text.ts';
import { limits } from '../limits.ts';
import type { Nack } from '../nodes/node-event.ts';
import { databaseFaultsIn, type NodeIdentity } from '../nodes/node-identity.ts';
import type { NodeRecord } from '../nodes/node-record.ts';
import { isNewerEnvoy } from '../nodes/supported-envoy.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import type { ResourceGroup } from '../session/resource-group.ts';
import type { Session } from '../session/session.ts';
import type { Push, SessionObserver } from '../session/session-options.ts';
import type { TrialVerdict } from '../session/trials.ts';
import { isKnownType } from '../session/type-traits.ts';
import type { StreamHost } from './stream-host.ts';

/** A stream whose first request said who it is. */
export interface Served {
  readonly identity: NodeIdentity;
  readonly group: ResourceGroup;
  readonly session: Session;
  readonly record: NodeRecord;
}

/** Reports what happens on one served stream: to the node's record, the metrics, the log and the listeners for node events. */
export class StreamReporter implements SessionObserver {
  readonly #host: StreamHost;
  readonly #peer: string;
  readonly #getServed: () => Served;

  /** `getServed` is called only once the stream is served. */
  constructor(host: StreamHost, peer: string, getServed: () => Served) {
    this.#host = host;
    this.#peer = peer;
    this.#getServed = getServed;
  }

  /** A line that the client caused. */
  log(level: 'info' | 'warn', facts: () => object, message: string): boolean {
    const { nodeId, cluster } = this.#getServed().identity;
    const who = { node_id: nodeId, cluster, peer: this.#peer };
    return this.#host.clientLog.write(level, this.#peer, () => ({ ...who, ...facts() }), message);
  }

  /** `proven`: what the client proved to be, where it had to. */
  connected(variant: string, proven: { readonly identity: string } | undefined): void {
    const { identity } = this.#getServed();
    const versions = { envoy: identity.envoyVersion, agent: identity.version };
    this.log('info', () => ({ stream: variant, ...versions, ...proven }), 'dataplane connected');
    if (isNewerEnvoy(identity.userAgent)) this.log('warn', () => ({ envoy: identity.envoyVersion }), untested);
  }

  /** The node has another stream, which is about to end. */
  superseding(): void {
    const { record } = this.#getServed();
    this.log(
      'warn',
      () => ({ superseded_count: record.view.supersededCount }),
      'draining superseded stream: a newer one has the same node_id',
    );
  }

  sent({ typeUrl, nonce, snapshot, bytes, resources }: Push): void {
    const { record, identity } = this.#getServed();
    record.sent(snapshot);
    this.#host.metrics.pushed({ typeUrl: measured(typeUrl), bytes: bytes.length, resources });
    const what = { node_id: identity.nodeId, type: typeUrl, nonce, snapshot, bytes: bytes.length, resources };
    this.#host.logger.debug(what, 'xDS push');
  }

  acked({ typeUrl, snapshot, nonce, ms }: { typeUrl: string; snapshot: string; nonce: string; ms: number }): void {
    const { record, session } = this.#getServed();
    record.acked({ snapshot, nonce }, session.rejects);
    this.#host.metrics.answered({ typeUrl: measured(typeUrl), status: 'ACK', ms });
    this.#host.emit({ kind: 'acked', node: record.view, typeUrl, snapshot });
  }

  nacked(read: Nack, ms: number): void {
    const { record } = this.#getServed();
    // As much as is shown; what it says of each resource was read before.
    const nack = { ...read, message: clientText(read.message, limits.nackTextKept, '…') };
    const { typeUrl, snapshot, nonce, message, certain } = nack;
    // A batch may be large; who is at fault is said by the NACK that is certain.
    const resources = nack.resources.slice(0, 10).map(({ name, version }) => `${name}@${version}`);
    record.nacked(nack);
    this.#host.metrics.answered({ typeUrl: measured(typeUrl), status: 'NACK', ms });
    this.log(
      'warn',
      () => ({ type: typeUrl, snapshot, nonce, error: message, resources, certain }),
      'xDS push was rejected (NACK)',
    );
    this.#host.emit({ kind: 'nacked', node: record.view, nack });
  }

  rejected(rejection: ClientRejection): void {
    const { record, session } = this.#getServed();
    const { kind, key, message } = rejection;
    record.rejects(session.rejections);
    const error = clientText(message, limits.nackTextKept, '…');
    this.log('warn', () => ({ kind, key, error }), 'Envoy rejected the configuration');
    this.#host.emit({ kind: 'refused', node: record.view, rejection });
  }

  relented(rejection: ClientRejection): void {
    const { record, session } = this.#getServed();
    record.rejects(session.rejections);
    this.#host.emit({ kind: 'relented', node: record.view, rejection });
  }

  trialEnded(verdict: TrialVerdict): void {
    this.#host.metrics.trialEnded(verdict);
  }

  tried(): void {
    const { record, session } = this.#getServed();
    record.tries(session.trials);
    this.#host.emit({ kind: 'tried', node: record.view });
  }

  databases(text: string | undefined): void {
    const { record } = this.#getServed();
    const faults = databaseFaultsIn(text);
    // A client that repeats itself makes no work.
    if (isDeepStrictEqual(faults, record.view.databaseFaults)) return;
    record.databases(faults);
    this.#host.emit({ kind: 'databases', node: record.view });
  }

  applied(snapshot: string): void {
    const { record, identity } = this.#getServed();
    record.applied(snapshot);
    this.#host.logger.debug({ node_id: identity.nodeId, snapshot }, 'snapshot applied');
    this.#host.emit({ kind: 'applied', node: record.view, snapshot });
  }
}

const untested = 'this Envoy is newer than the one that configuration is tested with';

// A series of metrics for each text that clients make up would never end.
const measured = (typeUrl: string): string => (isKnownType(typeUrl) ? typeUrl : 'other');
