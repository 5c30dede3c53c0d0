import { type KindName, keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { type ListSpec, oneOf } from '../http/index.ts';
import { kindCategory } from '../resource-kinds/resource-kind-record.ts';

/** How the list of namespaces is narrowed and ordered. */
export const namespaceList: ListSpec<string> = {
  filters: { name: (value) => (name) => name === value },
  sorts: { name: (name) => name },
};

const categories = ['gateway', 'route', 'policy', 'backend', 'ai', 'core'] as const;

/** How the list of kinds is narrowed and ordered; by category in the order of a person's interest. */
export const resourceKindList: ListSpec<KindName> = {
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
};

/** How the list of Services is narrowed and ordered. */
export const serviceList: ListSpec<ObjectByKind['Service']> = {
  filters: {
    namespace: (value) => (service) => service.metadata.namespace === value,
    name: (value) => (service) => service.metadata.name === value,
    type: (value) => (service) => (service.spec.type ?? 'ClusterIP') === value,
  },
  sorts: {
    namespace: (service) => keyOf(service).replace('/', '\u0000'),
    name: (service) => service.metadata.name,
    type: (service) => service.spec.type ?? 'ClusterIP',
  },
};
