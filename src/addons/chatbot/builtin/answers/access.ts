import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import { type Answer, type Answering, nameOf } from './answering.ts';

/** Who may call the routes that the question names; without one, the routes that every client may call. */
export async function* accessAnswer({ frame, call, say }: Answering): Answer {
  const routes = frame.objects.filter(({ kind }) => kind === 'HTTPRoute' || kind === 'GRPCRoute').slice(0, 3);
  if (routes.length === 0) {
    const { total, open } = (yield* call('explain_access')) as {
      readonly total: number;
      readonly open: readonly wire.OpenRouteAnswer[];
    };
    if (total === 0) return say.noOpenRoutes;
    const named = open
      .slice(0, 2 * mostListed)
      .map(({ rules, host, ...route }) => `${nameOf(route)} (${clusterText(host)}): ${say.rules(rules.join(', '))}`);
    return paragraphs(say.openRoutes(total), lines(named), total > named.length && say.more(total - named.length));
  }
  const parts: string[] = [];
  for (const route of routes) {
    const { kind, namespace, name } = route;
    const { entries } = (yield* call('explain_access', { route: `${kind}/${namespace}/${name}` })) as {
      readonly entries: readonly wire.AccessAnswer[];
    };
    parts.push(
      entries.length === 0
        ? say.everyClientMayCall(nameOf(route))
        : paragraphs(say.demandedOf(nameOf(route)), lines(entries.slice(0, 2 * mostListed).map(entryText))),
    );
  }
  return paragraphs(...parts);
}

const entryText = ({ rule, part, level, policy, state, by, reasons }: wire.AccessAnswer): string => {
  const other = by === null ? '' : ` by ${by.namespace}/${by.name}`;
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return clusterText(`rule ${rule}: ${part} (${level}, ${policy.namespace}/${policy.name}) ${state}${other}${why}`);
};
