import * as ir from '../../ir/index.ts';
import type { ChainKind } from '../resource/index.ts';
import { limitChain } from './limits/phases.ts';
import type { TableContent } from './slot.ts';

/**
 * By chain, what a table uses of it that may keep requests waiting there: a question to a server, a body, a delay. Such a chain has every slot, so that it
 * stays as it is. When a chain is replaced, Envoy 1.40 frees names and counters of its filters, and a request that waits goes on with those.
 */
export const steadySlots: Readonly<Record<ChainKind, string>> = {
  entry: 'gatewright.steady.entry',
  access: 'gatewright.steady.access',
  traffic: 'gatewright.steady.traffic',
};

/**
 * What is used where requests wait in `access`. Those that do have no filters of a `traffic` that was empty when they came. So it stays empty until
 * something of it is used, and has all slots from then on.
 */
export const aheadOfTraffic = 'gatewright.ahead.traffic';

/** What is used where modules run: their guards at the end of the chain (extensions/kept.ts). */
export const moduleGuards = 'gatewright.modules';

/** The same where they wait in front of all chains. Their route is chosen afterwards, and what it fills must be in the chains that they began with. */
export const waitingFirst: readonly string[] = Object.values(steadySlots);

/** What is used where requests may wait in a chain: it, and the chains that they meet next. What they have passed may be replaced. */
export const waitingIn = (chain: ChainKind): readonly string[] => usedByWaiting[chain];

const usedByWaiting: Readonly<Record<ChainKind, readonly string[]>> = {
  entry: waitingFirst,
  access: [steadySlots.access, aheadOfTraffic],
  traffic: [steadySlots.traffic],
};

/** The same of what a table itself has for its requests. */
export const waitingInTable = ({ access, limits, traffic, locates }: TableContent): readonly string[] => [
  // Before the chains, which a request keeps that it began with.
  ...(locates ? waitingFirst : []),
  ...(access?.demands.some(ir.accessWaits) ? waitingIn('access') : []),
  ...(limits?.levels ?? []).flatMap(({ buckets }) => buckets.flatMap(waitingForBucket)),
  ...(traffic?.parts ?? []).flatMap(({ filters }) => waitingForTraffic(filters)),
];

/** A question to the agent or a service. */
export const waitingForBucket = ({ concurrent, shared, service, phase }: ir.LimitBucket): readonly string[] =>
  concurrent !== undefined || shared || service ? waitingIn(limitChain(phase)) : [];

/** What policies of traffic use beside their slots. */
export const waitingForTraffic = (traffic: ir.RouteTraffic): readonly string[] => [
  ...(ir.asksForPages(traffic) ? waitingIn('entry') : []),
  ...(trafficWaits(traffic) ? waitingIn('traffic') : []),
  ...(ir.extensionPlaces.some((place) => isModule(traffic[place])) ? [moduleGuards] : []),
];

const isModule = (extension: ir.RouteTraffic[ir.ExtensionPlace]): boolean =>
  typeof extension === 'object' && extension.kind === 'module';

/** A delay, a body, or an extension's answer. */
const trafficWaits = ({ faults, buffering, ...others }: ir.RouteTraffic): boolean =>
  (typeof faults === 'object' && faults.delay !== undefined) ||
  typeof buffering === 'object' ||
  ir.extensionPlaces.some((place) => isAwaited(others[place]));

const isAwaited = (extension: ir.RouteTraffic[ir.ExtensionPlace]): boolean =>
  typeof extension === 'object' && !(extension.kind === 'processor' && extension.shadow);
