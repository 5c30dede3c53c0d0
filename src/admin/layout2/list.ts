import type { z } from 'zod';
import type { Endpoint } from '../resource/endpoint.ts';
import { type List, list, type Present } from '../resource/resource.ts';
import type { Shown } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { snakeCase } from './snake-case.ts';

/** What the description of the API lists these paths under. */
export const layout2Tag = 'Layout 2, control plane';

/** A list of Layout 1 under another path, with records of its own; the words that `sort` takes are in snake_case, as the fields are. */
export const listOf = <Entry, Schema extends z.ZodType>(
  found: List<AdminSources, Entry>,
  own: {
    readonly path: string;
    readonly summary: string;
    readonly record: Schema;
    readonly needsSync?: boolean;
    readonly present: Present<AdminSources, Entry, Shown<Schema>>;
  },
): Endpoint<AdminSources> =>
  list<AdminSources, Entry, Schema>({
    ...found,
    ...own,
    tag: layout2Tag,
    sorts: Object.fromEntries(Object.entries(found.sorts).map(([name, sort]) => [snakeCase(name), sort])),
  });
