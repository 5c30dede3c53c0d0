import { any, fields, type SafeFields, text, time, whole } from './field.ts';

const backOff: SafeFields = { base_interval: time(1), max_interval: time(1) };

const resetHeader: SafeFields = {
  name: text(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header, 64 characters at most'),
  format: any,
};

/**
 * `envoy.config.route.v3.RouteAction`: how long requests may take and how they are sent again. Where they lead, what is done to them on the way and
 * which limits of the backend they count for are not here; nor is what is tried again, which decides whether a request may reach two servers.
 */
export const routeActionFields: SafeFields = {
  timeout: time(),
  idle_timeout: time(),
  flush_timeout: time(),
  max_stream_duration: fields({
    max_stream_duration: time(),
    grpc_timeout_header_max: time(),
    grpc_timeout_header_offset: time(),
  }),
  retry_policy: fields({
    num_retries: whole(10),
    per_try_timeout: time(1),
    per_try_idle_timeout: time(1),
    host_selection_retry_max_attempts: whole(20),
    retry_back_off: fields(backOff),
    rate_limited_retry_back_off: fields({ reset_headers: fields(resetHeader), max_interval: time(1) }),
  }),
  hedge_policy: fields({ hedge_on_per_try_timeout: any }),
};
