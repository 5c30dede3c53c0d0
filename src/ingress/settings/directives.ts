import { type Setting, same } from './setting.ts';

const answersOnly = 'without `always` nginx adds it to successful answers and redirects only; here to all';

/** Directives of nginx that snippets have. Those that are not here have no equivalent at all. */
export const directives: readonly Setting[] = [
  ...same(['add_header'], { verdict: 'differs', becomes: 'ResponseHeaderModifier', why: answersOnly }),
  ...same(['more_set_headers', 'more_clear_headers', 'proxy_hide_header'], {
    verdict: 'same',
    becomes: 'ResponseHeaderModifier',
  }),
  ...same(['proxy_set_header', 'more_set_input_headers'], {
    verdict: 'same',
    becomes:
      'RequestHeaderModifier, or an HTTPFilter with `headers` for values with `$remote_addr`, `$http_NAME`, `$scheme`, `$request_method`, `$request_id` or a version of HTTP or TLS',
  }),
  ...same(['more_clear_input_headers'], { verdict: 'same', becomes: 'RequestHeaderModifier' }),
  ...same(['expires'], {
    verdict: 'decision',
    becomes: 'ResponseHeaderModifier with `cache-control`, which you write',
    why: 'nginx computes a date',
  }),
  ...same(['return'], { verdict: 'same', becomes: 'an HTTPFilter with `directResponse`, or with `regexRedirect`' }),
  ...same(['rewrite'], {
    verdict: 'same',
    becomes:
      'in `configuration-snippet`: an HTTPFilter with `regexRewrite` for one `rewrite` with `break`, or with `regexRedirect` where the expression takes all paths; others you write',
  }),
  ...same(['if'], {
    verdict: 'differs',
    becomes:
      'in `configuration-snippet`: AccessPolicy `authorization` with `cel`, for conditions on the method or a header, with short expressions, that lead to `return 4xx` alone; others you write',
    why: 'clients get 403, and are sent to HTTPS before',
  }),
  ...same(['location'], {
    verdict: 'decision',
    becomes: 'a rule of its own, which you write',
    why: 'conditions become matches of rules',
  }),
  ...same(['allow', 'deny'], {
    verdict: 'decision',
    becomes:
      'AccessPolicy `clientIPs`, where `configuration-snippet` has all lines and their order is `deny`, `allow`, `deny all`',
    why: 'in nginx the first of several lines that fits counts; here `deny` goes before `allow`: other orders you write',
  }),
  ...same(['client_max_body_size'], { verdict: 'same', becomes: 'as the annotation `proxy-body-size`' }),
  ...same(['proxy_connect_timeout', 'proxy_read_timeout', 'proxy_send_timeout'], {
    verdict: 'differs',
    becomes: 'as the annotation of that name',
    why: 'one time holds for both directions',
  }),
  ...same(['gzip', 'gzip_types', 'gzip_min_length', 'gzip_proxied', 'gzip_vary', 'gzip_comp_level'], {
    verdict: 'decision',
    becomes: 'TrafficPolicy `compression`, which you write',
    why: 'a TrafficPolicy says it for a route or a Gateway',
  }),
  ...same(['auth_request'], {
    verdict: 'decision',
    becomes: 'AccessPolicy `forwardAuth`, which you write',
    why: 'it names a location of nginx, not a Service',
  }),
  ...same(
    [
      'proxy_buffering',
      'proxy_buffers',
      'proxy_buffer_size',
      'proxy_busy_buffers_size',
      'proxy_request_buffering',
      'proxy_http_version',
      'client_body_buffer_size',
      'keepalive_timeout',
      'access_log',
      'error_log',
      'log_not_found',
    ],
    { verdict: 'no-effect', becomes: 'nothing' },
  ),
  ...same(
    [
      'set',
      'sub_filter',
      'proxy_cache',
      'proxy_pass',
      'map',
      'include',
      'error_page',
      'auth_basic',
      'ssi',
      'set_by_lua_block',
      'access_by_lua_block',
      'rewrite_by_lua_block',
      'content_by_lua_block',
      'header_filter_by_lua_block',
      'body_filter_by_lua_block',
      'log_by_lua_block',
    ],
    { verdict: 'cannot', becomes: 'nothing', why: 'Gatewright has no equivalent' },
  ),
];
