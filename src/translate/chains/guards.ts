import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { TypedExtensionConfigSchema, typeUrls } from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import {
  type GuardLists,
  guardLists,
  guardStopContent,
  guardsContent,
  slotAndItem,
  slotWithItem,
  steadySlots,
  type TableContent,
} from '../filters/index.ts';
import {
  type ChainDemand,
  type ChainList,
  type EnvoyResource,
  guardsName,
  guardsSlot,
  inPieces,
  type PreparedFor,
  type Provenance,
  piecesOf,
  resourceOf,
} from '../resource/index.ts';
import { accessOrigins, closedGuards, guardsClosed } from './closed-demands.ts';
import { demandsIn, demandsOf, versionWith } from './demands.ts';
import { usedOf } from './slots-of-chain.ts';

/** How many editions of before are kept for requests that wait: of one change up to two. */
const mostKept = 6;

interface Parts {
  readonly table: TableContent & Pick<ir.RouteTable, 'id'>;
  /** What the table demands, as `table` has it or closed. */
  readonly own: readonly ChainDemand[];
  /** What it demanded before. */
  readonly former: readonly ChainDemand[];
  /** Editions of before, the newest first, by what `ChainSlots.names` has of them. */
  readonly kept: ReadonlyMap<string, ChainList>;
  /** Another edition than that of `own` and `former` is where requests begin, with what it demands. */
  readonly start?: Pick<PreparedFor, 'demands'> & { readonly use: string; readonly prepares: EnvoyResource };
}

/** ECDS: what the table itself demands where requests wait in `access`, and what it demanded of requests that wait (guard-stops.ts). */
export const translateGuards = (table: Parts['table']): EnvoyResource =>
  guards({ table, own: demandsOf(table.access), former: [], kept: new Map() });

/** What the chain has there does not depend on what routes use: it has all slots. */
const slots = usedOf({ kind: 'access', modules: false }, [steadySlots.access]);

function guards(parts: Parts): EnvoyResource {
  const { table, own, former, kept } = parts;
  const name = guardsName(table.id);
  const now = listOf(listsFor(parts));
  const use = slotWithItem(guardsSlot, ir.formatDigest(now.digest));
  const before = new Map([...kept].filter(([other]) => other !== use).slice(0, mostKept));
  const editions = [[use, now] as const, ...before];
  const isFirst = ([each]: readonly [string, ChainList]) => each === (parts.start?.use ?? use);
  const sorted = [...editions.filter(isFirst), ...editions.filter((each) => !isFirst(each))];
  const lists = new Map(sorted);
  const contents = sorted.map(editionOf);
  const resource = inPieces(
    extension(name, guardsContent(contents[0])),
    piecesOf(name).map((piece, index) => extension(piece, guardStopContent(index + 1, contents))),
  );
  const provenance = provenanceOf(parts);
  const ownByDigest = byDigest(own);
  const demands = parts.start?.demands ?? byDigest([...own, ...former]);
  const made: EnvoyResource = {
    ...resource,
    version: versionWith(resource.version, demands.values()),
    ...(provenance && { provenance }),
    slots: {
      names: new Set(lists.keys()),
      lists,
      own: ownByDigest,
      demands,
      ...(parts.start && { prepares: parts.start.prepares }),
      with(names, others = [], theirs = new Map()) {
        const all = [...names].flatMap((each): [string, ChainList][] => {
          const list = isEdition(each) && theirs.get(each);
          return list ? [[each, list]] : [];
        });
        const more = [...others].filter(({ digest }) => !ownByDigest.has(digest));
        return guards({ table, own, former: more, kept: new Map([...all, ...kept]) });
      },
      preparing(held) {
        const [current] = held.names;
        const list = current === undefined ? undefined : held.lists.get(current);
        if (current === undefined || !list || held.names.has(use)) return undefined;
        const prepares = parts.start?.prepares ?? made;
        return guards({
          ...parts,
          kept: new Map([[current, list], ...kept]),
          start: { ...held, use: current, prepares },
        });
      },
      withAll: (others) => made.slots?.with([], others) ?? made,
      demandsIn: (version, find) => demandsIn(version, ownByDigest, find),
    },
  };
  return made;
}

const extension = (name: string, typedConfig: Any): EnvoyResource =>
  resourceOf(
    typeUrls.extension,
    name,
    TypedExtensionConfigSchema,
    create(TypedExtensionConfigSchema, { name, typedConfig }),
  );

const byDigest = (demands: readonly ChainDemand[]): ReadonlyMap<string, ChainDemand> =>
  new Map(demands.map((demand) => [demand.digest, demand]));

const isEdition = (use: string): boolean => slotAndItem(use)[0] === guardsSlot;

/** Where requests would wait for too many of them, those of before let no request in. */
function listsFor({ table, former }: Parts): GuardLists {
  const all = former.map(({ guards: each }) => each);
  const demanded = { own: table.access, slots };
  const lists = guardLists({ ...demanded, former: all }) ?? guardLists({ ...demanded, former: all.map(closedGuards) });
  if (!lists) throw new Error(`table ${table.id} has more levels that wait than stops`);
  return lists;
}

/** An edition as sessions keep it: each filter goes by the number of its stop. */
function listOf(lists: GuardLists): ChainList {
  const filters = [...lists].flatMap(([stop, list]) =>
    list.filters.map(({ typedConfig }) => ({ name: `${stop}`, typedConfig })),
  );
  const hash = createHash('sha256');
  for (const { name, typedConfig } of filters)
    hash.update(`${name} ${typedConfig.value.length} `).update(typedConfig.value);
  const made: ChainList = {
    filters,
    digest: BigInt(`0x${hash.digest('hex').slice(0, 32)}`),
    buckets: [],
    without: () => made,
  };
  return made;
}

const editionOf = ([use, { filters }]: readonly [string, ChainList]) => ({
  id: slotAndItem(use)[1] ?? '',
  lists: new Map(
    [...Map.groupBy(filters, ({ name }) => Number(name))].map(([stop, list]) => [stop, { filters: list }] as const),
  ),
});

/** What proxies reject of a policy lets no request in. */
function provenanceOf(parts: Parts): Provenance | undefined {
  const { access } = parts.table;
  if (!access) return undefined;
  return {
    origins: () => accessOrigins(access),
    without(_name, keys) {
      const { demands, own } = guardsClosed(access, parts.own, keys);
      const { former, kept } = parts;
      return guards({ table: { ...parts.table, access: { ...access, demands } }, own, former, kept });
    },
  };
}
