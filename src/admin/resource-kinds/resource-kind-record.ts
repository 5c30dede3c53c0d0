import { kindModules } from '../../controllers/index.ts';
import { apiVersionOf, type KindName, kinds } from '../../gateway-api/index.ts';
import { isManagedKind } from '../managed-resources/managed-kinds.ts';
import type { AdminSources } from '../sources.ts';
import type { ResourceKindRecord } from './record.ts';

export type KindCategory = ResourceKindRecord['category'];

/** Every kind that is read. */
export const listResourceKinds = (): readonly KindName[] => Object.keys(kinds) as KindName[];

export const kindCategory = (kind: KindName): KindCategory => kindModules[kind].about.category;

export function resourceKindRecord(name: KindName, { availability, managed }: AdminSources): ResourceKindRecord {
  const { category, description } = kindModules[name].about;
  const { available, message } = availability(name);
  const { writableKinds, writeAdvice } = managed();
  const writable = available && writableKinds.has(name);
  return {
    kind: name,
    apiVersion: apiVersionOf(kinds[name]),
    category,
    description,
    namespaced: kinds[name].namespaced,
    writable,
    writableMessage: available && !writable && isManagedKind(kinds[name]) ? writeAdvice : '',
    available,
    availabilityMessage: available ? '' : message,
  };
}
