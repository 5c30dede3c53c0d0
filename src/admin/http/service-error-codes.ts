import type { ErrorCode } from './error-code.ts';

/** Codes of what leans on servers outside: the metrics backend, the chatbot's model, and where their settings are kept. */
export const serviceErrorCodes = {
  promql_rejected: {
    status: 400,
    meaning: 'The metrics backend rejected the query; see its message.',
    remedy: 'Correct the query.',
  },
  settings_forbidden: {
    status: 403,
    meaning: 'The control plane lacks the right to read or write the Secret of its settings.',
    remedy: 'Grant its ServiceAccount get and patch on the Secret in the message (rbac/ has the Role).',
  },
  settings_invalid: {
    status: 422,
    meaning: 'The settings are not valid.',
    remedy: 'Correct every position in `details`.',
  },
  metrics_backend_failed: {
    status: 502,
    meaning: 'The metrics backend is unreachable, denies access, or does not answer like Prometheus.',
    remedy: 'See the message, and check the address and credentials of `/v1/metrics/config`.',
  },
  metrics_backend_busy: {
    status: 503,
    meaning: 'Too many queries are waiting for the metrics backend.',
    remedy: 'Try again later, or query less at once.',
  },
  settings_unavailable: {
    status: 503,
    meaning: 'The settings cannot be read or written at the moment; the message names their storage.',
    remedy: 'Correct the cause in the message, and repeat the request.',
  },
  chatbot_not_configured: {
    status: 409,
    meaning: 'No model is configured, and the built-in mode is off.',
    remedy: 'Set `apiEndpoint` and `model` with `PUT /v1/chatbot/config`, or `chatbot.builtin` in the configuration.',
  },
  chatbot_busy: {
    status: 429,
    meaning: 'The maximum number of chats is running.',
    remedy: 'Wait for one to end.',
  },
  metrics_backend_timeout: {
    status: 504,
    meaning: 'The metrics backend did not answer within ten seconds.',
    remedy: 'Use a shorter range or a longer step, or check the load of the backend.',
  },
} as const satisfies Record<string, ErrorCode>;
