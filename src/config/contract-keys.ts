/**
 * Our keys are camelCase; the admin API contract writes a few in snake_case, and those are accepted as it writes them.
 * From the path of the written key (its parents already in our spelling) to our spelling of the last part.
 */
export const contractKeys: Readonly<Record<string, string>> = {
  admin_auth: 'adminAuth',
  'adminAuth.bearer_token': 'bearerToken',
  'adminAuth.bearer_token_file': 'bearerTokenFile',
  'adminAuth.read_only_bearer_token': 'readOnlyBearerToken',
  'adminAuth.read_only_bearer_token_file': 'readOnlyBearerTokenFile',
  'adminAuth.allowed_hosts': 'allowedHosts',
  'adminAuth.allowed_origins': 'allowedOrigins',
  'adminAuth.requests_per_second': 'requestsPerSecond',
  'dataplane.admin_auth': 'adminAuth',
  'dataplane.adminAuth.bearer_token': 'bearerToken',
  'dataplane.adminAuth.bearer_token_file': 'bearerTokenFile',
  'dataplane.adminAuth.allowed_hosts': 'allowedHosts',
  'dataplane.config.node_id': 'nodeId',
  'infrastructure.session_persistence': 'sessionPersistence',
  'infrastructure.sessionPersistence.existing_secret': 'existingSecret',
  session_persistence: 'sessionPersistence',
  'sessionPersistence.secret_key_file': 'secretKeyFile',
  'sessionPersistence.sharedSecretFile': 'secretKeyFile',
  'sessionPersistence.shared_secret_file': 'secretKeyFile',
  'sessionPersistence.previous_secret_key_file': 'previousSecretKeyFile',
};

/** Our spelling of a key found under `parents`. */
export const ourKey = (parents: readonly string[], written: string): string =>
  contractKeys[[...parents, written].join('.')] ?? written;
