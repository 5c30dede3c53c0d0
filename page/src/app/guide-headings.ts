import { fitsQuery } from '../parts/index.ts';

export interface Heading {
  readonly file: string;
  readonly title: string;
  readonly heading: string;
}

const mostHeadings = 8;

/** Headings of the documentation that have every word, those that begin with them first. They are loaded when somebody first searches. */
export async function findInGuide(query: string): Promise<readonly Heading[]> {
  const { documents } = await import('gatewright:guide');
  const fits = fitsQuery(query);
  return documents
    .flatMap(({ file, title, headings }) => [title, ...headings].map((heading) => ({ file, title, heading })))
    .filter(({ heading }) => fits(heading.toLowerCase()))
    .toSorted((a, b) => rankOf(a.heading, query) - rankOf(b.heading, query))
    .slice(0, mostHeadings);
}

const rankOf = (heading: string, query: string): number => heading.toLowerCase().indexOf(query.toLowerCase());
