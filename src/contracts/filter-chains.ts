import { innerListenerPrefix } from './listeners.ts';

/**
 * How the names of the filter chains (ECDS) of each HTTP table begin, in the order in which requests meet them; the table's id follows. A request meets
 * `auth`, or `base` if its host is exact and none of its requests waits there. `access` is what listeners of earlier releases have in place of both, and equals `auth`.
 */
export const chainPrefixes = {
  entry: 'entry/',
  auth: 'auth/',
  base: 'base/',
  access: 'access/',
  traffic: 'traffic/',
} as const;

/** Which of the filter chains of an HTTP table. */
export type ChainRole = keyof typeof chainPrefixes;

/** All that a table may have. */
export const chainsOfTable = (table: string): readonly string[] =>
  Object.values(chainPrefixes).map((prefix) => `${prefix}${table}`);

/** Those that demand what the table itself demands. */
export const demandingChains = (table: string): readonly string[] =>
  [chainPrefixes.auth, chainPrefixes.base, chainPrefixes.access].map((prefix) => `${prefix}${table}`);

/** Whether an ECDS resource is a filter chain of an HTTP table. */
export const isFilterChain = (name: string): boolean =>
  Object.values(chainPrefixes).some((prefix) => name.startsWith(prefix));

/** How the names of resources (ECDS) begin that have the lists of one slot of such a chain; `SLOT/TABLE` follows. */
export const slotListsPrefix = 'lists/';

/** Within the proxy (LDS), reached by nothing: what subscribes to the lists of a table's slots. */
export const slotListsListenerName = (table: string): string => `${innerListenerPrefix}${slotListsPrefix}${table}`;

export const isSlotLists = (name: string): boolean => name.startsWith(slotListsPrefix);

/** In the place of a slot's name, of the resource that has what the table itself demands where requests wait for access policies. */
export const guardsSlot = 'gatewright.guards';

/** That resource (ECDS). */
export const guardsName = (table: string): string => `${slotListsPrefix}${guardsSlot}/${table}`;

export const isGuards = (name: string): boolean => name.startsWith(guardsName(''));

/** At how many stops of a chain the table's demands may be, in front of the slots of its routes and between them. */
export const guardStopCount = 26;

/** The piece of that resource (ECDS) that is for one stop, the first of which is 1. */
export const guardStopName = (table: string, stop: number): string =>
  `${slotListsPrefix}${guardsSlot}.${stop}/${table}`;

const stopShape = /^lists\/gatewright\.guards\.([1-9][0-9]?)\//;

/** The resource that this one is a piece of; undefined: it is a resource of its own. */
export function wholeOf(name: string): string | undefined {
  const [start, stop] = stopShape.exec(name) ?? [];
  return start === undefined || Number(stop) > guardStopCount ? undefined : guardsName(name.slice(start.length));
}

/** Names of the pieces of a resource: of guards, by their stops. */
export const piecesOf = (name: string): readonly string[] =>
  isGuards(name)
    ? Array.from({ length: guardStopCount }, (_, index) => guardStopName(tableOfChain(name), index + 1))
    : [];

/** Names of all that a client is sent of a resource: its pieces, and then it itself. */
export const namesSentFor = (name: string): readonly string[] => [...piecesOf(name), name];

/** Of a slot's item: `SLOT/ITEM`. */
export const slotOfItem = (used: string): string => used.slice(0, Math.max(0, used.indexOf('/')));

/** The table of a filter chain, or of a slot's lists. */
export function tableOfChain(name: string): string {
  const rest = name.slice(name.indexOf('/') + 1);
  return isSlotLists(name) ? rest.slice(rest.indexOf('/') + 1) : rest;
}

/** The table that a scope is of, by its name. */
export const tableOfScope = (name: string): string => name.slice(0, name.indexOf('|'));
