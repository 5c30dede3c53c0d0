import { isIP } from 'node:net';
import {
  durationBounds,
  type EndpointReport,
  type FailureReport,
  type PickRow,
  pickOutcomes,
  type TrafficReport,
  type TrafficRow,
  trafficLimits,
} from '../contracts/index.ts';

/** The longest name of a flag, and the largest number of flags of one row or failure: Envoy has some thirty. */
const flagForm = /^[A-Za-z0-9_]{1,16}$/;
const mostFlags = 40;
const mostCount = 1e12;

/** A report as it should be. Throws an Error that says what is not. Whose it is was checked before. */
export function readReport(report: Readonly<Record<string, unknown>>): TrafficReport {
  const { nodeId, cluster, boot, sequence, again, sentAt, counted, complete, failures, endpoints } = report;
  return {
    nodeId: text('nodeId', nodeId, trafficLimits.name),
    cluster: text('cluster', cluster, trafficLimits.name),
    boot: text('boot', boot, trafficLimits.text),
    sequence: number('sequence', sequence),
    again: again === true,
    sentAt: number('sentAt', sentAt),
    counted: counted === null ? null : readCounted(record('counted', counted)),
    complete: complete === true,
    failures: list('failures', failures, trafficLimits.failures).map(readFailure),
    endpoints: endpoints === null ? null : list('endpoints', endpoints, trafficLimits.endpoints).map(readEndpoint),
  };
}

const readCounted = ({ from, to, rows, picks = [] }: Readonly<Record<string, unknown>>) => ({
  from: number('from', from),
  to: number('to', to),
  rows: list('rows', rows, trafficLimits.rows + 1).map(readRow),
  picks: list('picks', picks, trafficLimits.picks).map(readPick),
});

function readPick(value: unknown): PickRow {
  const [pool, outcome, endpoint, requests] = list('pick', value, 4);
  const known = pickOutcomes.find((each) => each === outcome);
  if (known === undefined) throw new Error('the outcome of a pick is none that there is');
  const address = text('endpoint', endpoint, trafficLimits.text);
  if (address !== '' && !isAddressWithPort(address)) throw new Error('the endpoint of a pick is no address and port');
  return [text('pool', pool, trafficLimits.name), known, address, number('requests', requests)];
}

/** `IP:PORT`, an IPv6 address in brackets. */
function isAddressWithPort(given: string): boolean {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([^:]+)):\d{1,5}$/.exec(given) ?? [];
  return isIP(v6 ?? '') === 6 || isIP(v4 ?? '') === 4;
}

function readRow(value: unknown): TrafficRow {
  const [listener, route, backend, requests, failed, errors, classes, ms, slower, flags] = list('row', value, 10);
  return [
    text('listener', listener, trafficLimits.name),
    text('route', route, trafficLimits.name),
    text('backend', backend, trafficLimits.name),
    number('requests', requests),
    number('failed', failed),
    number('errors', errors),
    numbers('classes', classes, 6),
    number('ms', ms),
    numbers('slower', slower, durationBounds.length),
    readFlags(flags),
  ];
}

function readFlags(value: unknown): Record<string, number> {
  const entries = Object.entries(record('flags', value));
  if (entries.length > mostFlags) throw new Error(`flags has more than ${mostFlags} entries`);
  return Object.fromEntries(entries.map(([flag, count]) => [flagOf(flag), number('flags', count)]));
}

function readFailure(value: unknown): FailureReport {
  const failure = record('failure', value);
  const word = (name: keyof FailureReport, length: number = trafficLimits.text) => text(name, failure[name], length);
  return {
    at: number('at', failure.at),
    listener: word('listener', trafficLimits.name),
    route: word('route', trafficLimits.name),
    backend: word('backend', trafficLimits.name),
    endpoint: word('endpoint'),
    clientAddress: failure.clientAddress === undefined ? '' : addressOf(word('clientAddress')),
    method: word('method'),
    host: word('host', trafficLimits.host),
    path: word('path', trafficLimits.path),
    protocol: word('protocol'),
    status: Math.min(999, number('status', failure.status)),
    flags: list('flags', failure.flags, mostFlags).map(flagOf),
    details: word('details'),
    ...(failure.passed !== undefined && {
      passed: list('passed', failure.passed, trafficLimits.passed).map((each) => text('passed', each, 64)),
    }),
    transportFailure: word('transportFailure'),
    attempts: number('attempts', failure.attempts),
    durationMs: number('durationMs', failure.durationMs),
    requestId: word('requestId'),
  };
}

const addressOf = (given: string): string => (isIP(given) === 0 ? '' : given);

const verdicts = ['health_check_fails', 'health_check_times_out', 'ejected'] as const;

function readEndpoint(value: unknown): EndpointReport {
  const { backend, address, verdict, since } = record('endpoint', value);
  const known = verdicts.find((each) => each === verdict);
  if (known === undefined) throw new Error('endpoint.verdict is none that there is');
  return {
    backend: text('backend', backend, trafficLimits.name),
    address: text('address', address, trafficLimits.text),
    verdict: known,
    since: number('since', since),
  };
}

function flagOf(value: unknown): string {
  if (typeof value !== 'string' || !flagForm.test(value)) throw new Error('a flag is none');
  return value;
}

function text(name: string, value: unknown, length: number): string {
  if (typeof value !== 'string' || value.length > length)
    throw new Error(`${name} is no text of up to ${length} characters`);
  return value;
}

function number(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > mostTime(name))
    throw new Error(`${name} is no whole number in its range`);
  return value;
}

const times: ReadonlySet<string> = new Set(['at', 'from', 'to', 'since', 'sentAt']);
/** Milliseconds since 1970 until the year 2286. */
const mostTime = (name: string): number => (times.has(name) ? 1e13 : mostCount);

function numbers(name: string, value: unknown, length: number): number[] {
  const all = list(name, value, length);
  if (all.length !== length) throw new Error(`${name} has not ${length} entries`);
  return all.map((each) => number(name, each));
}

function list(name: string, value: unknown, length: number): unknown[] {
  if (!Array.isArray(value) || value.length > length) throw new Error(`${name} is no list of up to ${length} entries`);
  return value;
}

function record(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${name} is no object`);
  return value as Readonly<Record<string, unknown>>;
}
