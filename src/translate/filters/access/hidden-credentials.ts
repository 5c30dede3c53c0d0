import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { HeaderMutationFilterSchema, packAny, SetMetadataSchema } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import type { Predicate, SlotContent } from '../slot.ts';
import { waysOf } from './any-of.ts';
import { type Hidden, hiddenKeys, hiddenTokens, type LastOf, prefixOf, removesKey, removesToken } from './hidden.ts';
import { hiddenNamespace } from './hidden-script.ts';
import { header, matches, regex } from './predicates.ts';

type Choice = PartialChoice & { readonly predicate: Predicate };

/** Parts by which requests show a credential that backends may not see. */
export const hidingParts = ['any', 'apiKeys', 'jwt'] as const satisfies readonly ir.AccessPart[];
type HidingPart = (typeof hidingParts)[number];

/** A header that others use as well: it goes where it has something that looks like the credential. */
const hasScheme = ({ source }: Hidden): boolean => source.name === 'authorization' && prefixOf(source) !== undefined;
const isPlain = ({ source, of }: Hidden): boolean =>
  source.kind === 'header' && source.prefix === undefined && of === undefined;
/** What nothing but the script can take out. */
const isScripted = (hidden: Hidden): boolean => !isPlain(hidden) && (!hasScheme(hidden) || hidden.of !== undefined);

/** Takes credentials out of headers, once all levels have verified them. */
export const hideHeaders = (
  part: HidingPart,
  access: ir.Access,
  level: string,
  last: LastOf,
): SlotContent | undefined =>
  contentOf(part, access, level, {
    last,
    isNeeded: (hidden) => !isScripted(hidden),
    choices: (hidden, shown) => {
      const names = hidden.filter(isPlain).map(({ source }) => source.name);
      const schemes = hidden.filter((each) => !isScripted(each) && hasScheme(each));
      return [
        ...(schemes.length > 0
          ? [
              {
                predicate: allOf([...shown, showsScheme(schemes)]),
                filter: withoutHeaders([...names, 'authorization']),
              },
            ]
          : []),
        { predicate: allOf(shown), filter: withoutHeaders(names) },
      ];
    },
  });

/** Says to the script of the level what it takes out. */
export const hideContext = (
  part: HidingPart,
  access: ir.Access,
  level: string,
  last: LastOf,
): SlotContent | undefined =>
  contentOf(part, access, level, {
    last,
    isNeeded: isScripted,
    choices: (hidden, shown) => [{ predicate: allOf(shown), filter: remember(level, part, hidden.filter(isScripted)) }],
  });

export const hidesByScript = (access: ir.Access, level: string, last: LastOf): boolean =>
  hidingParts.some((part) => hideContext(part, access, level, last) !== undefined);

interface Making {
  readonly last: LastOf;
  readonly isNeeded: (hidden: Hidden) => boolean;
  /** The last one is for all requests that `shown` takes. */
  readonly choices: (hidden: readonly Hidden[], shown: readonly Predicate[]) => readonly PartialChoice[];
}

/** Without a predicate: every request. */
interface PartialChoice {
  readonly predicate: Predicate | undefined;
  readonly filter: Any;
}

/** Of several credentials of which one is enough, only the one that was looked at is taken out. */
function contentOf(
  part: HidingPart,
  access: ir.Access,
  level: string,
  { last, isNeeded, choices }: Making,
): SlotContent | undefined {
  if (access.closed?.includes(part)) return undefined;
  const ways =
    part === 'any' ? (access.any ? waysOf(access.any, level) : []) : [{ hidden: hiddenBy(part, access, last) }];
  if (!ways.some(({ hidden }) => hidden.some(isNeeded))) return undefined;
  const all = ways.flatMap((way) => {
    const shown = 'predicate' in way ? [way.predicate] : [];
    return way.hidden.some(isNeeded) ? choices(way.hidden, shown) : { predicate: allOf(shown), filter: nothing() };
  });
  const otherwise = all.find(({ predicate }) => predicate === undefined)?.filter ?? nothing();
  const chosen = all.filter((choice): choice is Choice => choice.predicate !== undefined);
  return chosen.length === 0 ? otherwise : { choices: chosen, otherwise };
}

const hiddenBy = (part: HidingPart, { apiKeys, jwt }: ir.Access, last: LastOf): readonly Hidden[] => [
  ...(part === 'apiKeys' && apiKeys && !removesKey(apiKeys, last) ? hiddenKeys(apiKeys) : []),
  ...(part === 'jwt' && jwt && !removesToken(jwt, last) ? hiddenTokens(jwt) : []),
];

/** Envoy finds a prefix anywhere in a value, but in its own letters; backends may read a scheme in any. */
function showsScheme(schemes: readonly Hidden[]): Predicate {
  const prefixes = [...new Set(schemes.map(({ source }) => ir.literalPattern(prefixOf(source) ?? '')))];
  return matches(header('authorization'), regex(`(?is).*(${prefixes.join('|')}).*`));
}

function allOf(predicates: readonly Predicate[]): Predicate | undefined {
  // Envoy rejects a list of one.
  if (predicates.length < 2) return predicates[0];
  return { matchType: { case: 'andMatcher', value: { predicate: [...predicates] } } };
}

const withoutHeaders = (names: readonly string[]): Any =>
  packAny(
    HeaderMutationFilterSchema,
    create(HeaderMutationFilterSchema, {
      mutations: {
        requestMutations: [...new Set(names)].map((value) => ({ action: { case: 'remove' as const, value } })),
      },
    }),
  );

const nothing = (): Any => withoutHeaders([]);

function remember(level: string, part: HidingPart, hidden: readonly Hidden[]): Any {
  const items = hidden.map(({ source, of }) => ({ ...source, ...(of !== undefined && { of }) }));
  const metadata = [{ metadataNamespace: hiddenNamespace(level), allowOverwrite: true, value: { [part]: items } }];
  return packAny(SetMetadataSchema, create(SetMetadataSchema, { metadata }));
}
