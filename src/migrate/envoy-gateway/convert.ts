import { idOf, type SourceObjects } from '../kit/objects.ts';
import { Output } from '../kit/output.ts';
import type { Conversion, Converted } from '../kit/result.ts';
import { convertAccess, securityPolicies } from './access.ts';
import { convertBackends } from './backends.ts';
import { clientTrafficPolicies, convertClients, frontendsOf } from './clients.ts';
import { convertExtensions, envoyExtensionPolicies } from './extensions.ts';
import { Failovers } from './failovers.ts';
import { convertFilters } from './filters.ts';
import { convertGateways } from './gateways.ts';
import { convertGrants } from './grants.ts';
import { Moving } from './moving.ts';
import { noteOf, type PolicyKind, readPolicy } from './policy.ts';
import { convertRoutes } from './routes.ts';
import { BackendPolicies } from './services.ts';
import { backendTrafficPolicies, convertTraffic } from './traffic.ts';

export interface EnvoyGatewayOptions {
  /** What names of copies end in. */
  readonly suffix: string;
  /** `NAMESPACE/NAME` of objects that are converted although a part of them that protects has no equivalent here. */
  readonly without: ReadonlySet<string>;
}

/** What objects of Envoy Gateway are here. The same objects and options give the same bytes. */
export function convertEnvoyGateway(objects: SourceObjects, { suffix, without }: EnvoyGatewayOptions): Conversion {
  const moving = new Moving(objects, suffix);
  const output = new Output();
  const policies = (kind: string, how: PolicyKind) =>
    objects.of(kind).map((source) => readPolicy(source, how, moving, without));
  const traffic = policies('BackendTrafficPolicy', backendTrafficPolicies);
  const clients = policies('ClientTrafficPolicy', clientTrafficPolicies);
  const backendPolicies = new BackendPolicies();
  const gateways = convertGateways(moving, frontendsOf(clients, moving), output);
  const filters = convertFilters(moving, without, output);
  const backends = convertBackends(moving, backendPolicies, output);
  const failovers = new Failovers(moving, backends, backendPolicies);
  backendPolicies.addRoutes(traffic, moving);
  backendPolicies.write(output);
  const converted: readonly Converted[] = [
    ...gateways.converted,
    ...convertRoutes(moving, { filters, backends, failovers }, output),
    ...convertAccess(policies('SecurityPolicy', securityPolicies), moving, output),
    ...convertTraffic(traffic, moving, output),
    ...convertClients(clients, gateways.listeners, moving, output),
    ...convertExtensions(policies('EnvoyExtensionPolicy', envoyExtensionPolicies), moving, output),
    ...filters.converted,
    ...backends.converted,
    ...objects.of('EnvoyPatchPolicy').map(
      (source): Converted => ({
        id: idOf(source),
        outcome: 'left',
        notes: [
          noteOf(
            'decision',
            'jsonPatches',
            'it changes what Envoy Gateway sends to Envoy, which has other names here: write what it is for with policies, and what clusters, routes and ports need with an EnvoyPatch, where envoyPatches.enabled allows it',
          ),
        ],
      }),
    ),
    ...convertGrants(moving, output),
  ];
  return { files: output.files(), objects: converted };
}
