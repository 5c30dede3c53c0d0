/** The one table of what ingress-nginx 1.15 knows: annotations, with what each means and what the move does to it. */
import { didYouMean } from '../../std/index.ts';
import { access } from './access.ts';
import type { Annotation } from './annotation.ts';
import { answers } from './answers.ts';
import { backends } from './backends.ts';
import { externalAuth } from './external-auth.ts';
import { firewall } from './firewall.ts';
import { other } from './other.ts';
import { routing } from './routing.ts';
import { traffic } from './traffic.ts';

export type { Annotation } from './annotation.ts';
export { entriesOf, formText, parseBoolean, valueFault } from './value-form.ts';

/** What comes before each name, unless the controller has another `--annotations-prefix`. */
export const usualPrefix = 'nginx.ingress.kubernetes.io';

/** Annotations by what they are about, as the page shows them. */
export const annotationGroups: readonly (readonly [title: string, rows: readonly Annotation[]])[] = [
  ['Redirects, paths, hosts and canaries', routing],
  ['Who may come in', [...externalAuth, ...access, ...firewall]],
  ['Sizes, times, retries, limits and copies', traffic],
  ['Backends and sessions', backends],
  ['Answers', answers],
  ['TLS, logs and snippets', other],
];

export const annotations: readonly Annotation[] = annotationGroups.flatMap(([, rows]) => rows);

/** By name and by each alias. */
const byName: ReadonlyMap<string, Annotation> = new Map(
  annotations.flatMap((row) => [row.name, ...(row.aliases ?? [])].map((name) => [name, row] as const)),
);

/** An annotation by its name without a prefix. */
export const findAnnotation = (name: string): Annotation | undefined => byName.get(name);

/** `; did you mean "proxy-body-size"?` of a name that is none, or nothing. */
export const meantAnnotation = (name: string): string => didYouMean(name, [...byName.keys()]);
