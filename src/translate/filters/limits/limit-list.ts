import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { limitMetadata } from '../../../contracts/index.ts';
import { HeaderMutationFilterSchema, HeaderToMetadataSchema, packAny } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import type { FilterList, NamedFilter, SlotList } from '../slot.ts';
import { bucketFilter, rejectedHeader, shadowedHeader } from './bucket.ts';
import { cookieRules, keyFilters, limitHeader } from './keys.ts';

type Buckets = readonly ir.LimitBucket[];

/** The policies of a target are the same for all of its rules and matches. */
const known = new WeakMap<Buckets, Map<ir.LimitPhase, SlotList | undefined>>();

/** What the buckets of one level come to in a phase; undefined: it has none there. None of the filters waits for anything. */
export function limitList(buckets: Buckets, phase: ir.LimitPhase): SlotList | undefined {
  const lists = known.get(buckets) ?? new Map<ir.LimitPhase, SlotList | undefined>();
  known.set(buckets, lists);
  if (!lists.has(phase)) lists.set(phase, listOf(buckets.filter((bucket) => bucket.phase === phase)));
  return lists.get(phase);
}

function listOf(buckets: Buckets): SlotList | undefined {
  if (buckets.length === 0) return undefined;
  const keys = buckets.flatMap(({ key }) => key);
  const counting = buckets.map((bucket): NamedFilter => ({ name: bucket.id, typedConfig: bucketFilter(bucket) }));
  return {
    digest: ir.digestOf(buckets),
    filters: [{ name: 'mark', typedConfig: mark(keys) }, ...keyFilters(keys), ...counting],
  };
}

/** Keeps what logs and buckets want to know of a request: cookies, and on the way back which bucket rejected it. */
const mark = (keys: readonly ir.LimitKey[]): Any =>
  packAny(
    HeaderToMetadataSchema,
    create(HeaderToMetadataSchema, {
      requestRules: cookieRules(keys),
      responseRules: [{ header: rejectedHeader, onHeaderPresent: metadata('rejected') }],
    }),
  );

const metadata = (key: 'rejected' | 'shadowed') => ({
  metadataNamespace: limitMetadata.namespace,
  key: limitMetadata[key],
});

/** Behind all limits of a table, for requests that came through them: backends see none of their headers. */
export const passedList = (): FilterList => ({
  filters: [
    {
      name: 'shadowed',
      typedConfig: packAny(
        HeaderToMetadataSchema,
        create(HeaderToMetadataSchema, {
          requestRules: [{ header: shadowedHeader, onHeaderPresent: metadata('shadowed') }],
        }),
      ),
    },
    {
      name: 'clean',
      typedConfig: packAny(
        HeaderMutationFilterSchema,
        create(HeaderMutationFilterSchema, {
          mutations: { requestMutations: [withoutHeaders] },
        }),
      ),
    },
  ],
});

const withoutHeaders = {
  action: {
    case: 'removeOnMatch' as const,
    value: { keyMatcher: { matchPattern: { case: 'prefix' as const, value: limitHeader } } },
  },
};
