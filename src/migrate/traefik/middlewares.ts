import { Draft } from '../kit/draft.ts';
import type { SourceObject, SourceObjects } from '../kit/objects.ts';
import { type Table, Visit } from '../kit/table.ts';
import { type Fields, fieldsOf, isFields, listOf, textAt, textOf } from '../kit/values.ts';
import { strictTransport } from './tables/headers.ts';
import { chainOf, middlewareTable } from './tables/middleware.ts';

/** What is asked of a request by one middleware after the other: all of them in one draft. */
export interface MiddlewaresRead {
  readonly draft: Draft;
  /** The Middleware that a part of the AccessPolicy is from, by part. */
  readonly sources: ReadonlyMap<string, SourceObject>;
}

/** Chains within each other. */
const deepest = 8;

/** Middlewares that keep no one out. All others close their route if a part of them has no equivalent here. */
const harmless: ReadonlySet<string> = new Set([
  'addPrefix',
  'buffering',
  'chain',
  'circuitBreaker',
  'compress',
  'contentType',
  'errors',
  'grpcWeb',
  'headers',
  'passTLSClientCert',
  'redirectRegex',
  'redirectScheme',
  'replacePath',
  'replacePathRegex',
  'retry',
  'stripPrefix',
  'stripPrefixRegex',
]);

/** What protecting middlewares must have written. */
const needed: Readonly<Record<string, string>> = {
  basicAuth: 'AccessPolicy.basicAuth.secretRef',
  forwardAuth: 'ForwardAuth.address',
  ipAllowList: 'AccessPolicy.clientIPs.allow',
  ipWhiteList: 'AccessPolicy.clientIPs.allow',
};

/** Kinds of ours whose members are one thing each: two middlewares cannot both say it. */
const whole = ['AccessPolicy', 'TrafficPolicy'];

/**
 * Reads the middlewares of a route, those of chains in their place. What is not there, or is of another provider, closes the route: Traefik does
 * not serve it then.
 */
export function readMiddlewares(
  refs: unknown,
  home: string,
  isTls: boolean,
  objects: SourceObjects,
  visit: Visit,
  { kind, table }: { readonly kind: string; readonly table: Table } = { kind: 'Middleware', table: middlewareTable },
): MiddlewaresRead {
  const draft = new Draft();
  const sources = new Map<string, SourceObject>();
  const read = (list: unknown, namespace: string, at: Visit, depth: number): void =>
    at.each(list, (ref, place) => {
      const name = textOf(ref.name);
      const own = textAt(ref, 'namespace') ?? namespace;
      const found = objects.find(kind, own, name);
      if (found === undefined || depth > deepest) return place.lose(`there is no ${kind} ${own}/${name}`, true);
      const below = new Visit(
        !Object.keys(found.spec).every((each) => harmless.has(each)),
        new Draft(),
        visit.notes,
        `${place.path}(${own}/${name})`,
      );
      if (found.spec.chain !== undefined) read(chainOf(found.spec), own, below.at('chain.middlewares'), depth + 1);
      below.walk(found.spec, table);
      below.guarded(() => headersOf(found.spec, isTls, below));
      for (const [name, path] of Object.entries(needed))
        if (Object.hasOwn(found.spec, name) && below.draft.get(path) === undefined)
          below.at(name).lose('has no value that it can be converted by', true);
      join(draft, below, found, sources);
    });
  visit.at('middlewares').guarded(() => read(refs ?? [], home, visit.at('middlewares'), 0));
  return { draft, sources };
}

function headersOf({ headers }: Fields, isTls: boolean, visit: Visit): void {
  if (isFields(headers)) strictTransport(headers, isTls, visit);
}

/** Adds what one middleware wrote. Lists grow; of what is one thing the first stays, and a second one is lost. */
function join(
  draft: Draft,
  { draft: next, notes, path }: Visit,
  source: SourceObject,
  sources: Map<string, SourceObject>,
): void {
  for (const kind of whole)
    for (const [part, value] of Object.entries(next.of(kind) ?? {})) {
      const known = draft.get(`${kind}.${part}`);
      const isSame = JSON.stringify(known) === JSON.stringify(value);
      if (known === undefined) {
        draft.set(`${kind}.${part}`, value);
        sources.set(part, source);
      } else if (!isSame)
        notes.push({
          verdict: 'cannot',
          field: path,
          text: `two middlewares say ${part}, and a policy says it once`,
          ...(kind === 'AccessPolicy' && part !== 'cors' && { blocks: true }),
        });
    }
  for (const list of ['Headers.request', 'Headers.response', 'Paths.list', 'RateLimitPolicy.buckets'])
    draft.push(list, ...listOf(next.get(list) ?? []));
  if (next.get('RateLimitPolicy.counting') !== undefined)
    draft.set('RateLimitPolicy.counting', next.get('RateLimitPolicy.counting'));
  for (const one of ['RedirectScheme', 'RedirectRegex', 'Host', 'ForwardAuth', 'ErrorPages']) {
    const fields = next.of(one);
    if (fields !== undefined && draft.of(one) === undefined) draft.set(one, fieldsOf(fields));
  }
}
