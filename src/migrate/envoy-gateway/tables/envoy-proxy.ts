import type { Rule, Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from '../../kit/values.ts';
import { logTable } from './logs.ts';

const podParts = 'write it into podPatch of the DataPlane';

const containerTable: Table = {
  resources: { to: 'DataPlane.resources', as: resourcesOf },
  image: { to: 'DataPlane.envoyImage', as: textOf, differs: 'Envoy is copied from this image into the agent’s' },
  imageRepository: { cannot: 'an image is named as a whole: envoyImage' },
  env: { decide: podParts },
  securityContext: { decide: podParts },
  volumeMounts: { decide: podParts },
};

const podTable: Table = {
  affinity: { to: 'DataPlane.affinity' },
  annotations: { to: 'DataPlane.podAnnotations' },
  labels: { to: 'DataPlane.podLabels' },
  imagePullSecrets: { to: 'DataPlane.imagePullSecrets' },
  nodeSelector: { to: 'DataPlane.nodeSelector' },
  priorityClassName: { to: 'DataPlane.priorityClassName' },
  tolerations: { to: 'DataPlane.tolerations' },
  topologySpreadConstraints: { to: 'DataPlane.topologySpreadConstraints' },
  securityContext: { decide: podParts },
  volumes: { decide: podParts },
};

const patch: Rule = {
  decide: 'patches of Kubernetes objects are written for the names of Envoy Gateway: see podPatch',
};
const name: Rule = { none: 'objects of proxies have names that follow the Gateway’s' };
const strategy: Rule = { cannot: 'new proxies come before old ones go' };

/** `resources` of a container: claims are not among ours. */
function resourcesOf(value: unknown, visit: Visit): Fields {
  const { claims, ...resources } = fieldsOf(value);
  if (claims !== undefined) visit.at('claims').miss('claims of devices are not for proxies');
  return resources;
}

/** An EnvoyProxy as a DataPlane; what of it is of listeners is a ListenerPolicy of the Gateways. */
export const envoyProxy: Table = {
  backendTLS: { cannot: 'versions and ciphers for backends are of each BackendPolicy: tls' },
  bootstrap: {
    by: (value, visit) => {
      const { type = 'Replace', value: text } = fieldsOf(value);
      if (type === 'Merge')
        visit.note('decision', 'write what is added to Envoy’s bootstrap into bootstrap of the DataPlane');
      else if (text !== undefined || type !== 'Replace')
        visit.miss(`a bootstrap is added to, and not changed by ${textOf(type)}`);
    },
    knows: ['type', 'value', 'jsonPatches'],
  },
  concurrency: { to: 'DataPlane.concurrency' },
  dynamicModules: { cannot: 'there are no dynamic modules here' },
  extraArgs: { cannot: 'Envoy’s arguments are the agent’s' },
  filterOrder: { cannot: 'filters have one order' },
  geoIP: {
    decide: 'name the databases in `geoip` of the DataPlane, and add them to the pods by a volume in `podPatch`',
  },
  ipFamily: { to: 'DataPlane.ipFamily' },
  logging: {
    by: (value, visit) => {
      const { level = {} } = fieldsOf(value);
      const { default: all, ...components } = fieldsOf(level);
      if (all !== undefined) visit.set('DataPlane.logLevel.envoy', all === 'warn' ? 'warning' : textOf(all));
      for (const component of Object.keys(components)) visit.at(`level.${component}`).miss('Envoy has one log level');
    },
    knows: ['level'],
  },
  luaValidation: { none: 'there are no Lua scripts' },
  mergeBackends: { none: 'routes to one Service share its connections always' },
  mergeGateways: {
    by: (value, visit) => {
      if (value === true) visit.set('DataPlane.shared', {});
    },
    knows: [],
  },
  mergeType: {
    none: 'fields of a Gateway’s DataPlane take the place of its class’s, as docs/data-plane-resource.md lists',
  },
  preserveRouteOrder: { cannot: 'routes have the order of the Gateway API', unless: false },
  provider: {
    in: {
      type: { aside: 'which of host and kubernetes there is' },
      host: { decide: 'proxies without a cluster are run by gatewright run' },
      kubernetes: {
        in: {
          envoyDeployment: {
            in: {
              replicas: { to: 'DataPlane.replicas', as: numberOf },
              container: { in: containerTable },
              pod: { in: podTable },
              initContainers: { decide: podParts },
              name,
              patch,
              strategy,
            },
          },
          envoyDaemonSet: {
            by: (value, visit) => {
              visit.set('DataPlane.workload', 'DaemonSet');
              visit.walk(value, { container: { in: containerTable }, pod: { in: podTable }, name, patch, strategy });
            },
            knows: ['container', 'pod', 'name', 'patch', 'strategy'],
          },
          envoyService: {
            in: {
              type: { to: 'DataPlane.service.type' },
              annotations: { to: 'DataPlane.service.annotations' },
              labels: { to: 'DataPlane.service.labels' },
              externalTrafficPolicy: { to: 'DataPlane.service.externalTrafficPolicy' },
              loadBalancerClass: { to: 'DataPlane.service.loadBalancerClass' },
              loadBalancerSourceRanges: { to: 'DataPlane.service.loadBalancerSourceRanges' },
              allocateLoadBalancerNodePorts: { to: 'DataPlane.service.allocateLoadBalancerNodePorts' },
              loadBalancerIP: { decide: 'ask for the address in spec.addresses of the Gateway, once it is free' },
              name,
              patch,
            },
          },
          envoyHpa: {
            in: {
              minReplicas: { to: 'DataPlane.autoscaling.minReplicas' },
              maxReplicas: { to: 'DataPlane.autoscaling.maxReplicas' },
              metrics: { by: metricsOf, knows: ['[]'] },
              behavior: { cannot: 'the autoscaler’s own speed is kept' },
              name,
              patch,
            },
          },
          envoyPDB: {
            in: {
              minAvailable: { to: 'DataPlane.podDisruptionBudget.minAvailable' },
              maxUnavailable: { to: 'DataPlane.podDisruptionBudget.maxUnavailable' },
              name,
              patch,
            },
          },
          envoyServiceAccount: { in: { name } },
          useListenerPortAsContainerPort: { none: 'ports below 1024 are bound by proxies themselves' },
        },
      },
    },
  },
  routingType: {
    by: (value, visit) => {
      if (value === 'Service') visit.note('decision', 'set addressing: Service in BackendPolicies of the Services');
    },
    knows: [],
  },
  shutdown: {
    in: {
      drainTimeout: { to: 'DataPlane.drainTime' },
      minDrainDuration: { to: 'DataPlane.minDrainTime' },
      healthCheckFailureDelay: { none: 'a proxy that stops is taken from the load balancer first: minDrainTime' },
    },
  },
  telemetry: { in: logTable },
};

/** Of all metrics that a HorizontalPodAutoscaler may look at, the use of CPUs is here. */
function metricsOf(value: unknown, visit: Visit): void {
  visit.each(listOf(value), (metric, at) => {
    const { resource } = metric;
    const { name: what, target } = isFields(resource) ? resource : {};
    const { averageUtilization } = isFields(target) ? target : {};
    if (what === 'cpu' && averageUtilization !== undefined)
      visit.set('DataPlane.autoscaling.targetCPUUtilizationPercentage', numberOf(averageUtilization));
    else at.miss('proxies are scaled by the use of their CPUs');
  });
}
