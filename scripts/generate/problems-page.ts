import { catalogue, type Explanation } from '../../src/admin/index.ts';
import { problemCodes } from '../../src/problems/index.ts';

/** docs/problems.md. */
export function problemsPage(): string {
  return [
    '# Problems',
    '',
    '<!-- Made by `npm run generate` from src/problems and src/gateway-api/condition-reasons.ts. -->',
    '',
    'This page explains what can be wrong, what causes it and what to do. `gatewright explain CODE` and `/v1/explain/{code}` print the same.',
    '`gatewright status`, `/v1/problems`, the chatbot and MCP list what is wrong now; `/v1/summary` has the most important of it as warnings.',
    'Error codes of the admin API are in [errors.md](errors.md).',
    '',
    '## Codes of problems',
    '',
    '`failing`: something that a user wrote is not served. `warning`: it is served, and a person should look at it. The worst come first.',
    '',
    ...sectionOf('problem'),
    '## Response flags',
    '',
    'Envoy writes them into its access log as `%RESPONSE_FLAGS%`, and into its statistics.',
    '',
    ...sectionOf('flag'),
    '## Response code details',
    '',
    'Envoy writes them into its access log as `%RESPONSE_CODE_DETAILS%`: why it answered a request by itself. These are of policies of access.',
    '',
    ...sectionOf('detail'),
    '## Reasons of conditions',
    '',
    'The message of the condition says what exactly is wrong.',
    '',
    ...sectionOf('reason'),
  ].join('\n');
}

const sectionOf = (kind: Explanation['kind']): string[] => catalogue.filter((row) => row.kind === kind).flatMap(textOf);

const textOf = ({ code, kind, summary, causes, steps }: Explanation): string[] => [
  `### ${code}`,
  '',
  ...(kind === 'problem'
    ? [`Severity \`${problemCodes[code as keyof typeof problemCodes].severity}\`. ${summary}`]
    : [summary]),
  '',
  ...list('Causes', causes),
  ...list('What to do', steps),
];

const list = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`${title}:`, '', ...items.map((item) => `- ${item}`), ''];
