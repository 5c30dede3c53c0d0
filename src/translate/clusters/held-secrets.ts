import { create } from '@bufbuild/protobuf';
import { CredentialInjectorSchema, GenericSchema, packAny } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { adsSource, type HttpFilter, httpFilter, injectedCredentialName, loginSecretName } from '../resource/index.ts';

/**
 * Upstream HTTP filters that never run, by which a cluster holds secrets of filters. Of a filter chain that comes by ECDS when its listener is
 * open already, Envoy 1.40 fetches no secret by itself, but takes those that it has. Clusters go before chains, and are warm with their secrets.
 */
export function heldSecrets({ key, login, credential }: ir.Backend): HttpFilter[] {
  const ofLogin = (['client', 'hmac'] as const).map((secret) =>
    holding(`gatewright.login.${secret}`, loginSecretName(key, secret)),
  );
  return [
    ...(login ? ofLogin : []),
    ...(credential ? [holding('gatewright.credential', injectedCredentialName(key))] : []),
  ];
}

function holding(filter: string, secret: string): HttpFilter {
  const credential = create(GenericSchema, { credential: { name: secret, sdsConfig: adsSource() } });
  const injector = create(CredentialInjectorSchema, {
    credential: { name: 'envoy.http.injected_credentials.generic', typedConfig: packAny(GenericSchema, credential) },
  });
  return { ...httpFilter(filter, packAny(CredentialInjectorSchema, injector)), disabled: true };
}
