import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type MiniSearch from 'minisearch';
import { examplePassages } from './example-passages.ts';
import { type Passage, passagesOf } from './sections.ts';
import { termsOf } from './terms.ts';

/** A passage that fits a question. */
export interface Hit extends Passage {
  /** Of an example, its object; else null. */
  readonly manifest: string | null;
  readonly score: number;
  /** The part of the question's terms that it has, from 0 to 1. */
  readonly coverage: number;
}

interface Entry extends Passage {
  readonly id: number;
  readonly manifest: string | null;
  readonly fields: string;
}

/** What is about the project and not about its use. */
const leftOut: ReadonlySet<string> = new Set([
  'architecture.md',
  'conformance.md',
  'development.md',
  'performance.md',
  'policy-groups.md',
  'releasing.md',
]);
/** What they list is found by its code; to a question how something is done they are of less use. */
const lists: ReadonlySet<string> = new Set(['errors.md', 'ingress-nginx-annotations.md', 'metrics.md', 'problems.md']);
/** Passages that are added to the index in one turn of the event loop: some milliseconds. */
const chunkSize = 40;
/** More of a directory is not read, whatever is in it. */
const maxFiles = 200;
const maxBytes = 512 * 1024;

/**
 * The documentation and the examples of this release, by what they say. They are read and indexed when the first question comes, in
 * turns, and kept. A program without them has an empty handbook.
 */
export class Handbook {
  readonly #root: string;
  #index: Promise<{ readonly index: MiniSearch<Entry>; readonly entries: readonly Entry[] }> | undefined;

  /** `root`: the directory that has `docs` and `examples`. */
  constructor(root: string) {
    this.#root = root;
  }

  /** The passages that fit best, at most `limit`; none when the words are in none. */
  async search(question: string, limit: number): Promise<readonly Hit[]> {
    const asked = new Set(termsOf(question));
    if (asked.size === 0) return [];
    this.#index ??= indexOf(this.#root);
    const { index, entries } = await this.#index;
    const results = index.search([...asked].join(' '), { tokenize: (text) => text.split(/ /) });
    return results
      .slice(0, limit * 4)
      .flatMap(({ id, score, queryTerms }) => {
        const entry = entries[id];
        if (entry === undefined) return [];
        const { link, title, heading, text, manifest } = entry;
        const coverage = new Set(queryTerms).size / asked.size;
        return [{ link, title, heading, text, manifest, score: score * coverage * coverage, coverage }];
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  }
}

async function indexOf(
  root: string,
): Promise<{ readonly index: MiniSearch<Entry>; readonly entries: readonly Entry[] }> {
  // Only who asks how something is done needs it.
  const { default: Index } = await import('minisearch');
  const entries = await readEntries(root);
  const index = new Index<Entry>({
    fields: ['title', 'heading', 'text', 'fields'],
    tokenize: termsOf,
    processTerm: (term) => term,
    searchOptions: {
      boost: { heading: 3, title: 2, fields: 1.5 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 1 : false),
      weights: { fuzzy: 0.3, prefix: 0.6 },
      boostDocument: (id) => (lists.has(basename(entries[id as number]?.link.replace(/#.*/, '') ?? '')) ? 0.4 : 1),
    },
  });
  await index.addAllAsync(entries, { chunkSize });
  return { index, entries };
}

async function readEntries(root: string): Promise<readonly Entry[]> {
  const entries: Omit<Entry, 'id'>[] = [];
  for (const file of await filesIn(join(root, 'docs'), '.md')) {
    if (leftOut.has(basename(file))) continue;
    for (const passage of passagesOf(`docs/${basename(file)}`, await textOf(file)))
      entries.push({ ...passage, manifest: null, fields: '' });
  }
  for (const name of await namesIn(join(root, 'examples'))) {
    for (const file of await filesIn(join(root, 'examples', name), '.yaml'))
      entries.push(...examplePassages(name, await textOf(file)));
  }
  return entries.map((entry, id) => ({ ...entry, id }));
}

const textOf = async (file: string): Promise<string> => (await readFile(file, 'utf8')).slice(0, maxBytes);

const filesIn = async (directory: string, ending: string): Promise<string[]> =>
  (await namesIn(directory)).filter((name) => name.endsWith(ending)).map((name) => join(directory, name));

/** Sorted; none where there is no such directory. */
const namesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory).catch(() => [])).sort().slice(0, maxFiles);
