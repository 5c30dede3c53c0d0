import * as z from 'zod';
import { namespace, oneOf, targetAddress, text, whole } from './leaf.ts';

/** The proxies that each Gateway of a cluster gets. */
export const infrastructure = z
  .strictObject({
    image: text('an image such as "registry.example/gatewright:1.0"')
      .optional()
      .describe('Image of the data-plane agent. Needed in a cluster.'),
    envoyImage: text('an image such as "envoyproxy/envoy:v1.40.0"')
      .optional()
      .describe('An image to take Envoy from, in place of the one that `image` brings; it must have `cp`.'),
    namespace: namespace('gatewright-system')
      .optional()
      .describe(
        'Where the proxies of all Gateways run, with everything that is made for them. Without it: each Gateway’s in its own namespace.',
      ),
    xdsAddress: targetAddress('gatewright.gatewright-system.svc:18080')
      .prefault('gatewright.gatewright-system.svc:18080')
      .describe('Where proxies find the xDS server of the control plane.'),
    serviceType: oneOf(['LoadBalancer', 'ClusterIP', 'NodePort'])
      .default('LoadBalancer')
      .describe('Type of each Gateway’s Service.'),
    replicas: whole('how many proxies each Gateway has', 0, 1000)
      .prefault(1)
      .describe('How many proxies each Gateway has.'),
    networkPolicy: z
      .strictObject({
        enabled: z
          .boolean({ error: 'true or false' })
          .default(true)
          .describe(
            'Whether a NetworkPolicy is made for each Gateway’s proxies. Not for those on the network of nodes.',
          ),
        metricsFrom: z
          .array(z.record(z.string(), z.unknown(), { error: 'a NetworkPolicyPeer' }), {
            error: 'a list of NetworkPolicyPeers such as [{namespaceSelector: {}}]',
          })
          .default([])
          .describe(
            'NetworkPolicyPeers that may reach the agents’ port 8082, such as Prometheus, beside the control plane.',
          ),
      })
      .prefault({})
      .describe('Who may reach proxies: everyone the listeners, the control plane their agents.'),
    sessionPersistence: z
      .strictObject({
        existingSecret: text('the name of a Secret such as "session-key"')
          .optional()
          .describe(
            'Secret of the proxies’ namespace with the key for sticky sessions as `key`, and the one before as `previous-key` if there is one. Proxies do not start before it is there. Without it each proxy makes up a key.',
          ),
      })
      .prefault({})
      .describe('Where proxies have the key for sticky sessions from.'),
  })
  .prefault({})
  .describe('The proxies that each Gateway of a cluster gets.');
