import { z } from 'zod';
import { oneOf, targetAddress, text, whole } from './leaf.ts';

/** The proxies that each Gateway of a cluster gets. */
export const infrastructure = z
  .strictObject({
    /** Image of the data-plane agent. */
    image: text('an image such as "registry.example/gatewright:1.0"').optional(),
    /** Image of Envoy, when the agent's image brings none. */
    envoyImage: text('an image such as "envoyproxy/envoy:v1.40.0"').optional(),
    /** Where proxies find the control plane's xDS server. */
    xdsAddress: targetAddress('gatewright.gatewright-system.svc:18080').prefault(
      'gatewright.gatewright-system.svc:18080',
    ),
    serviceType: oneOf(['LoadBalancer', 'ClusterIP', 'NodePort']).default('LoadBalancer'),
    replicas: whole('how many proxies each Gateway has', 0, 1000).default(1),
  })
  .prefault({});
