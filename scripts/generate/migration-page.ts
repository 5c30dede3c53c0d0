import {
  type Annotation,
  annotationGroups,
  annotations,
  configKeys,
  directives,
  flags,
  formText,
  type Setting,
} from '../../src/ingress/index.ts';

/** docs/ingress-nginx-annotations.md. */
export const migrationPage = (): string =>
  [
    '# Annotations, ConfigMap keys and flags of ingress-nginx',
    '',
    '<!-- Made by `npm run generate` from src/ingress. -->',
    '',
    `This page is for people who move from ingress-nginx. It lists what each setting of ingress-nginx 1.15 becomes here: ${annotations.length} annotations, ${configKeys.length} ConfigMap keys, ${flags.length} flags.`,
    '`gatewright migrate explain NAME` prints the same. [From ingress-nginx](from-ingress-nginx.md) describes the move.',
    '',
    '| verdict | annotations | meaning |',
    '|---|---|---|',
    ...(Object.keys(meanings) as (keyof typeof meanings)[]).map(
      (verdict) =>
        `| ${verdict} | ${annotations.filter((row) => row.verdict === verdict).length} | ${meanings[verdict]} |`,
    ),
    '',
    'The verdict is the best that a value can get. For an invalid value, the verdict follows what the controller does with it.',
    '**Protects** marks annotations that keep requests out. An Ingress is not converted without them, unless you name the Ingress.',
    ...annotationGroups.flatMap(([title, rows]) => [
      '',
      `## ${title}`,
      '',
      '| annotation | what it does | value | verdict | becomes |',
      '|---|---|---|---|---|',
      ...rows.map(annotationRow),
    ]),
    ...settings('Keys of the ConfigMap', 'key', configKeys),
    ...settings('Flags of the controller', 'flag', flags),
    ...settings('Directives of snippets', 'directive', directives),
    '',
  ].join('\n');

const meanings: Readonly<Record<Annotation['verdict'], string>> = {
  same: 'requests are answered as before',
  differs: 'requests are answered differently, as the row describes',
  decision: 'a person must choose or write something',
  cannot: 'there is no equivalent here',
  'no-effect': 'nothing is lost without it',
};

function annotationRow(row: Annotation): string {
  const { name, aliases = [], meaning, value, default: byDefault, protects } = row;
  const names = [name, ...aliases].map((each) => `\`${each}\``).join(', ');
  return cells([
    protects ? `${names} **protects**` : names,
    meaning,
    `${formText(value)}${byDefault === undefined ? '' : `; else \`${byDefault}\``}`,
    row.verdict,
    fate(row),
  ]);
}

const settings = (title: string, heading: string, rows: readonly Setting[]): readonly string[] => [
  '',
  `## ${title}`,
  '',
  `| ${heading} | default | verdict | becomes |`,
  '|---|---|---|---|',
  ...rows.map((row) =>
    cells([`\`${row.name}\``, row.default === undefined ? '' : `\`${row.default}\``, row.verdict, fate(row)]),
  ),
];

const fate = ({ becomes, why }: Pick<Setting, 'becomes' | 'why'>): string =>
  why === undefined ? becomes : `${becomes}. ${sentence(why)}`;

/** Reasons are written to follow a colon; after a period they need a capital letter, which the name nginx never has. */
const sentence = (text: string): string =>
  text.startsWith('nginx') ? text : text.charAt(0).toUpperCase() + text.slice(1);

const cells = (texts: readonly string[]): string =>
  `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
