import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RouteAction_RequestMirrorPolicySchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { clusterName, million, millionths } from '../../resource/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';

export const mirrors: EnvoyFilter<'mirrors'> = {
  action: (copies) => ({ requestMirrorPolicies: copies.map(mirrorPolicy) }),
  join: (ofRule = [], ofBackend) => [...ofRule, ...ofBackend],
};

const mirrorPolicy = ({
  backend,
  perMillion,
}: ir.Mirror): MessageInitShape<typeof RouteAction_RequestMirrorPolicySchema> => ({
  cluster: clusterName(backend),
  ...(perMillion < million && { runtimeFraction: millionths(perMillion) }),
  // The copy shall be one: Envoy would send it with Host `NAME-shadow`.
  disableShadowHostSuffixAppend: true,
});
