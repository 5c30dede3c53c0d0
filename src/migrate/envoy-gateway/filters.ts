import { idOf } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { Visit } from '../kit/table.ts';
import type { Moving } from './moving.ts';
import { httpRouteFilter } from './tables/route-filter.ts';

/** Names of the HTTPFilters of an HTTPRouteFilter. */
export interface FiltersMade {
  /** Those that do not exist are named by its own name: rules with one are answered 500. */
  namesOf(namespace: string, name: string): readonly string[];
}

const members = { Rewrite: 'path', Host: 'host', Response: 'response', Credential: 'credential', Cookie: 'cookie' };

/** HTTPRouteFilters as HTTPFilters, one for each thing that one says. One of which a part has no equivalent here is not made. */
export function convertFilters(
  moving: Moving,
  without: ReadonlySet<string>,
  output: Output,
): FiltersMade & { readonly converted: readonly Converted[] } {
  const names = new Map<string, readonly string[]>();
  const converted = moving.objects.of('HTTPRouteFilter').map((source): Converted => {
    const visit = new Visit(true);
    visit.walk(source.spec, httpRouteFilter);
    const isForced = without.has(`${source.namespace}/${source.name}`);
    const isClosed = !isForced && visit.notes.some(({ blocks }) => blocks);
    const made = Object.entries(members).filter(([member]) => visit.draft.of(member) !== undefined);
    if (isClosed) return { id: idOf(source), outcome: 'closed', notes: visit.notes };
    names.set(
      `${source.namespace}/${source.name}`,
      made.map(([, word]) => nameOf(source.name, word, made.length)),
    );
    for (const [index, [member, word]] of made.entries())
      output.add(
        `${source.namespace}/httproutefilter-${source.name}.yaml`,
        objectOf(
          'gatewright.dev/v1alpha1',
          'HTTPFilter',
          source.namespace,
          nameOf(source.name, word, made.length),
          visit.draft.of(member) ?? {},
        ),
        index === 0 ? visit.notes : [],
      );
    return { id: idOf(source), outcome: made.length > 0 ? 'converted' : 'left', notes: visit.notes };
  });
  return { converted, namesOf: (namespace, name) => names.get(`${namespace}/${name}`) ?? [name] };
}

const nameOf = (name: string, word: string, count: number): string => (count === 1 ? name : `${name}-${word}`);
