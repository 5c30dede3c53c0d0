import * as z from 'zod';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { listNamespaces } from './list-namespaces.ts';

/** `/v1/namespaces`: names alone. */
export const namespaces = resource({
  path: '/v1/namespaces',
  summary: 'Known namespaces',
  record: z.string(),
  list: {
    entries: ({ graph }: AdminSources) => listNamespaces(graph),
    filters: { name: (value) => (name) => name === value },
    sorts: { name: (name) => name },
  },
  present: () => (name) => name,
});
