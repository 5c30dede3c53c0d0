import { plainText, type Verdict, wordsOf } from '../../ingress/index.ts';
import { counted } from '../../std/index.ts';
import { type Conversion, isNotable, verdictOf } from './result.ts';

/** What a move would do to each object of another gateway. This is also what `-o json` prints: fields are only added. */
export interface ObjectsInventory {
  readonly version: 1;
  readonly from: string;
  readonly counts: Readonly<Record<'converted' | 'closed' | 'left', number>>;
  /** In the order of the conversion. `closed`: what it is for would deny all requests; `left`: nothing would be made of it. */
  readonly objects: readonly {
    readonly object: string;
    readonly outcome: 'converted' | 'closed' | 'left';
    readonly verdict: Verdict;
    readonly findings: readonly { readonly verdict: Verdict; readonly about: string; readonly text: string }[];
  }[];
  /** What could not be read, in words. */
  readonly unread: readonly string[];
}

const worstFirst: readonly Verdict[] = ['not-served', 'cannot', 'decision', 'differs', 'same', 'no-effect'];

export function objectsInventory(from: string, { objects }: Conversion, unread: readonly string[]): ObjectsInventory {
  const count = (outcome: string) => objects.filter((each) => each.outcome === outcome).length;
  return {
    version: 1,
    from,
    counts: { converted: count('converted'), closed: count('closed'), left: count('left') },
    objects: objects.map((each) => ({
      object: each.id,
      outcome: each.outcome,
      verdict: verdictOf(each),
      findings: each.notes
        .filter(isNotable)
        .map(({ verdict, field, text }) => ({ verdict, about: field, text }))
        .sort((a, b) => worstFirst.indexOf(a.verdict) - worstFirst.indexOf(b.verdict)),
    })),
    unread,
  };
}

/** Whether there is nothing to decide. */
export const isAllConverted = ({ objects }: ObjectsInventory): boolean =>
  objects.every(({ outcome, verdict }) => outcome !== 'closed' && verdict !== 'cannot' && verdict !== 'decision');

/** For a terminal: how many objects have which verdict, then what is to be known of each. */
export function objectsInventoryText({ from, counts, objects, unread }: ObjectsInventory): string {
  const total = counted(objects.length, 'object');
  return [
    `${total} of ${from}: ${counts.converted} converted, ${counts.closed} closed, ${counts.left} left out`,
    ...verdictCounts(objects).map(
      ([verdict, count]) => `  ${wordsOf(verdict).padEnd(18)} ${String(count).padStart(5)}`,
    ),
    ...objects.flatMap(({ object, outcome, findings }) =>
      findings.length === 0
        ? []
        : [
            '',
            `${object}${outcome === 'converted' ? '' : ` (${outcome === 'closed' ? 'closed' : 'left out'})`}`,
          ].concat(findings.map(({ verdict, about, text }) => `  ${wordsOf(verdict)}: ${about}: ${text}`)),
    ),
    ...(unread.length === 0 ? [] : ['', ...unread.map((line) => `not read: ${line}`)]),
  ]
    .map((line) => line.replaceAll(/\p{Cc}/gu, ' '))
    .join('\n');
}

/** For a pull request. */
export const objectsInventoryMarkdown = ({ from, counts, objects, unread }: ObjectsInventory): string =>
  [
    `# Inventory of ${from}`,
    '',
    `${counted(objects.length, 'object')}: ${counts.converted} converted, ${counts.closed} closed, ${counts.left} left out.`,
    '',
    '| verdict | objects |',
    '|---|---|',
    ...verdictCounts(objects).map(([verdict, count]) => `| ${wordsOf(verdict)} | ${count} |`),
    '',
    '| object | outcome | verdict | findings |',
    '|---|---|---|---|',
    ...objects.map(
      ({ object, outcome, verdict, findings }) =>
        `| ${plainText(object)} | ${outcome} | ${wordsOf(verdict)} | ${findings.map(({ about, text }) => plainText(`${about}: ${text}`)).join('<br>')} |`,
    ),
    ...unread.map((line) => `\nNot read: ${plainText(line)}`),
  ].join('\n');

const verdictCounts = (objects: ObjectsInventory['objects']): readonly (readonly [Verdict, number])[] =>
  worstFirst
    .map((verdict) => [verdict, objects.filter((each) => each.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0);
