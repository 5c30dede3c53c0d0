import type { Values } from './helm.ts';

/** Sets of values that the chart is tried with. */
export const valueSets: Readonly<Record<'default' | 'minimal' | 'everything' | 'kept' | 'narrow', Values>> = {
  default: {},
  narrow: { scope: { namespaces: ['team-a', 'team-b'] }, infrastructure: { namespace: 'gatewright-system' } },
  kept: {
    persistence: { enabled: true, size: '500Mi', storageClass: 'fast' },
    dataplane: {
      spec: {
        resources: { requests: { cpu: '500m', memory: '256Mi' } },
        autoscaling: { minReplicas: 2, maxReplicas: 10 },
        podDisruptionBudget: { minAvailable: 1 },
      },
    },
  },
  minimal: {
    replicas: 1,
    resources: {},
    podDisruptionBudget: { enabled: false },
    topologySpread: [],
    gatewayClass: { create: false },
    serviceAccount: { create: false, name: 'given' },
    rbac: { create: false },
    networkPolicy: { enabled: false },
  },
  everything: {
    fullnameOverride: 'edge',
    commonLabels: { team: 'platform' },
    image: {
      repository: 'registry.example/gatewright',
      digest: `sha256:${'0'.repeat(64)}`,
      pullPolicy: 'Always',
      pullSecrets: [{ name: 'registry' }],
    },
    replicas: 3,
    resources: { requests: { cpu: '1', memory: '512Mi' }, limits: { memory: '1Gi' } },
    podDisruptionBudget: { enabled: true, maxUnavailable: '34%' },
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'control', operator: 'Exists', effect: 'NoSchedule' }],
    priorityClassName: 'system-cluster-critical',
    podLabels: { 'example.com/cost-centre': '7' },
    podAnnotations: { 'example.com/note': 'a note' },
    extraEnv: [{ name: 'LEVEL', value: 'debug' }],
    extraVolumes: [{ name: 'extra', emptyDir: {} }],
    extraVolumeMounts: [{ name: 'extra', mountPath: '/extra' }],
    probes: { liveness: { initialDelaySeconds: 5 } },
    config: {
      controllerName: 'example.com/controller',
      log: { level: '$' + '{LEVEL}' },
      adminAuth: { protect: ['metrics', 'layout2'] },
      leaderElection: { id: 'my-leader' },
      translatorLimits: { maxInputObjects: 10000 },
    },
    adminAuth: { existingSecret: 'tokens', key: 'full', readOnlyKey: 'reading' },
    services: { xds: { type: 'ClusterIP', annotations: { 'example.com/a': 'b' } }, admin: { type: 'NodePort' } },
    gatewayClass: {
      name: 'edge',
      parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name: 'edge', namespace: 'gatewright-system' },
    },
    serviceAccount: { name: 'edge-control', annotations: { 'example.com/role': 'none' } },
    rbac: { resourceWriter: true, aggregateRoles: true },
    extraObjects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'more', namespace: '{{ .Release.Namespace }}' },
        data: { release: '{{ .Release.Name }}' },
      },
    ],
    networkPolicy: {
      adminFrom: [{ namespaceSelector: { matchLabels: { team: 'platform' } } }],
      metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
      egress: { apiServerPorts: [6443], extra: [{ ports: [{ port: 9090, protocol: 'TCP' }] }] },
    },
    dataplane: {
      serviceType: 'ClusterIP',
      replicas: 2,
      image: { repository: 'registry.example/proxy', tag: 'v1' },
    },
    metrics: {
      serviceMonitor: { enabled: true, interval: '15s', labels: { release: 'prometheus' } },
      podMonitor: { enabled: true, labels: { release: 'prometheus' } },
      prometheusRule: {
        enabled: true,
        labels: { release: 'prometheus' },
        alertLabels: { team: 'platform' },
        runbookUrl: 'https://example.com/operating.md',
      },
      dashboard: { enabled: true, annotations: { grafana_folder: 'Edge' } },
    },
  },
};
