import { isNoticeable, type Standing, type Trouble } from '../../traffic/index.ts';
import type { AdminSources } from '../sources.ts';
import { askReplicas } from './ask-replicas.ts';

export const ownStandingPath = '/v1/replicas/standing';

/** What fails now, by all replicas. */
export async function askStanding(sources: AdminSources): Promise<Standing> {
  const { answers } = await askReplicas<Standing>(ownStandingPath, sources);
  const own = sources.traffic.standing();
  const all = [own, ...answers];
  const troubles = Map.groupBy(
    all.flatMap((each) => each.troubles),
    ({ fleet, route, backend }) => `${fleet}\n${route}\n${backend}`,
  );
  return {
    troubles: [...troubles.values()].map(merged).filter(isNoticeable),
    endpoints: all.flatMap(({ endpoints }) => endpoints),
  };
}

/** What several replicas say of one rule and backend. */
function merged(parts: readonly Trouble[]): Trouble {
  const [first] = [...parts].sort((a, b) => b.errors - a.errors) as [Trouble, ...Trouble[]];
  const sum = (name: 'requests' | 'errors') => parts.reduce((total, part) => total + part[name], 0);
  return {
    ...first,
    since: Math.min(...parts.map(({ since }) => since)),
    lastAt: Math.max(...parts.map(({ lastAt }) => lastAt)),
    requests: sum('requests'),
    errors: sum('errors'),
    sample: first.sample ?? parts.find(({ sample }) => sample !== null)?.sample ?? null,
  };
}
