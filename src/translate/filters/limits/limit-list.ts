import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { limitHeaders, limitMetadata } from '../../../contracts/index.ts';
import {
  ExternalProcessorFilterSchema,
  HeaderMutationFilterSchema,
  HeaderToMetadataSchema,
  LocalRateLimitSchema,
  packAny,
  RateLimitFilterSchema,
} from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import type { FilterList, NamedFilter, SlotList } from '../slot.ts';
import { bucketFilter } from './bucket.ts';
import { concurrentFilter } from './concurrent.ts';
import { computingFilters, cookieRules, limitHeader } from './keys.ts';
import { serviceFilter } from './service.ts';
import { sharedFilter } from './shared.ts';

type Buckets = readonly ir.LimitBucket[];

/** Whose count it is: the proxy's; its agent's, of requests that are under way; that of all proxies, whose filter has one status for those that it rejects; or a service's. */
export const limitCounts = ['proxy', 'concurrent', ...ir.limitStatuses, 'service'] as const;
export type LimitCount = (typeof limitCounts)[number];

/** The policies of a target are the same for all of its rules and matches. */
const known = new WeakMap<Buckets, Map<string, SlotList | undefined>>();

/** What the buckets of one level come to in a phase; undefined: it has none there. Only the last filter waits for anything, if any does. */
export function limitList(
  { target, buckets }: ir.TargetLimits,
  phase: ir.LimitPhase,
  count: LimitCount,
): SlotList | undefined {
  const lists = known.get(buckets) ?? new Map<string, SlotList | undefined>();
  known.set(buckets, lists);
  const name = `${phase} ${count} ${target}`;
  if (!lists.has(name)) {
    const own = buckets.filter((bucket) => bucket.phase === phase && countOf(bucket) === count);
    lists.set(name, own.length === 0 ? undefined : madeOf({ target, buckets: own }, count));
  }
  return lists.get(name);
}

function countOf({ concurrent, shared, service, status }: ir.LimitBucket): LimitCount | undefined {
  if (concurrent !== undefined) return 'concurrent';
  if (service) return 'service';
  return shared ? ir.limitStatuses.find((each) => each === status) : 'proxy';
}

/** Routes name it even when proxies reject all of its buckets, so it stays, and lets every request through. */
function madeOf({ target, buckets }: ir.TargetLimits, count: LimitCount): SlotList {
  const keys = buckets.flatMap(({ key }) => key);
  const list: SlotList = {
    digest: ir.digestOf(buckets.some(({ byTarget }) => byTarget) ? { target, buckets } : buckets),
    filters: [
      { name: 'mark', typedConfig: mark(keys) },
      ...computingFilters(buckets),
      ...countingFilters({ target, buckets }, count),
    ],
    buckets,
    without: (ids) =>
      buckets.some(({ id }) => ids.has(id)) ? madeOf({ target, buckets: bucketsWithout(buckets, ids) }, count) : list,
  };
  return list;
}

function countingFilters({ target, buckets }: ir.TargetLimits, count: LimitCount): readonly NamedFilter[] {
  if (count === 'proxy') return buckets.map((bucket) => ({ name: bucket.id, typedConfig: bucketFilter(bucket) }));
  if (buckets.length === 0) return [];
  if (count === 'concurrent') return [{ name: count, typedConfig: concurrentFilter({ target, buckets }) }];
  if (count !== 'service') return [{ name: 'shared', typedConfig: sharedFilter({ target, buckets }, count) }];
  const service = buckets[0]?.service;
  return service ? [{ name: count, typedConfig: serviceFilter(buckets, service) }] : [];
}

export const bucketsWithout = (buckets: Buckets, ids: ReadonlySet<string>): Buckets =>
  buckets.filter(({ id }) => !ids.has(id));

/** Keeps what logs and buckets want to know of a request: cookies, and on the way back which bucket rejected it. */
const mark = (keys: readonly ir.LimitKey[]): Any =>
  packAny(
    HeaderToMetadataSchema,
    create(HeaderToMetadataSchema, {
      requestRules: cookieRules(keys),
      responseRules: [{ header: limitHeaders.rejected, onHeaderPresent: metadata('rejected') }],
    }),
  );

const metadata = (key: 'rejected' | 'shadowed') => ({
  metadataNamespace: limitMetadata.namespace,
  key: limitMetadata[key],
});

/**
 * Behind all limits of a table, for requests that came through them: backends see none of their headers. `askedServices`: answers of services may have
 * written others of ours, which nothing behind may take for ours.
 */
export const passedList = (askedServices: boolean): FilterList => ({
  filters: [
    {
      name: 'shadowed',
      typedConfig: packAny(
        HeaderToMetadataSchema,
        create(HeaderToMetadataSchema, {
          requestRules: [{ header: limitHeaders.shadowed, onHeaderPresent: metadata('shadowed') }],
        }),
      ),
    },
    {
      name: 'clean',
      typedConfig: packAny(
        HeaderMutationFilterSchema,
        create(HeaderMutationFilterSchema, {
          mutations: { requestMutations: [withoutHeaders(askedServices ? allButScope : ofLimits)] },
        }),
      ),
    },
  ],
});

const ofLimits = { case: 'prefix' as const, value: limitHeader };
/** Logs look at `x-gw-scope`, and nothing else does: the route is found. */
const allButScope = { case: 'safeRegex' as const, value: { regex: `${ir.ownHeaderPrefix}(?:[^s]|s[^c]).*` } };

const withoutHeaders = (matchPattern: typeof ofLimits | typeof allButScope) => ({
  action: { case: 'removeOnMatch' as const, value: { keyMatcher: { matchPattern } } },
});

/** The type of Envoy's filter that counts a bucket, without its package. */
export const limitType = ({ concurrent, shared, service }: ir.LimitBucket): string => {
  if (concurrent !== undefined) return nameOf(ExternalProcessorFilterSchema);
  return nameOf(shared || service ? RateLimitFilterSchema : LocalRateLimitSchema);
};

const nameOf = ({ typeName }: { readonly typeName: string }): string => typeName.split('.').at(-1) ?? '';
