import type { Operation, Reference } from './reference.ts';

/** So many of each are shown. */
const most = 8;

/**
 * Operations by what a person types: words of path, method, id or summary, or a path with its values, such as `GET /v1/gateways/shop/edge?limit=2`;
 * and schemas by their name. The nearest first.
 */
export function findOperations(
  { operations, schemas }: Pick<Reference, 'operations' | 'schemas'>,
  query: string,
): { readonly operations: readonly Operation[]; readonly schemas: readonly string[] } {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked = operations.flatMap((operation) => {
    const ranks = words.map((word) => rankOf(operation, word));
    const rank = Math.max(...ranks);
    return ranks.length === 0 || rank === Number.POSITIVE_INFINITY ? [] : [{ operation, rank }];
  });
  const names = Object.keys(schemas).filter(
    (name) => words.length === 1 && name.toLowerCase().includes(words[0] ?? ''),
  );
  return {
    operations: ranked
      .sort((a, b) => a.rank - b.rank || a.operation.path.length - b.operation.path.length)
      .slice(0, most)
      .map(({ operation }) => operation),
    schemas: names.sort((a, b) => a.length - b.length).slice(0, most),
  };
}

/** 0: it is that; infinity: it has nothing to do with it. */
function rankOf({ method, path, operationId, summary }: Operation, word: string): number {
  if (word.startsWith('/')) return rankOfPath(path, word);
  if (word === method || word === operationId.toLowerCase()) return 0;
  const isPart = [path, operationId, summary].some((text) => text.toLowerCase().includes(word));
  return isPart ? 2 : Number.POSITIVE_INFINITY;
}

function rankOfPath(path: string, typed: string): number {
  const asked = typed.replace(/[?#].*$/, '').replace(/(?<=.)\/$/, '');
  const [own, wanted] = [path.toLowerCase(), asked].map((text) => text.split('/')) as [string[], string[]];
  if (path.toLowerCase() === asked) return 0;
  const isFilled = own.length === wanted.length && own.every((part, at) => part.startsWith('{') || part === wanted[at]);
  if (isFilled) return own.filter((part) => part.startsWith('{')).length / 100;
  return path.toLowerCase().includes(asked) ? 1 : Number.POSITIVE_INFINITY;
}
