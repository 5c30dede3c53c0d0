import * as z from 'zod';
import { ipFamilies } from './ip-family.ts';
import { namespace, oneOf, targetAddress, text, whole } from './leaf.ts';

const annotations = z.record(z.string(), z.string(), { error: 'a map of texts such as {name: value}' });

/** The proxies that each Gateway of a cluster gets. */
export const infrastructure = z
  .strictObject({
    image: text('an image such as "registry.example/gatewright:1.0"')
      .optional()
      .describe('Image of the data-plane agent. Required in a cluster.'),
    envoyImage: text('an image such as "envoyproxy/envoy:v1.40.0"')
      .optional()
      .describe('An image from which Envoy is copied, instead of the one in `image`; it must have `cp`.'),
    namespace: namespace('gatewright-system')
      .optional()
      .describe('The namespace where the proxies of all Gateways run. Default: each Gateway’s own namespace.'),
    xdsAddress: targetAddress('gatewright.gatewright-system.svc:18080')
      .prefault('gatewright.gatewright-system.svc:18080')
      .describe('Address at which proxies reach the xDS server.'),
    serviceType: oneOf(['LoadBalancer', 'ClusterIP', 'NodePort'])
      .default('LoadBalancer')
      .describe('Type of each Gateway’s Service.'),
    loadBalancer: z
      .strictObject({
        addressAnnotations: z
          .array(text('the name of an annotation such as "metallb.io/loadBalancerIPs"'), {
            error: 'a list of names such as ["metallb.io/loadBalancerIPs"]',
          })
          .default([])
          .describe(
            'Annotations by which a Service asks for addresses, separated by commas, such as `metallb.io/loadBalancerIPs`. Default: `spec.loadBalancerIP`, which is one address.',
          ),
        privateAnnotations: annotations
          .optional()
          .describe(
            'Annotations of a Service whose load balancer is to be of the private network, such as `networking.gke.io/load-balancer-type: Internal`. `{}`: all load balancers are. Default: there are none.',
          ),
        publicAnnotations: annotations
          .default({})
          .describe('Annotations of a Service whose load balancer is to be reached from the internet.'),
      })
      .prefault({})
      .describe('How Services ask the load balancers of this platform for addresses.'),
    replicas: whole('how many proxies each Gateway has', 0, 1000)
      .prefault(1)
      .describe('Number of proxies of each Gateway.'),
    ipFamily: oneOf(ipFamilies)
      .optional()
      .describe(
        'Addresses on which proxies listen, and that their Services have. Default: listeners on IPv4, Services as the cluster has them.',
      ),
    networkPolicy: z
      .strictObject({
        enabled: z
          .boolean({ error: 'true or false' })
          .default(true)
          .describe('Creates a NetworkPolicy for each Gateway’s proxies, except those on the node’s network.'),
        metricsFrom: z
          .array(z.record(z.string(), z.unknown(), { error: 'a NetworkPolicyPeer' }), {
            error: 'a list of NetworkPolicyPeers such as [{namespaceSelector: {}}]',
          })
          .default([])
          .describe(
            'NetworkPolicyPeers that may reach the agents’ port 8082 beside the control plane, such as Prometheus.',
          ),
      })
      .prefault({})
      .describe('Who may reach proxies: everyone the listeners, the control plane their agents.'),
    sessionPersistence: z
      .strictObject({
        existingSecret: text('the name of a Secret such as "session-key"')
          .optional()
          .describe(
            'Secret in the proxies’ namespace with the key for sticky sessions as `key`, and optionally the previous one as `previous-key`. Proxies wait for it. Without it each proxy generates a key.',
          ),
      })
      .prefault({})
      .describe('Where proxies have the key for sticky sessions from.'),
  })
  .prefault({})
  .describe('The proxies that each Gateway of a cluster gets.');
