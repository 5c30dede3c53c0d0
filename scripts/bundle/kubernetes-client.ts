/**
 * What the operator and its framework use of the Kubernetes client library, for the bundle (see bundle.ts). The framework makes a
 * `CoreV1Api` of which it reads `basePath`, and does more only in methods that our operator replaces or never calls.
 */
import { KubeConfig } from '@kubernetes/client-node';

export { KubeConfig };

export const CoreV1Api = class CoreV1Api {};

const left = (name: string) =>
  class {
    constructor() {
      throw new Error(`${name} is not in this bundle: see scripts/bundle/kubernetes-client.ts`);
    }
  };

export const ApiextensionsV1Api = left('ApiextensionsV1Api');
export const Watch = left('Watch');
export const loadYaml = (): never => {
  throw new Error('loadYaml is not in this bundle: see scripts/bundle/kubernetes-client.ts');
};
