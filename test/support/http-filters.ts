import { neighbours } from './traffic-world.ts';

/** An HTTPFilter with one member. */
export const httpFilter = (name: string, spec: object, namespace?: string) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'HTTPFilter',
  metadata: { name, ...(namespace && { namespace }) },
  spec,
});

export const secretObject = (name: string, stringData: Readonly<Record<string, string>>, meta: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, ...meta },
  stringData,
});

export const filterRef = (name: string) => ({
  type: 'ExtensionRef',
  extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name },
});

/** As clients may write the hosts of the route below: exact, in capitals, with a port, of a wildcard. */
export const filteredHosts = ['f.test', 'F.Test', 'f.test:8080', 'x.wf.test'] as const;

/** Hosts that no filter is for. */
export const plainHosts = neighbours;

/** Route `filtered`: under each path the filters of these names, and none for all else. */
export const filteredRoute = (rules: Readonly<Record<string, readonly string[]>>, more: readonly object[] = []) => {
  const backendRefs = [{ name: 'web', port: 80 }];
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'filtered' },
    spec: {
      parentRefs: [{ name: 'edge' }],
      hostnames: ['f.test', '*.wf.test'],
      rules: [
        ...Object.entries(rules).map(([value, names]) => ({
          matches: [{ path: { value } }],
          filters: names.map(filterRef),
          backendRefs,
        })),
        ...more,
        { backendRefs },
      ],
    },
  };
};
