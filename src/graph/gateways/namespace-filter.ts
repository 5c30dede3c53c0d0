import { type LabelSelector, selects } from '../../gateway-api/index.ts';
import type { Store } from '../engine/index.ts';

/** Who may attach, by namespace. Source: RouteNamespaces, ListenerNamespaces. */
export interface NamespaceFilter {
  readonly from: string;
  readonly selector?: unknown;
}

/** Whether what lives in `namespace` may attach to something of namespace `home`. */
export function isNamespaceAllowed(filter: NamespaceFilter, home: string, namespace: string, store: Store): boolean {
  const { from, selector } = filter;
  if (from === 'All') return true;
  if (from === 'Same') return namespace === home;
  if (from !== 'Selector' || !selector) return false;
  return selects(selector as LabelSelector, store.find('Namespace', namespace)?.metadata.labels);
}
