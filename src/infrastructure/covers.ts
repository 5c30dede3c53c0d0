import { isSameQuantity } from './quantity.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Whether the live object has everything that is desired. What it has beyond that (defaults of the API server, fields
 * of others) does not matter. Elements of a list are found by their name where they have one, else by their place.
 * Quantities of resources are compared by what they are worth.
 */
export function covers(live: unknown, desired: unknown): boolean {
  if (desired === undefined) return true;
  if (Array.isArray(desired))
    return (
      Array.isArray(live) &&
      desired.every((element, i) => elementsLike(live, element, i).some((each) => covers(each, element)))
    );
  // The API server leaves out texts that are empty, too.
  if (!isMap(desired)) return live === desired || (desired === '' && live === undefined);
  return isMap(live)
    ? Object.entries(desired).every(([field, value]) =>
        isQuantity(field, value)
          ? isSameQuantity(live[field], value)
          : quantities.has(field) && isMap(value)
            ? Object.keys(value).every((name) => isMap(live[field]) && isSameQuantity(live[field][name], value[name]))
            : covers(live[field], value),
      )
    : isEmpty(live, desired);
}

/** The fields of a container's `resources`. */
const quantities: ReadonlySet<string> = new Set(['requests', 'limits']);

/** A quantity by itself: of an `emptyDir`, and of a variable with what a container has. */
const isQuantity = (field: string, value: unknown): boolean =>
  (field === 'sizeLimit' || field === 'divisor') && !isMap(value);

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The API server leaves out maps that are empty. */
const isEmpty = (live: unknown, desired: Json): boolean => live === undefined && Object.keys(desired).length === 0;

/** Several have one name where a volume is mounted at several paths. */
function elementsLike(live: readonly unknown[], element: unknown, place: number): readonly unknown[] {
  if (!isMap(element) || element.name === undefined) return [live[place]];
  return live.filter((candidate) => isMap(candidate) && candidate.name === element.name);
}
