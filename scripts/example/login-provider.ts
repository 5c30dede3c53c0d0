import https from 'node:https';
import type { Configuration } from 'oidc-provider';
import { createAuthority } from './certificate.ts';
import { closeServer, portOf } from './echo-server.ts';
import type { ExampleBackend } from './example-backend.ts';

/** A provider of OpenID Connect, as it runs. */
export interface LoginProvider extends ExampleBackend {
  /** The ConfigMap `login-ca`, with the authority that its certificate is checked by. */
  readonly configMap: object;
}

/**
 * A provider in which all users may log in by any name. `urls` are those of the gateway, such as `https://app.localhost:8443`: browsers come
 * back to their `/oauth2/callback`, or to `/bye` when they are logged out. The client is `gw`.
 */
export async function providerOf(
  url: string,
  urls: readonly string[],
  configuration: Configuration = {},
  clientSecret = 's3cret-s3cret',
) {
  // Most examples have no provider, and its modules take long to load.
  const { default: Provider } = await import('oidc-provider');
  return new Provider(url, {
    clients: [
      {
        client_id: 'gw',
        client_secret: clientSecret,
        redirect_uris: urls.map((each) => `${each}/oauth2/callback`),
        post_logout_redirect_uris: urls.map((each) => `${each}/bye`),
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['any'] },
    pkce: { required: () => true },
    ...configuration,
  } as Configuration);
}

/** Starts one at 127.0.0.1, for browsers that come from these URLs. Port 0 is any that is free. */
export async function startLoginProvider(port: number, urls: readonly string[]): Promise<LoginProvider> {
  const authority = await createAuthority('login-ca');
  // By its own name: with that of the authority it would look self-signed.
  const { certificatePem, keyPem } = await authority.issue({
    hostnames: [],
    ips: ['127.0.0.1'],
    subject: 'CN=127.0.0.1',
  });
  const server = https.createServer({ cert: certificatePem, key: keyPem });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const provider = await providerOf(`https://127.0.0.1:${portOf(server)}`, urls);
  server.on('request', provider.callback());
  return {
    port: portOf(server),
    close: () => closeServer(server),
    configMap: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'login-ca' },
      data: { 'ca.crt': authority.certificatePem },
    },
  };
}
