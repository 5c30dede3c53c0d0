import { plainText, wordsOf } from '../../ingress/index.ts';
import { counted } from '../../std/index.ts';
import { type Conversion, isNotable, verdictOf } from './result.ts';

/** `report.md` of a conversion: what is closed, what is to be decided, and what became of each object. */
export function objectsReport(from: string, { files, objects }: Conversion, unread: readonly string[]): string {
  const made = objects.filter(({ outcome }) => outcome === 'converted');
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}`, '', ...lines, ''];
  const of = (verdict: string) =>
    objects.flatMap(({ id, notes }) =>
      notes
        .filter((note) => note.verdict === verdict)
        .map(({ field, text }) => `- ${plainText(id)} \`${field.replaceAll('`', '')}\`: ${plainText(text)}`),
    );
  return [
    `# Conversion from ${from}`,
    '',
    `${made.length} of ${counted(objects.length, 'object')} are converted. Apply the files together; nothing here changes an object of ${from}.`,
    '',
    ...part(
      'Could not be read',
      unread.map((line) => `- ${plainText(line)}`),
    ),
    ...part(
      'Closed: what they are for denies all requests',
      objects
        .filter(({ outcome }) => outcome === 'closed')
        .map(
          ({ id, notes }) =>
            `- ${plainText(id)}: ${notes
              .filter(({ blocks }) => blocks)
              .map(({ field }) => `\`${field.replaceAll('`', '')}\``)
              .join(', ')}`,
        ),
    ),
    ...part(
      'Left out',
      objects
        .filter(({ outcome }) => outcome === 'left')
        .map(({ id, notes }) => `- ${plainText(id)}: ${plainText(notes[0]?.text ?? 'nothing is made of it')}`),
    ),
    ...part('Needs a decision', of('decision')),
    ...part('Cannot', of('cannot')),
    ...part('Differs so', of('differs')),
    ...part('Objects', ['| object | outcome | verdict | |', '|---|---|---|---|', ...objects.map(rowOf)]),
    ...part(
      'Files',
      [...files.keys()].map((file) => `- ${file}`),
    ),
  ].join('\n');
}

function rowOf(object: Conversion['objects'][number]): string {
  const { id, outcome, notes } = object;
  return `| ${plainText(id)} | ${outcome} | ${wordsOf(verdictOf(object))} | ${counted(notes.filter(isNotable).length, 'note')} |`;
}
