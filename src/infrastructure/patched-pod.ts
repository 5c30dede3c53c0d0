import type { V1PodSpec } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';
import { agentContainer, type Json, patched } from '../pod-patch/index.ts';
import { containerSecurity } from './security.ts';

/** The pod with the patch of its parameters, which was judged before (podPatchFault). Containers that it adds have the security settings of ours, unless it has others. */
export function patchedPod(pod: V1PodSpec, patch: DataPlaneSpec['podPatch']): V1PodSpec {
  if (!patch) return pod;
  const merged = patched(pod as unknown as Json, patch as Json) as unknown as V1PodSpec;
  return {
    ...merged,
    containers: merged.containers.map(secured),
    ...(merged.initContainers && { initContainers: merged.initContainers.map(secured) }),
  };
}

/** Only the agent binds ports of nodes. */
const secured = (container: V1PodSpec['containers'][number]): V1PodSpec['containers'][number] =>
  container.name === agentContainer
    ? container
    : { ...container, securityContext: patched({ ...containerSecurity({}) }, { ...container.securityContext }) };
