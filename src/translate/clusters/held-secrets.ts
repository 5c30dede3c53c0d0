import { create } from '@bufbuild/protobuf';
import { CredentialInjectorSchema, GenericSchema, packAny } from '../../envoy/index.ts';
import { adsSource, type HttpFilter, httpFilter, loginSecretName } from '../resource/index.ts';

/**
 * Upstream HTTP filters that never run, by which a cluster holds the secrets of logins. Of a filter chain that comes by ECDS when its listener is
 * open already, Envoy 1.40 fetches no secret by itself, but takes those that it has. Clusters go before chains, and are warm with their secrets.
 */
export const heldSecrets = (session: string): HttpFilter[] =>
  (['client', 'hmac'] as const).map((secret) => {
    const credential = create(GenericSchema, {
      credential: { name: loginSecretName(session, secret), sdsConfig: adsSource() },
    });
    const injector = create(CredentialInjectorSchema, {
      credential: { name: 'envoy.http.injected_credentials.generic', typedConfig: packAny(GenericSchema, credential) },
    });
    return { ...httpFilter(`gatewright.login.${secret}`, packAny(CredentialInjectorSchema, injector)), disabled: true };
  });
