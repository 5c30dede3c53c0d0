const names = [
  'authorization',
  'cookie',
  'password',
  'token',
  'bearerToken',
  'bearer_token',
  'apiKey',
  'api_key',
  'privateKey',
  'private_key',
  'secretKey',
  'sessionKey',
];

/**
 * Fields that are never logged: at the top of a line, one level down, and in the headers of a request. A second net only;
 * types that hold secrets print as `[redacted]` by themselves.
 */
export const redactedPaths: readonly string[] = [
  ...names.flatMap((name) => [name, `*.${name}`]),
  'req.headers.authorization',
  'req.headers.cookie',
  'headers["set-cookie"]',
  'data["tls.key"]',
  '*.data["tls.key"]',
];
