import { innerListenerPrefix, isBehindInnerListener, isFilterChain, isSlotLists } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';

/**
 * When a change of a type may be sent:
 * - `cluster`: first, with modules; its removals last of all.
 * - `free`: at once, whatever else is under way, as nothing else can break by it.
 * - `extension`: upserts after all clusters were answered; removals after those of routes.
 * - `route`: upserts after all of these were answered, as routes fill slots of filter chains; removals after listeners were.
 * - `listener`: after all clusters were answered, removals together with upserts (an address may change hands). Those that clusters
 *   lead to (`isInner`) go before all clusters.
 * - `manifest`: after everything.
 */
export type Queue = 'cluster' | 'free' | 'extension' | 'route' | 'listener' | 'manifest';

/** What the protocol says, and what Envoy does, about one type. */
export interface TypeTraits {
  readonly queue: Queue;
  /** A first request without names asks for everything (xDS protocol, "wildcard"). */
  readonly wildcardByDefault: boolean;
  /** SotW: an answer lists all resources, and what is missing in it is removed. Else it may list only some. */
  readonly fullState: boolean;
  /** Envoy applies the good resources of an answer it rejects, and names the bad ones. Else it applies none. */
  readonly partialNack: boolean;
  /** Delta: a missing resource is answered by a Resource with name and alias but no body (VHDS; else the request that asked hangs). */
  readonly absentAsEmpty: boolean;
  /** Clusters lead to the resource of that name, which can be reached only by them. */
  readonly isInner: (name: string) => boolean;
  /** Requests may still be on their way to the resource of that name for a while, though nothing leads there any more. */
  readonly lingers: (name: string) => boolean;
}

const traits = (queue: Queue, more: Partial<TypeTraits> = {}): TypeTraits => ({
  queue,
  wildcardByDefault: false,
  fullState: false,
  partialNack: false,
  absentAsEmpty: false,
  isInner: () => false,
  lingers: () => false,
  ...more,
});

/** Of a table's filter chains. */
const isChainPart = (name: string): boolean => isFilterChain(name) || isSlotLists(name);

const isInner = (name: string): boolean => name.startsWith(innerListenerPrefix);

const known: ReadonlyMap<string, TypeTraits> = new Map([
  [
    typeUrls.cluster,
    traits('cluster', {
      wildcardByDefault: true,
      fullState: true,
      partialNack: true,
      lingers: isBehindInnerListener,
    }),
  ],
  // Scopes and chains name the files that agents make of them.
  [typeUrls.module, traits('cluster', { wildcardByDefault: true, fullState: true })],
  [typeUrls.endpoint, traits('free')],
  [typeUrls.secret, traits('free')],
  [typeUrls.scopedRoute, traits('route', { wildcardByDefault: true, fullState: true })],
  [typeUrls.route, traits('route')],
  [typeUrls.virtualHost, traits('route', { absentAsEmpty: true })],
  // A listener that drains still leads through its filter chains.
  [typeUrls.extension, traits('extension', { lingers: isChainPart })],
  [
    typeUrls.listener,
    traits('listener', {
      wildcardByDefault: true,
      fullState: true,
      partialNack: true,
      isInner,
      lingers: isInner,
    }),
  ],
  // Of the agent's own; see Trials.
  [typeUrls.trial, traits('free')],
  [typeUrls.snapshot, traits('manifest', { wildcardByDefault: true, fullState: true })],
]);

/**
 * Of the filter chains of tables, each that may be rejected goes in a response of its own, so that a NACK says whose it is. To find that by halves
 * would be in vain: Envoy 1.40 answers content that it has rejected with an ACK when it comes again, and goes on with what it had before.
 */
export const goesAlone = ({ typeUrl, name, provenance }: EnvoyResource): boolean =>
  typeUrl === typeUrls.extension && isChainPart(name) && provenance !== undefined;

const other = traits('free');

/** A type that we may send. */
export const isKnownType = (typeUrl: string): boolean => known.has(typeUrl);

/** The traits of a type; one we never send is `free`, so that asking for it is answered and blocks nothing. */
export const traitsOf = (typeUrl: string): TypeTraits => known.get(typeUrl) ?? other;
