import { setTimeout as sleep } from 'node:timers/promises';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { KubeApiServer } from './kube-apiserver.ts';

const deployments: ResourceType = { group: 'apps', version: 'v1', plural: 'deployments' };

interface Workload extends KubernetesObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly observedGeneration?: number };
}

/**
 * Does for an API server without a cluster what the controller of Deployments and kubelets would, as far as people wait for it: Deployments have all of their pods
 * at once.
 */
export class DeploymentController {
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  readonly #api: KubeApiServer;

  constructor(api: KubeApiServer) {
    this.#api = api;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await this.#look();
      await sleep(100, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { client } = this.#api;
    const { items } = await client.listPage<Workload>(deployments, {});
    for (const { metadata, spec, status } of items) {
      const { namespace = '', name, generation } = metadata;
      if (status?.observedGeneration === generation) continue;
      const replicas = spec.replicas ?? 1;
      const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
      const patch = { status: { observedGeneration: generation, ...counts } };
      await client.patchStatus(deployments, { namespace, name }, patch).catch(ignoreGone);
    }
  }
}

/** Commands of the test delete what was just listed. */
const ignoreGone = (): void => undefined;
