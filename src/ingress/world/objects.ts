import type { KubernetesObject } from '../../gateway-api/index.ts';

export type { Ingress, IngressBackend, IngressClass } from '../../gateway-api/index.ts';

/** The part of a Deployment or DaemonSet that says how a program is started. */
export interface Workload extends KubernetesObject {
  readonly kind: 'Deployment' | 'DaemonSet';
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly image?: string;
          readonly command?: readonly string[];
          readonly args?: readonly string[];
        }[];
      };
    };
  };
}
