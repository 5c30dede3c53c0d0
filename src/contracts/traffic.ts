/**
 * Live traffic: counters that Envoy's access loggers keep for each route, and failed requests that they send. The control plane configures
 * them, the agent reads them and reports to the control plane.
 */

/** Whom Envoy sends failed requests: the agent, over a connection of its own, so that a flood of them holds up nothing else. Unknown to other Envoys. */
export const trafficService = 'gatewright_traffic';

/** Names of the access logs with failed requests: of backends and the proxy, and of requests that no route is for. */
export const failureLogs = { failures: 'gatewright.failures', unrouted: 'gatewright.unrouted' } as const;

/** What entries of these logs have beside what Envoy writes by itself. `client`: the client's address, only where it may be shown. */
export const failureTags = { listener: 'listener', backend: 'backend', client: 'client' } as const;

/** Levels of policies of access, by which filters and marks of them are called. */
export const accessTags = { gateway: 'gw', listenerSet: 'set', listener: 'ls', route: 'rt', rule: 'ru' } as const;

/** Of the dynamic metadata by which filters say which servers a request has asked and got past: its keys, as askedKey makes them. */
export const passedNamespace = 'gatewright.passed';

/** `gw.basicAuth`: one of accessTags, and the part of a policy that asks. */
export const askedKey = (level: string, part: string): string => `${level}.${part}`;

/** What policies of access answer. Such answers of the proxy itself are in the log of requests without a route, which has its own small share. */
export const deniedStatuses = [401, 403] as const;

/** What the name of every counter of traffic begins with in Envoy. */
export const trafficPrefix = 'gwt';

/** The counter of requests to a pool of model servers, by what became of the pick and by server. Older agents do not know it. */
export const pickCounter = 'pick';

/** Upper bounds of the buckets for durations, in milliseconds: a counter `geBOUND` for each, of requests that took as long or longer. */
export const durationBounds = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000] as const;

/** Counters of one Envoy. More are dropped by Envoy silently. */
export const maxTrafficCounters = 100_000;

/**
 * How long Envoy keeps a counter that nothing changes, if its statistics were read every 5 s: it counts reads (120), not time. Readers are the agent,
 * every 10 s, and all others.
 */
export const trafficEvictionSeconds = 600;

/** Flags of requests that are sent as failures whatever their status is. An empty list would hold clients that went away. */
export const failureFlags = [
  'UH',
  'UF',
  'UO',
  'UT',
  'UC',
  'UR',
  'URX',
  'NC',
  'NFCF',
  'UPE',
  'UAEX',
  'RLSE',
  'OM',
  'DF',
] as const;

/** The flag of a request that found no route. */
export const noRouteFlag = 'NR';

/** Status from which on a request failed, whatever its flags are. */
export const failureStatus = 500;
