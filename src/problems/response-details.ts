/** What Envoy's words for an answer of its own say, with what most often causes it and what to do. */
export interface ResponseDetail {
  readonly summary: string;
  readonly causes: readonly string[];
  readonly steps: readonly string[];
}

const routeTest =
  'Ask `gatewright route-test URL --from ADDRESS --token @FILE`, which says what each part does and why.';
const listAccess =
  'List the policies of the route: `gatewright describe route NAMESPACE/NAME`, or `/v1/access?route=`.';

/**
 * `%RESPONSE_CODE_DETAILS%` of what policies of access answer, by how it begins. Source: the filters rbac, jwt_authn, ext_authz, csrf, basic_auth,
 * api_key_auth, oauth2, ext_proc and fault of Envoy 1.40.
 */
export const responseDetails = {
  local_rate_limited: {
    summary: 'A bucket of a RateLimitPolicy is empty; the client gets 429, or the status of the policy.',
    causes: [
      'The client sends more requests than the bucket lets through. `gatewright.limit` of the access log names the bucket.',
      'Clients share a bucket that should have one each: its `key` is missing, or requests lack what it looks at (`absent`).',
    ],
    steps: [
      'List the policies of the route: `gatewright describe route NAMESPACE/NAME`.',
      'Try other numbers with `onLimit: Shadow`, and read `gatewright.limit_shadow` of the access log.',
    ],
  },
  rbac_access_denied_matched_policy: {
    summary: 'A policy of access denies the request by its address, its certificate or a rule; the client gets 403.',
    causes: [
      "`clientIPs`: the client's address is in `deny`, or not in `allow`. Behind another proxy it is that proxy's address until a ListenerPolicy trusts its hops.",
      '`clientCertificates`: the client showed no certificate, or one without a name of the policy. It has none at a listener that asks for none.',
      '`authorization`: a Deny rule takes the request, or no Allow rule does.',
    ],
    steps: [routeTest, listAccess],
  },
  jwt_authn_access_denied: {
    summary:
      'The token of the request is missing or not good; the client gets 401, or 403 where the audience is another one.',
    causes: [
      'The text in braces says what: `Jwt_is_missing`, `Jwt_is_expired`, `Jwt_issuer_is_not_configured`, `Jwt_verification_fails`, `Audiences_in_Jwt_are_not_allowed`.',
      'Policies of several levels demand tokens, and the token is good for one of them only: list the part in `overridable` of the upper one.',
    ],
    steps: [routeTest, 'Compare `iss`, `aud`, `exp` and the `kid` of the token with the providers of the policy.'],
  },
  ext_authz_denied: {
    summary:
      'The server of a `forwardAuth`, or of an ExternalAuth filter, denies the request, or the agent a password; the client gets the answer.',
    causes: [
      'The session or credential that the server looks at is missing or has ended.',
      '`basicAuth` with bcrypt or `$apr1$`: the user is not known, the password is wrong (401), or the address tried too many wrong ones (429).',
    ],
    steps: ['Read the log of the server at the time of the request.', listAccess],
  },
  ext_authz_error: {
    summary:
      'The server of a `forwardAuth`, or of an ExternalAuth filter, or the agent about a password, did not answer; the client gets `statusOnError` (503).',
    causes: [
      'The server has no ready endpoint, or takes longer than `timeout`.',
      '`basicAuth` with bcrypt or `$apr1$`: the proxy has no agent of this release, or too many passwords wait.',
    ],
    steps: ['See the endpoints of the server: `gatewright get backends`.', 'Read its log at the time of the request.'],
  },
  ext_proc: {
    summary:
      'The processor of an ExtensionPolicy did not answer in time, or not as a processor does; the client gets 504, or `statusOnError` (503).',
    causes: [
      'The processor has no ready endpoint, ended the stream, or takes longer than `timeout` for a message.',
      'It answers messages in another order than they come, or with something else than they ask for.',
    ],
    steps: [
      'See the endpoints of the processor: `gatewright get backends`.',
      'Read its log at the time of the request. `onFailure: Allow` lets requests go on without it.',
    ],
  },
  spurious_message: {
    summary:
      'The processor of an ExtensionPolicy answers what it was not asked; the client gets `statusOnError` (503).',
    causes: ['It is written for other modes of bodies than the policy has.'],
    steps: ['Compare what it answers with `request` and `response` of the policy.'],
  },
  csrf_origin_mismatch: {
    summary:
      'A request that changes something comes from a page of another host, or says of none; the client gets 403.',
    causes: ['Origin and Referer are missing, or are of a host that `csrf.additionalOrigins` does not have.'],
    steps: ['Add the host of the page to `csrf.additionalOrigins`, without scheme.', routeTest],
  },
  no_credential_for_basic_auth: {
    summary: 'The request has no user and password; the client gets 401.',
    causes: ['The client sends no header Authorization.'],
    steps: [routeTest],
  },
  invalid_scheme_for_basic_auth: {
    summary: 'The header Authorization has no user and password but something else; the client gets 401.',
    causes: ['Another part, such as `jwt`, uses the same header.'],
    steps: ['Give one of the parts another header, or use `satisfy: Any`.', routeTest],
  },
  invalid_format_for_basic_auth: {
    summary: 'The header Authorization is not USER:PASSWORD in base64; the client gets 401.',
    causes: ['The client encodes it wrongly.'],
    steps: ['Compare what the client sends with `curl -u USER:PASSWORD`.'],
  },
  invalid_credential_for_basic_auth: {
    summary: 'The user is not known, or the password is wrong; the client gets 401.',
    causes: ['The Secret of the policy does not have the user, or has the hash of another password.'],
    steps: [routeTest, 'See whether `ResolvedRefs` of the policy names the user.'],
  },
  missing_api_key: {
    summary: 'The request has no API key where the policy looks for it; the client gets 401.',
    causes: ['The client sends it under another name than `apiKeys.from` has.'],
    steps: [routeTest],
  },
  unknown_api_key: {
    summary: 'The API key of the request is none of those in the Secrets of the policy; the client gets 401.',
    causes: ['The key was removed or exchanged.', 'Two clients have the same key, which lets none of them in.'],
    steps: [routeTest, 'See whether `ResolvedRefs` of the policy names the client.'],
  },
  'oauth.': {
    summary: 'The login of an AccessPolicy (`oidc`) sends the client elsewhere, by 302.',
    causes: [
      '`oauth.missing_credentials`: the client is not logged in, and is sent to the provider.',
      '`oauth.logged_in`, `oauth.race_redirect`: it comes back from there, and goes on to what it asked for.',
      '`oauth.sign_out`: it asked for the path of `oidc.logout`.',
    ],
    steps: [listAccess],
  },
  'Unauthorized,_and_redirecting': {
    summary: 'The client is not logged in, and may not be sent to the provider; it gets 401.',
    causes: ['`oidc.denyRedirect` names its request, or it came by plain HTTP, for which browsers keep no login.'],
    steps: ['Load the page of the script again, which logs the user in.', listAccess],
  },
  Failed_to_refresh_the_access_token: {
    summary: 'The login of the client has ended, and `oidc.denyRedirect` keeps it from the provider; it gets 401.',
    causes: ['The provider does not renew the token: the user was logged out there, or too much time has passed.'],
    steps: ['Load the page of the script again, which logs the user in.', listAccess],
  },
  Code_: {
    summary: 'What comes back from the provider lacks something of the login; the client gets 401.',
    causes: [
      'A client asked for the path of the callback by itself.',
      'The login took more than 10 minutes, or ended in another browser than it began.',
    ],
    steps: ['Ask for the page itself again.', listAccess],
  },
  CSRF_token_validation_failed: {
    summary: 'What comes back from the provider is of a login that another browser began; the client gets 401.',
    causes: [
      'The login took more than 10 minutes, or ended in another browser than it began.',
      'Policies of one host have the same `redirectPath` and different sessions.',
    ],
    steps: ['Ask for the page itself again.', listAccess],
  },
  State_: {
    summary:
      'What comes back from the provider was changed on its way, or leads to a foreign host; the client gets 401.',
    causes: ['The address was written by hand.', 'The page is on no host of `oidc.cookies.domain`.'],
    steps: ['Ask for the page itself again.', listAccess],
  },
  OAuth_server_returned_an_error: {
    summary: 'The provider sends the browser back with an error; the client gets 401.',
    causes: ['The user declined, or the provider does not allow the client a scope of `oidc.scopes`.'],
    steps: ['Read the log of the provider at the time of the request.'],
  },
  Failed_to_get_access_token: {
    summary: 'The provider gives the proxy no token for a login; the client gets 401.',
    causes: [
      '`oidc.client` has another id or secret than the provider knows, or the provider does not take the secret in the body of the request.',
      'The token endpoint does not answer within 10 seconds, or its certificate is of another authority than `oidc.caCertificateRefs`.',
    ],
    steps: ['Read the log of the provider at the time of the request.', listAccess],
  },
  OAuth2_secrets_are_not_ready: {
    summary: 'The proxy does not have the secrets of the login yet; the client gets 503.',
    causes: ['The proxy has just started, or the policy is new.'],
    steps: ['Ask again after a moment.', listAccess],
  },
  fault_filter_abort: {
    summary: 'Something that a policy of access names is not available, so its targets are answered 500.',
    causes: ['A Secret, ConfigMap, Service or ReferenceGrant is missing, or a value of the policy is not valid.'],
    steps: ['Read the conditions of the policy: `gatewright get accesspolicies`.', listAccess],
  },
} as const satisfies Readonly<Record<string, ResponseDetail>>;

export type ResponseDetailCode = keyof typeof responseDetails;

/** The row for Envoy's words, as it writes them into an access log; undefined: they are about something else. */
export const responseDetailOf = (details: string): ResponseDetailCode | undefined =>
  (Object.keys(responseDetails) as ResponseDetailCode[]).find((code) => details.replaceAll(' ', '_').startsWith(code));
