import { create } from '@bufbuild/protobuf';
import { SecretSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import type { EnvoyResource } from './envoy-resource.ts';
import { resourceOf } from './resource.ts';

/** SDS: a text that filters use. */
export const genericSecret = (name: string, value: ir.Sensitive): EnvoyResource => {
  const message = create(SecretSchema, {
    name,
    type: {
      case: 'genericSecret',
      value: { secret: { specifier: { case: 'inlineBytes', value: value.reveal() } } },
    },
  });
  return resourceOf(typeUrls.secret, name, SecretSchema, message);
};
