import { apiUrl, get } from '../api/index.ts';
import { findOperations } from '../pages/docs/api/find-operations.ts';
import { type OpenApi, type Reference, referenceOf } from '../pages/docs/api/reference.ts';
import { link } from '../router/index.ts';
import { texts } from '../text/index.ts';
import { findInGuide, type Heading } from './guide-headings.ts';

/** Where the palette leads to. */
export interface Choice {
  readonly href: string;
  readonly title: string;
  readonly detail: string;
}

/** Places in the documentation; `first` before anything else, as what was typed is a path of the API. */
export interface LookedUp {
  readonly first: readonly Choice[];
  readonly last: readonly Choice[];
}

const words = texts(
  {
    guide: (title: string) => `documentation · ${title}`,
    api: (summary: string) => `API · ${summary}`,
    schema: 'API · schema',
  },
  { guide: (title) => `Dokumentation · ${title}`, api: (summary) => `API · ${summary}`, schema: 'API · Schema' },
);

/** Of shorter words there is too much. */
const shortest = 3;

/** What the documentation and the reference of the API have of a query. What cannot be loaded is left out. */
export async function lookUp(query: string): Promise<LookedUp> {
  const [headings, operations] = await Promise.all([
    findInGuide(query).then((found) => found.map(choiceOfHeading), none),
    query.length < shortest ? [] : findInApi(query).catch(none),
  ]);
  return isPathOfApi(query) ? { first: operations, last: headings } : { first: [], last: [...headings, ...operations] };
}

const none = (): Choice[] => [];

const isPathOfApi = (query: string): boolean => /^(?:[a-z]+ +)?\/(?:api\/)?v\d/i.test(query);

let reference: Promise<Reference> | undefined;

async function findInApi(query: string): Promise<Choice[]> {
  // It is the same as long as the control plane runs.
  reference ??= get<OpenApi>(apiUrl('/openapi.json')).then(referenceOf);
  const asked = reference;
  const known = await asked.catch((error: unknown) => {
    if (reference === asked) reference = undefined;
    throw error;
  });
  const { operations, schemas } = findOperations(known, query);
  return [
    ...operations.map(({ operationId, method, path, summary }) => ({
      href: link('docs', ['api', operationId]),
      title: `${method.toUpperCase()} ${path}`,
      detail: words().api(summary),
    })),
    ...schemas.map((name) => ({ href: link('docs', ['api', 'schema', name]), title: name, detail: words().schema })),
  ];
}

const choiceOfHeading = ({ file, title, heading }: Heading): Choice => ({
  href: link('docs', [file], { at: heading === title ? '' : heading }),
  title: heading,
  detail: words().guide(title),
});
