/** Names in the tables of the user guide of ingress-nginx: annotations (with aliases), and keys of the ConfigMap. */
export const knownAnnotations: readonly string[] = `
  affinity affinity-canary-behavior affinity-mode allowlist-source-range app-root auth-always-set-cookie
  auth-cache-duration auth-cache-key auth-keepalive auth-keepalive-requests auth-keepalive-share-vars
  auth-keepalive-timeout auth-method auth-proxy-set-headers auth-realm auth-request-redirect auth-response-headers
  auth-secret auth-secret-type auth-signin auth-signin-redirect-param auth-snippet auth-tls-error-page
  auth-tls-match-cn auth-tls-pass-certificate-to-upstream auth-tls-secret auth-tls-verify-client auth-tls-verify-depth
  auth-type auth-url backend-protocol canary canary-by-cookie canary-by-header canary-by-header-pattern
  canary-by-header-value canary-weight canary-weight-total client-body-buffer-size configuration-snippet
  connection-proxy-header cors-allow-credentials cors-allow-headers cors-allow-methods cors-allow-origin
  cors-expose-headers cors-max-age custom-headers custom-http-errors default-backend denylist-source-range
  disable-proxy-intercept-errors enable-access-log enable-cors enable-global-auth enable-modsecurity
  enable-opentelemetry enable-owasp-core-rules enable-rewrite-log fastcgi-index fastcgi-params-configmap
  force-ssl-redirect from-to-www-redirect http2-push-preload limit-allowlist limit-burst-multiplier limit-connections
  limit-rate limit-rate-after limit-rpm limit-rps limit-whitelist load-balance mirror-host mirror-request-body
  mirror-target modsecurity-snippet modsecurity-transaction-id opentelemetry-operation-name
  opentelemetry-trust-incoming-span permanent-redirect permanent-redirect-code preserve-trailing-slash proxy-body-size
  proxy-buffer-size proxy-buffering proxy-buffers-number proxy-busy-buffers-size proxy-connect-timeout
  proxy-cookie-domain proxy-cookie-path proxy-http-version proxy-max-temp-file-size proxy-next-upstream
  proxy-next-upstream-timeout proxy-next-upstream-tries proxy-read-timeout proxy-redirect-from proxy-redirect-to
  proxy-request-buffering proxy-send-timeout proxy-ssl-ciphers proxy-ssl-name proxy-ssl-protocols proxy-ssl-secret
  proxy-ssl-server-name proxy-ssl-verify proxy-ssl-verify-depth relative-redirects rewrite-target satisfy server-alias
  server-snippet service-upstream session-cookie-change-on-failure session-cookie-conditional-samesite-none
  session-cookie-domain session-cookie-expires session-cookie-max-age session-cookie-name session-cookie-partitioned
  session-cookie-path session-cookie-samesite session-cookie-secure ssl-ciphers ssl-passthrough
  ssl-prefer-server-ciphers ssl-redirect stream-snippet temporal-redirect temporal-redirect-code upstream-hash-by
  upstream-hash-by-subset upstream-hash-by-subset-size upstream-vhost use-port-in-redirects use-regex
  whitelist-source-range x-forwarded-prefix
`
  .trim()
  .split(/\s+/);

export const knownConfigKeys: readonly string[] = `
  access-log-params access-log-path add-headers allow-backend-server-header allow-snippet-annotations
  annotation-value-word-blocklist bind-address block-cidrs block-referers block-user-agents brotli-level
  brotli-min-length brotli-types client-body-buffer-size client-body-timeout client-header-buffer-size
  client-header-timeout compute-full-forwarded-for custom-http-errors debug-connections default-type
  disable-access-log disable-ipv6 disable-ipv6-dns enable-access-log-for-default-backend enable-brotli
  enable-modsecurity enable-multi-accept enable-ocsp enable-owasp-modsecurity-crs enable-real-ip enable-syslog
  enable-underscores-in-headers error-log-level error-log-path force-ssl-redirect forwarded-for-header
  generate-request-id global-auth-cache-duration global-auth-cache-key global-auth-method global-auth-request-redirect
  global-auth-response-headers global-auth-signin global-auth-signin-redirect-param global-auth-snippet
  global-auth-url gzip-level gzip-types hide-headers hsts hsts-include-subdomains hsts-max-age hsts-preload
  http-access-log-path http-redirect-code http-snippet http2-max-concurrent-streams http2-max-field-size
  http2-max-header-size http2-max-requests ignore-invalid-headers keep-alive keep-alive-requests
  large-client-header-buffers limit-conn-status-code limit-conn-zone-variable limit-rate limit-rate-after
  limit-req-status-code load-balance location-snippet log-format-escape-json log-format-escape-none log-format-stream
  log-format-upstream lua-shared-dicts main-snippet map-hash-bucket-size max-worker-connections max-worker-open-files
  modsecurity-snippet nginx-status-ipv4-whitelist nginx-status-ipv6-whitelist no-auth-locations
  no-tls-redirect-locations plugins proxy-add-original-uri-header proxy-body-size proxy-buffer-size proxy-buffering
  proxy-buffers-number proxy-connect-timeout proxy-cookie-domain proxy-cookie-path proxy-headers-hash-bucket-size
  proxy-headers-hash-max-size proxy-next-upstream proxy-next-upstream-timeout proxy-next-upstream-tries
  proxy-protocol-header-timeout proxy-read-timeout proxy-real-ip-cidr proxy-redirect-from proxy-request-buffering
  proxy-send-timeout proxy-set-headers proxy-ssl-location-only proxy-stream-next-upstream
  proxy-stream-next-upstream-timeout proxy-stream-next-upstream-tries proxy-stream-responses proxy-stream-timeout
  retry-non-idempotent reuse-port server-name-hash-bucket-size server-name-hash-max-size server-snippet server-tokens
  service-upstream skip-access-log-urls ssl-buffer-size ssl-ciphers ssl-dh-param ssl-ecdh-curve ssl-protocols
  ssl-redirect ssl-reject-handshake ssl-session-cache ssl-session-cache-size ssl-session-ticket-key
  ssl-session-tickets ssl-session-timeout stream-access-log-path stream-snippet syslog-host syslog-port
  upstream-keepalive-connections upstream-keepalive-requests upstream-keepalive-time upstream-keepalive-timeout
  use-forwarded-headers use-geoip use-geoip2 use-gzip use-http2 use-proxy-protocol variables-hash-bucket-size
  variables-hash-max-size whitelist-source-range worker-cpu-affinity worker-processes worker-shutdown-timeout
`
  .trim()
  .split(/\s+/);
