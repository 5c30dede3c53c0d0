import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  FractionalPercent_DenominatorType as Denominator,
  type RouteAction_RequestMirrorPolicySchema,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { clusterName } from '../../resource/index.ts';

const million = 1_000_000;

/** A share of a million, as Envoy writes it in routes. */
export const millionths = (numerator: number) => ({
  defaultValue: { numerator, denominator: Denominator.MILLION },
});

/** Where copies of a route's requests go. */
export const translateMirror = ({
  backend,
  perMillion,
}: ir.Mirror): MessageInitShape<typeof RouteAction_RequestMirrorPolicySchema> => ({
  cluster: clusterName(backend),
  ...(perMillion < million && { runtimeFraction: millionths(perMillion) }),
  // The copy shall be one: Envoy would send it with Host `NAME-shadow`.
  disableShadowHostSuffixAppend: true,
});
