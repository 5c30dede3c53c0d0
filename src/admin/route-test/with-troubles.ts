import { isFailing, parseRule, type Standing, type Trouble } from '../../traffic/index.ts';
import { backendOf } from '../traffic/groups.ts';
import { flagOf, isOfBackend, shareWords, troubleWords } from '../traffic/trouble-words.ts';
import type { RouteTestBackend, RouteTestRecord } from './record.ts';

/**
 * Says of each backend what requests to it met lately, and gives the worst as a hint: a backend that is ready may refuse connections. What proxies
 * answered themselves, as for an authorization service that fails, is a hint for requests to the same rule.
 */
export function withTroubles(record: RouteTestRecord, { troubles }: Standing): RouteTestRecord {
  const backends = record.backends.map((backend) => ({ ...backend, failing: failingOf(backend, troubles) }));
  const ofProxies = troubles.filter((trouble) => !isOfBackend(trouble) && isOfRule(trouble, record)).map(shown);
  const hints = [...backends.map(({ failing }) => failing), ...ofProxies].flatMap((failing) =>
    failing === null ? [] : [`since ${failing.since}, ${failing.message}; GET /v1/failures has single requests`],
  );
  return { ...record, backends, hints: [...hints, ...record.hints] };
}

function isOfRule({ route }: Trouble, { route: asked }: RouteTestRecord): boolean {
  const found = parseRule(route);
  if (!found || !asked) return false;
  const { kind, namespace, name, rule } = asked;
  return found.kind === kind && found.namespace === namespace && found.name === name && found.rule === rule;
}

function failingOf(
  { namespace, service, port }: RouteTestBackend,
  troubles: readonly Trouble[],
): RouteTestBackend['failing'] {
  const isOwn = (trouble: Trouble): boolean => {
    const found = backendOf(trouble.backend);
    return isOfBackend(trouble) && found?.namespace === namespace && found.name === `${service}:${port}`;
  };
  const own = troubles.filter(isOwn);
  const [worst] = own.sort((a, b) => Number(isFailing(b)) - Number(isFailing(a)) || b.errors - a.errors);
  return worst === undefined ? null : shown(worst);
}

function shown(trouble: Trouble): NonNullable<RouteTestBackend['failing']> {
  const { since, requests, errors } = trouble;
  return {
    message: `${shareWords(trouble)}: ${troubleWords(trouble)}`,
    flag: flagOf(trouble) ?? null,
    since: new Date(since).toJSON(),
    requests,
    errors,
  };
}
