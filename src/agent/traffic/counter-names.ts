import { type PickOutcome, pickCounter, pickOutcomes, trafficPrefix } from '../../contracts/index.ts';

/** What one of Envoy's counters of traffic counts. Listener, route and backend are Envoy's names for them; empty where there was none. */
export interface CounterName {
  /** `rq`, `ms` or `geBOUND`. */
  readonly stat: string;
  readonly listener: string;
  readonly route: string;
  readonly backend: string;
  /** Of `rq`: the status, 0 for none. */
  readonly status?: number;
  readonly flags?: readonly string[];
}

/**
 * Names of objects may hold dots and look like tags. A listener's name holds none here, and a route's ends in its number of a match, or is one of
 * the proxy itself; so each name can be read in one way only.
 */
const form = new RegExp(
  `^${trafficPrefix}\\.(?<stat>rq|ms|ge\\d+)\\.listener\\.(?<listener>[^.]*)` +
    '\\.route\\.(?<route>[a-z]+/[^/]+/[^/]+/rule/\\d+/match/\\d+|gatewright/[a-z-]+|-|)' +
    '\\.backend\\.(?<backend>.*?)(?:\\.code\\.(?<code>\\d+|-)\\.flags\\.(?<flags>[A-Za-z0-9_,-]*))?$',
);

/** Undefined for a counter that is none of these. */
export function readCounterName(name: string): CounterName | undefined {
  const groups = form.exec(name)?.groups;
  if (groups === undefined) return undefined;
  const { stat = '', listener = '', route = '', backend = '', code, flags } = groups;
  if ((stat === 'rq') !== (code !== undefined)) return undefined;
  const named = { stat, listener: listener.replaceAll('~', '.'), route: known(route), backend: known(backend) };
  if (code === undefined) return named;
  return {
    ...named,
    status: Number(known(code)),
    flags: known(flags ?? '')
      .split(',')
      .filter(Boolean),
  };
}

/** Envoy writes `-` for what there is none of. */
const known = (text: string): string => (text === '-' ? '' : text);

/** What one of Envoy's counters of picks counts: Envoy's name of a pool, and `IP:PORT` of the server that answered, empty where there was none. */
export interface PickName {
  readonly pool: string;
  readonly outcome: PickOutcome;
  readonly endpoint: string;
}

/** Envoy leaves out what is empty, with the dot before it. */
const pickForm = new RegExp(
  `^${trafficPrefix}\\.${pickCounter}\\.pool\\.(?<pool>[^.]*)` +
    '\\.outcome(?:\\.(?<outcome>[a-z]+|-))?\\.endpoint(?:\\.(?<endpoint>.*))?$',
);

/** Undefined for a counter that is none of these. */
export function readPickName(name: string): PickName | undefined {
  const groups = pickForm.exec(name)?.groups;
  if (groups === undefined) return undefined;
  const { pool = '', endpoint: written = '' } = groups;
  const endpoint = known(written);
  const outcome = pickOutcomes.find((each) => each === groups.outcome) ?? 'unknown';
  // A listener that chooses servers marks also what it answers by itself, because there is none.
  const isServed = endpoint !== '' || (outcome !== 'picked' && outcome !== 'any');
  return { pool: pool.replaceAll('~', '.'), outcome: isServed ? outcome : 'unknown', endpoint };
}
