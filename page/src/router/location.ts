import { computed, signal } from '@preact/signals';

/** What the fragment says: a page, what it shows of it, and how. */
export interface Place {
  readonly page: string;
  readonly segments: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** `#/routes/HTTPRoute/shop/cart?tab=traffic`; anything else is the overview. */
function placeOf(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split(/\?(.*)/s);
  const [page = '', ...segments] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  return { page, segments, query: new Map(new URLSearchParams(query)) };
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The link to a place. Values that are undefined, null, false or empty are left out. */
export function link(page: string, segments: readonly string[] = [], query: Query = {}): string {
  const path = [page, ...segments].map((part) => encodeURIComponent(part.toWellFormed())).join('/');
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === null || value === false || value === '' ? [] : [[key, String(value)]],
  );
  const search = new URLSearchParams(pairs).toString();
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

const fragment = signal(window.location.hash);
window.addEventListener('hashchange', () => {
  fragment.value = window.location.hash;
});

export const place = computed(() => placeOf(fragment.value));

/** A value of the fragment's query; empty when it is not there. */
export const queryValue = (key: string): string => place.value.query.get(key) ?? '';

/** Changes values of the query in place, so that the view stays a link and the way back leads to the page before. */
export function changeQuery(values: Query): void {
  const { page, segments, query } = place.value;
  const next = link(page, segments, { ...Object.fromEntries(query), ...values });
  window.history.replaceState(null, '', next);
  fragment.value = next;
}

export function go(href: string): void {
  window.location.hash = href;
}
