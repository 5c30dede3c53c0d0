import { oneOf } from '../http/index.ts';
import { resource } from '../resource/resource.ts';
import type { AdminSources } from '../sources.ts';
import { categories, resourceKind } from './record.ts';
import { kindCategory, listResourceKinds, resourceKindRecord } from './resource-kind-record.ts';

/** `/v1/resource-kinds`: what is read, and what can be written. */
export const resourceKinds = resource({
  path: '/v1/resource-kinds',
  // Known by the program.
  needsSync: false,
  summary: 'Kinds that are read',
  record: resourceKind,
  list: {
    entries: (_: AdminSources) => listResourceKinds(),
    filters: {
      kind: (value) => (kind) => kind.toLowerCase() === value.toLowerCase(),
      category: (value) => {
        const wanted = oneOf('category', value, categories);
        return (kind) => kindCategory(kind) === wanted;
      },
    },
    sorts: {
      category: (kind) => `${categories.indexOf(kindCategory(kind))} ${kind}`,
      kind: (kind) => kind,
    },
  },
  present: (sources) => (kind) => resourceKindRecord(kind, sources),
});
