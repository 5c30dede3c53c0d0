import * as z from 'zod';
import { defaultClusterDomain, isAddressRange } from '../../egress/index.ts';
import { text } from './leaf.ts';

const range = 'an IP address, or a range such as "10.0.0.0/8"';

/** What backends that users name may be. */
export const backends = z
  .strictObject({
    allowedAddresses: z
      .array(z.string({ error: range }).refine(isAddressRange, { error: range }), {
        error: 'a list of IP addresses and ranges such as ["127.0.0.1/32"]',
      })
      .meta({ title: 'list of addresses and ranges' })
      .default([])
      .describe(
        'Addresses and ranges (CIDR) that such hosts may reach although they are loopback, link-local, metadata or reserved ones, or of the proxy or the control plane: [policies.md](policies.md#where-names-may-lead). All ports of an address are allowed.',
      ),
    clusterDomain: text('the DNS domain of the cluster such as "cluster.local"')
      .default(defaultClusterDomain)
      .describe(
        'The domain of the cluster’s own DNS. Names below it, and below `svc`, can be used only in the namespace that they name.',
      ),
    tlsVerification: z
      .enum(['Optional', 'Required'], { error: '"Optional" or "Required"' })
      .default('Optional')
      .describe(
        '`Required`: BackendPolicies with `tls.verification.mode: None` are not accepted, and certificates of backends are verified as without them.',
      ),
    endpointPickerMode: z
      .enum(['FullDuplex', 'FullDuplexRequest', 'Buffered', 'Auto'], {
        error: '"FullDuplex", "FullDuplexRequest", "Buffered" or "Auto"',
      })
      .default('FullDuplex')
      .describe(
        'How the endpoint pickers of InferencePools are asked that do not say it by an annotation: [inference.md](inference.md#modes-of-pickers).',
      ),
  })
  .prefault({})
  .describe(
    'Allowed addresses for hosts that users write, such as those of XBackends and AIServices, how certificates of backends are verified, and how endpoint pickers are asked.',
  );
