import { isFailing, type Standing, type Trouble } from '../../traffic/index.ts';
import { backendOf } from '../traffic/groups.ts';
import { flagOf, shareWords, troubleWords } from '../traffic/trouble-words.ts';
import type { RouteTestBackend, RouteTestRecord } from './record.ts';

/** Says of each backend what requests to it met lately, and gives the worst as a hint: a backend that is ready may refuse connections. */
export function withTroubles(record: RouteTestRecord, { troubles }: Standing): RouteTestRecord {
  const backends = record.backends.map((backend) => ({ ...backend, failing: failingOf(backend, troubles) }));
  const hints = backends.flatMap(({ failing }) =>
    failing === null ? [] : [`since ${failing.since}, ${failing.message}; GET /v1/failures has single requests`],
  );
  return { ...record, backends, hints: [...hints, ...record.hints] };
}

function failingOf(
  { namespace, service, port }: RouteTestBackend,
  troubles: readonly Trouble[],
): RouteTestBackend['failing'] {
  const isOfBackend = ({ backend }: Trouble): boolean => {
    const found = backendOf(backend);
    return found !== undefined && found.namespace === namespace && found.name === `${service}:${port}`;
  };
  const own = troubles.filter(isOfBackend);
  const [worst] = own.sort((a, b) => Number(isFailing(b)) - Number(isFailing(a)) || b.errors - a.errors);
  if (worst === undefined) return null;
  const { since, requests, errors } = worst;
  return {
    message: `${shareWords(worst)}: ${troubleWords(worst)}`,
    flag: flagOf(worst) ?? null,
    since: new Date(since).toJSON(),
    requests,
    errors,
  };
}
