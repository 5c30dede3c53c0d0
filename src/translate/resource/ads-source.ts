import { create } from '@bufbuild/protobuf';
import { ApiVersion, type ConfigSource, ConfigSourceSchema } from '../../envoy/index.ts';

/** "By ADS": everything comes over the one ordered stream. */
export const adsSource = (): ConfigSource =>
  create(ConfigSourceSchema, { configSourceSpecifier: { case: 'ads', value: {} }, resourceApiVersion: ApiVersion.V3 });
