import { responseFlags } from '../../problems/index.ts';
import { isFailing, parseRule, type Trouble } from '../../traffic/index.ts';
import { flagOf, shareWords, troubleWords } from '../traffic/trouble-words.ts';
import type { Finding } from './problem.ts';

/** Routes whose requests fail now. One backend that fails is one problem, of as many routes as use it. */
export function* ofTraffic(troubles: readonly Trouble[]): Generator<Finding> {
  const byRoute = Map.groupBy(troubles, ({ route, backend }) => `${route.replace(/\/rule\/\d+$/, '')} ${backend}`);
  const worst = [...byRoute.values()].flatMap((some) => some.sort((a, b) => b.errors - a.errors)[0] ?? []);
  for (const trouble of worst.sort((a, b) => b.errors - a.errors)) {
    const route = parseRule(trouble.route);
    if (route === undefined) continue;
    const flag = flagOf(trouble);
    const explained = flag === undefined ? undefined : responseFlags[flag];
    const words = troubleWords(trouble);
    yield {
      code: 'traffic_failing',
      object: { kind: route.kind, namespace: route.namespace, name: route.name },
      message: `${shareWords(trouble)}: ${words}`,
      likeness: words,
      severity: isFailing(trouble) ? 'failing' : 'warning',
      since: new Date(trouble.since),
      ...(flag !== undefined && { reason: flag }),
      ...(explained && { cause: explained.causes.join(' '), next: explained.steps.join(' ') }),
    };
  }
}
