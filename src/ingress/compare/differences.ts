import { comparedHeaders, type SeenAnswer } from './seen-answer.ts';

/** One thing in which two answers differ. */
export interface Difference {
  /** `status`, `location`, `cookie NAME`, `header NAME`, `body`, `backend` or `target`. */
  readonly what: string;
  /** As the old side has it; empty: it has none. */
  readonly from: string;
  readonly to: string;
}

/** All differences of two answers; what one side does not know is not compared. */
export function differencesOf(from: SeenAnswer, to: SeenAnswer): Difference[] {
  const found: Difference[] = [];
  if (isTurnedAway(from) && to.isGuarded) return found;
  const compare = (what: string, a: string | undefined, b: string | undefined): void => {
    if (a !== b) found.push({ what, from: a ?? '', to: b ?? '' });
  };
  compare('status', statusText(from), statusText(to));
  if (from.status === 0 || to.status === 0) return found;
  compare('location', from.location && normalLocation(from.location), to.location && normalLocation(to.location));
  const { headers: old } = from;
  const { headers: now } = to;
  if (old && now)
    for (const name of comparedHeaders) compare(`header ${name}`, normalList(old[name]), normalList(now[name]));
  if (from.cookies && to.cookies) compareCookies(from.cookies, to.cookies, compare);
  if (from.digest !== undefined && to.digest !== undefined) compare('body', from.digest, to.digest);
  if (from.backends && to.backends) compare('backend', backendsText(from.backends), backendsText(to.backends));
  if (from.target !== undefined && to.target !== undefined) compare('target', from.target, to.target);
  return found;
}

/** Whether the other side turns the same away, is for its policies to say. */
const isTurnedAway = ({ status }: SeenAnswer): boolean => status === 401 || status === 403;

const statusText = ({ status, reason }: SeenAnswer): string =>
  status === undefined ? 'the backend’s' : status === 0 ? `no answer: ${reason}` : String(status);

/** An address without a path is one with the path `/`, and a standard port is no port. */
function normalLocation(location: string): string {
  if (!URL.canParse(location)) return location;
  const { protocol, host, pathname, search } = new URL(location);
  return `${protocol}//${host}${pathname}${search}`;
}

/** Lists of names in any order and case. */
const normalList = (value: string | undefined): string | undefined =>
  value
    ?.split(/[,;]/)
    .map((part) => part.trim().toLowerCase())
    .sort()
    .join(', ');

const nameOf = (cookie: string): string => cookie.split(';', 1)[0] as string;

function compareCookies(
  from: readonly string[],
  to: readonly string[],
  compare: (what: string, a: string | undefined, b: string | undefined) => void,
): void {
  for (const name of new Set([...from, ...to].map(nameOf))) {
    const of = (cookies: readonly string[]) => cookies.find((cookie) => nameOf(cookie) === name);
    compare(`cookie ${name}`, of(from), of(to));
  }
}

const backendsText = (backends: Readonly<Record<string, number>>): string =>
  Object.entries(backends)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, share]) => (share === 1 ? name : `${Math.round(share * 1000) / 10}% ${name}`))
    .join(', ');
