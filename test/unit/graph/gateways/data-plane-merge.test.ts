import test from 'ava';
import type { DataPlaneSpec } from '../../../../src/gateway-api/index.ts';
import { mergeDataPlanes } from '../../../../src/graph/gateways/data-plane-merge.ts';

const merges = test.macro((t, ofClass: DataPlaneSpec, ofGateway: DataPlaneSpec, both: DataPlaneSpec) => {
  t.deepEqual(mergeDataPlanes(ofClass, ofGateway), both);
});

test(
  "each field is the Gateway's where it has one, else the class's",
  merges,
  { image: 'a', replicas: 3, drainTime: '5s' },
  { image: 'b' },
  { image: 'b', replicas: 3, drainTime: '5s' },
);
test(
  'fields of the Service and the resources are merged one by one, and maps by key',
  merges,
  {
    service: { type: 'LoadBalancer', annotations: { one: '1', two: '2' }, loadBalancerSourceRanges: ['10.0.0.0/8'] },
    resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { memory: '2Gi' } },
    nodeSelector: { pool: 'edge' },
  },
  {
    service: { annotations: { two: 'II' }, loadBalancerSourceRanges: ['192.0.2.0/24'] },
    resources: { requests: { cpu: '2' } },
    nodeSelector: { zone: 'a' },
  },
  {
    service: { type: 'LoadBalancer', annotations: { one: '1', two: 'II' }, loadBalancerSourceRanges: ['192.0.2.0/24'] },
    resources: { requests: { cpu: '2', memory: '1Gi' }, limits: { memory: '2Gi' } },
    nodeSelector: { pool: 'edge', zone: 'a' },
  },
);
test(
  'lists are taken whole, and so is what makes sense as a whole only',
  merges,
  {
    tolerations: [{ key: 'a' }],
    podDisruptionBudget: { minAvailable: 1 },
    bootstrap: { stats_config: { use_all_default_tags: true } },
  },
  { tolerations: [{ key: 'b' }], podDisruptionBudget: { maxUnavailable: 1 }, bootstrap: {} },
  { tolerations: [{ key: 'b' }], podDisruptionBudget: { maxUnavailable: 1 }, bootstrap: {} },
);
test(
  'a number of proxies takes the place of an autoscaler',
  merges,
  { autoscaling: { minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 80 } },
  { replicas: 2 },
  { replicas: 2 },
);
test(
  'an autoscaler takes the place of a number',
  merges,
  { replicas: 2 },
  { autoscaling: { minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 80 } },
  { autoscaling: { minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 80 } },
);
