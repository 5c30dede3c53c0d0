import { picksLately } from '../picks/lately.ts';
import type { AdminSources } from '../sources.ts';
import type { RouteTestRecord } from './record.ts';

/** Says of each pool which of its servers answered lately, and whether its picker chose them. */
export async function withPicks(record: RouteTestRecord, sources: AdminSources): Promise<RouteTestRecord> {
  if (record.backends.every(({ picker }) => picker === null)) return record;
  const lately = await picksLately(sources);
  const backends = record.backends.map((backend) => ({
    ...backend,
    picker: backend.picker && { ...backend.picker, lately: lately.get(backend.picker.pool) ?? [] },
  }));
  return { ...record, backends };
}
