import type { PickOutcome } from './ai.ts';
import { failureStatus } from './traffic.ts';

/** gRPC path on which agents report traffic; messages are JSON. Not known to older control planes, which answer UNIMPLEMENTED. */
export const trafficReportPath = '/gatewright.agent.v1.Traffic/Report';

/**
 * What one listener, route and backend did since the report before: names as Envoy has them, requests, those that failed by failureFlags and
 * failureStatus, those of them that are errors, by class of status (none, 1xx … 5xx), milliseconds, by durationBounds, and by flag.
 */
export type TrafficRow = readonly [
  listener: string,
  route: string,
  backend: string,
  requests: number,
  failed: number,
  errors: number,
  classes: readonly number[],
  ms: number,
  slower: readonly number[],
  flags: Readonly<Record<string, number>>,
];

/** Requests to a pool of model servers since the report before: Envoy's name of the pool, and the server's `IP:PORT`, empty where none answered. */
export type PickRow = readonly [pool: string, outcome: PickOutcome, endpoint: string, requests: number];

/** One failed request. Texts are cut by the agent, and by the control plane once more. Times are milliseconds since 1970. */
export interface FailureReport {
  readonly at: number;
  readonly listener: string;
  readonly route: string;
  readonly backend: string;
  readonly endpoint: string;
  /** Empty: not to be shown, or not known. Agents of older releases do not report it. */
  readonly clientAddress: string;
  readonly method: string;
  readonly host: string;
  /** Without its query. */
  readonly path: string;
  readonly protocol: string;
  readonly status: number;
  readonly flags: readonly string[];
  readonly details: string;
  /** Servers that were asked about it, by policies of access, and let it pass: see askedKey. Agents of older releases do not report it. */
  readonly passed?: readonly string[];
  readonly transportFailure: string;
  readonly attempts: number;
  readonly durationMs: number;
  readonly requestId: string;
}

/** An endpoint that a proxy does not use, or that fails its checks, and since when it was seen so. */
export interface EndpointReport {
  /** Envoy's name. */
  readonly backend: string;
  /** `ADDRESS:PORT` */
  readonly address: string;
  readonly verdict: 'health_check_fails' | 'health_check_times_out' | 'ejected';
  readonly since: number;
}

/** One message of an agent. The same may come twice: `boot` and `sequence` name it. */
export interface TrafficReport {
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway. */
  readonly cluster: string;
  /** Made up by the agent at its start. */
  readonly boot: string;
  readonly sequence: number;
  /** Whether it was sent before, and had no answer: a control plane may have it. Agents of older releases do not say so. */
  readonly again?: boolean;
  /** By the agent's clock, as all times here are; the control plane takes what they differ by from it. */
  readonly sentAt: number;
  /** When what is counted began and ended; null: it brings no counts. */
  readonly counted: {
    readonly from: number;
    readonly to: number;
    readonly rows: readonly TrafficRow[];
    /** Agents of older releases do not report it. */
    readonly picks?: readonly PickRow[];
  } | null;
  /** Whether counts are missing: Envoy or the agent had too many, or could not report them in time. */
  readonly complete: boolean;
  readonly failures: readonly FailureReport[];
  /** All there are now; null: as before. */
  readonly endpoints: readonly EndpointReport[] | null;
}

/** What agents keep to, and the control plane holds them to. */
export const trafficLimits = {
  /** Of one report; more go into further ones. */
  rows: 2000,
  rowsAtOnce: 25_000,
  picks: 2000,
  failures: 200,
  /** Of one failure. */
  passed: 32,
  endpoints: 1000,
  reportBytes: 2 * 1024 * 1024,
  /** Characters. */
  host: 255,
  path: 512,
  name: 1024,
  text: 256,
} as const;

/** Whether a request counts as failed, and as an error. A denial of an authorization service failed, and is no error; a client that went away is neither. */
export function judged(
  status: number,
  flags: readonly string[],
  isFailureFlag: (flag: string) => boolean,
): { readonly failed: boolean; readonly error: boolean } {
  const failed = status >= failureStatus || flags.some(isFailureFlag);
  const isDenial = status < failureStatus && status > 0 && flags.includes('UAEX');
  return { failed, error: failed && !isDenial };
}
