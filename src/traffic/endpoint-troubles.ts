import type { EndpointReport } from '../contracts/index.ts';
import type { Failure } from './failure-ring.ts';
import { type VerdictCode, verdictOfFailure } from './verdicts.ts';

/** What is wrong with one endpoint. Times are milliseconds since 1970. */
export interface EndpointTrouble {
  readonly fleet: string;
  /** Key of the backend. */
  readonly backend: string;
  /** `ADDRESS:PORT` */
  readonly address: string;
  readonly verdict: VerdictCode;
  /** In the words of a proxy; may be empty. */
  readonly detail: string;
  /** `requests`, or a proxy that checks it. */
  readonly source: 'requests' | 'proxy';
  readonly node: string;
  readonly since: number;
  readonly lastAt: number;
  /** Failed requests that were sent since then. */
  readonly count: number;
}

/** What failed earlier says nothing of now. */
const recentMs = 60_000;
const forgottenMs = 300_000;
const mostEndpoints = 5000;
/** Agents repeat every minute which endpoints fail their checks; one that does not is gone. */
const unrepeatedMs = 180_000;

/** What requests and proxies say of endpoints. */
export class EndpointTroubles {
  readonly #ofRequests = new Map<string, EndpointTrouble>();
  /** By node. */
  readonly #ofProxies = new Map<string, readonly EndpointTrouble[]>();

  /** Takes a failed request of a backend that the fleet has. */
  fail(failure: Omit<Failure, 'id'>): void {
    const verdict = verdictOfFailure(failure);
    const { fleet, backend, endpoint: address, at, node } = failure;
    if (verdict === undefined || address === '' || backend === '') return;
    const key = `${fleet}\n${backend}\n${address}`;
    const known = this.#ofRequests.get(key);
    const goesOn = known !== undefined && known.verdict === verdict.code && at - known.lastAt < forgottenMs;
    if (known === undefined && this.#ofRequests.size >= mostEndpoints) return;
    this.#ofRequests.set(key, {
      fleet,
      backend,
      address,
      verdict: verdict.code,
      detail: verdict.detail,
      source: 'requests',
      node,
      since: goesOn ? known.since : at,
      lastAt: at,
      count: goesOn ? known.count + 1 : 1,
    });
  }

  /** Takes all that a node says now. */
  checked(
    node: { readonly nodeId: string; readonly cluster: string },
    reports: readonly EndpointReport[],
    now: number,
  ): void {
    const { nodeId, cluster: fleet } = node;
    const troubles = reports.map(({ backend, address, verdict, since }): EndpointTrouble => {
      return {
        fleet,
        backend,
        address,
        verdict,
        detail: '',
        source: 'proxy',
        node: nodeId,
        since,
        lastAt: now,
        count: 0,
      };
    });
    this.#ofProxies.set(`${fleet}\n${nodeId}`, troubles);
  }

  /** `fails`: whether requests to the backend of the fleet still fail, for an endpoint that gets no request any more says nothing. */
  list(now: number, fails: (fleet: string, backend: string) => boolean): EndpointTrouble[] {
    for (const [key, { lastAt }] of this.#ofRequests) if (now - lastAt > forgottenMs) this.#ofRequests.delete(key);
    const current = [...this.#ofRequests.values()].filter(
      ({ fleet, backend, lastAt }) => now - lastAt < recentMs || fails(fleet, backend),
    );
    for (const [node, [first]] of this.#ofProxies)
      if (first === undefined || now - first.lastAt > unrepeatedMs) this.#ofProxies.delete(node);
    return [...[...this.#ofProxies.values()].flat(), ...current];
  }
}
