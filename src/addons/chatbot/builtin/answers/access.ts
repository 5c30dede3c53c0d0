import { ruleLabel } from '../../../../gateway-api/index.ts';
import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { KnownObject } from '../understand/resolve.ts';
import { type Answer, type Answering, nameOf } from './answering.ts';

/** Who may call the routes that the question names; without one, the routes that every client may call. */
export async function* accessAnswer({ frame, call, say }: Answering): Answer {
  const subjects = frame.objects.flatMap((object) => subjectOf(object) ?? []).slice(0, 3);
  if (subjects.length === 0) {
    const { total, open } = (yield* call('explain_access')) as {
      readonly total: number;
      readonly open: readonly wire.OpenRouteAnswer[];
    };
    if (total === 0) return say.noOpenRoutes;
    const named = open.slice(0, 2 * mostListed).map(({ rules, ruleNames, host, ...route }) => {
      const labels = rules.map((rule, at) => ruleLabel(rule, ruleNames[at]));
      return `${nameOf(route)} (${clusterText(host)}): ${say.rules(clusterText(labels.join(', ')))}`;
    });
    return paragraphs(say.openRoutes(total), lines(named), total > named.length && say.more(total - named.length));
  }
  const parts: string[] = [];
  for (const { object, asked, placeOf } of subjects) {
    const { entries, unguarded = [] } = (yield* call('explain_access', asked)) as Explained;
    const shown = entries.slice(0, 2 * mostListed);
    const open = unguarded.length > 0 ? [say.unguardedRules(clusterText(unguarded.join(', ')))] : [];
    const more = entries.length - shown.length;
    parts.push(
      entries.length === 0
        ? say.everyClientMayCall(nameOf(object))
        : paragraphs(
            say.demandedOf(nameOf(object)),
            lines([...shown.map((entry) => entryText(entry, placeOf(entry))), ...open]),
            more > 0 && say.more(more),
          ),
    );
  }
  return paragraphs(...parts);
}

interface Explained {
  readonly entries: readonly wire.AccessAnswer[];
  /** Rules of a route that nothing is demanded of. */
  readonly unguarded?: readonly string[];
}

/** What is asked of the tool about an object, and how its answer names places. */
interface Subject {
  readonly object: KnownObject;
  readonly asked: object;
  readonly placeOf: (entry: wire.AccessAnswer) => string;
}

function subjectOf(object: KnownObject): Subject | undefined {
  const { kind, namespace, name } = object;
  const path = `${kind}/${namespace}/${name}`;
  if (kind.endsWith('Route')) return { object, asked: { route: path }, placeOf: ruleText };
  if (kind === 'Gateway' || kind === 'ListenerSet') return { object, asked: { target: path }, placeOf: targetText };
  if (kind === 'AccessPolicy') return { object, asked: { policy: `${namespace}/${name}` }, placeOf: targetText };
  return undefined;
}

const ruleText = ({ rule, target }: wire.AccessAnswer): string => `rule ${ruleLabel(rule ?? 0, target.rule)}`;

const targetText = ({ target: { kind, namespace, name, rule } }: wire.AccessAnswer): string =>
  `${kind} ${namespace}/${name}${rule === null ? '' : ` ${rule}`}`;

const entryText = ({ part, level, policy, state, by, reasons }: wire.AccessAnswer, place: string): string => {
  const other = by === null ? '' : ` by ${by.namespace}/${by.name}`;
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  const what = part === null ? '' : `${part} `;
  return clusterText(
    `${place}: ${what}(${level ?? 'no level'}, ${policy.namespace}/${policy.name}) ${state}${other}${why}`,
  );
};
