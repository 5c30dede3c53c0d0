import type { KubeClient } from '../../../src/kube/index.ts';

/** Whether the API server allows it: a SubjectAccessReview with this spec (authorization.k8s.io/v1). */
export async function isAllowed(client: KubeClient, spec: object): Promise<boolean> {
  const { status } = await client.json<{ readonly status: { readonly allowed: boolean } }>({
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    body: JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }),
  });
  return status.allowed;
}
