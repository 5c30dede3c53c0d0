import {
  type Annotation,
  configKeys,
  directives,
  findAnnotation,
  flags,
  formText,
  meantAnnotation,
  type Setting,
  settingNamed,
} from '../../../ingress/index.ts';
import { CliError } from '../../kit/cli-error.ts';

/** All that is known of a name, which may be one of several things, such as `server-snippet`. Throws a CliError for one that is not known. */
export function explainName(given: string): string {
  // Annotations are pasted with their prefix, and flags with a value.
  const name = given.replace(/^[a-z0-9.-]+\//, '').replace(/=.*$/s, '');
  const annotation = findAnnotation(name);
  const found = [
    ...(annotation ? [annotationText(annotation)] : []),
    ...settingNamed(configKeys, name).map((key) => settingText('a key of the ConfigMap', key)),
    ...settingNamed(flags, name).map((flag) => settingText('a flag of the controller', flag)),
    ...settingNamed(directives, name).map((directive) => settingText('a directive of snippets', directive)),
  ];
  if (found.length > 0) return found.join('\n\n');
  throw new CliError(
    `ingress-nginx 1.15 has no annotation, ConfigMap key or flag ${JSON.stringify(name)}, and no snippet directive of that name has an equivalent here${meantAnnotation(name)}`,
  );
}

const scopes = {
  location: 'the paths of its Ingress',
  ingress: 'its Ingress',
  host: 'all paths of its hosts',
} as const;
const effects = {
  ignored: 'ignored, with a line in the controller’s log',
  'location-503': 'its paths answer 503',
  'host-403': 'the whole host answers 403',
} as const;

function annotationText(row: Annotation): string {
  const { name, aliases = [], scope, risk, value, default: byDefault, unusable = 'ignored' } = row;
  return lines([
    `${[name, ...aliases].join(', ')}: an annotation`,
    plain(row.meaning),
    `for: ${scopes[scope]}`,
    `value: ${plain(formText(value))}${byDefault === undefined ? '' : `, else ${byDefault}`}; one that cannot be used: ${effects[unusable]}`,
    ...(risk === 'Critical' || risk === 'High'
      ? [`risk: ${risk}; an annotation above annotations-risk-level keeps its Ingress from being served`]
      : []),
    ...fateLines(row),
    ...(row.protects ? ['protects: an Ingress is not converted without it unless it is named'] : []),
  ]);
}

const settingText = (kind: string, setting: Setting): string =>
  lines([
    `${setting.name}: ${kind}`,
    ...(setting.default === undefined ? [] : [`default: ${setting.default}`]),
    ...fateLines(setting),
  ]);

const fateLines = ({ verdict, becomes, why }: Pick<Annotation, 'verdict' | 'becomes' | 'why'>): readonly string[] => [
  `verdict: ${verdict}${why === undefined ? '' : `: ${plain(why)}`}`,
  `becomes: ${plain(becomes)}`,
];

const lines = (parts: readonly string[]): string => parts.join('\n');

/** Without the marks that a page shows as code and as bold. */
const plain = (text: string): string => text.replaceAll(/`|\*\*/g, '');
