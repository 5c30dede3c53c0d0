import type { ErrorCode } from './error-codes.ts';

/** Codes of what leans on servers outside: the metrics backend, the chatbot's model, and where their settings are kept. */
export const serviceErrorCodes = {
  promql_rejected: {
    status: 400,
    meaning: 'The metrics backend rejects the query; the message has its words.',
    remedy: 'Correct the query.',
  },
  settings_forbidden: {
    status: 403,
    meaning: 'The cluster does not let the control plane read or write the Secret of its settings.',
    remedy: 'Grant its ServiceAccount get and patch on the Secret that the message names (rbac/ has the Role).',
  },
  settings_invalid: {
    status: 422,
    meaning: 'Settings that cannot work.',
    remedy: 'Correct every place that `details` names.',
  },
  metrics_backend_failed: {
    status: 502,
    meaning: 'The metrics backend cannot be reached, refuses us, or does not answer as Prometheus does.',
    remedy: 'See the message, and the address and credentials of `/v1/metrics/config`.',
  },
  metrics_backend_busy: {
    status: 503,
    meaning: 'So many queries wait for the metrics backend that no other is taken on.',
    remedy: 'Ask again later, or for less at once.',
  },
  settings_unavailable: {
    status: 503,
    meaning: 'The settings cannot be read or written now; the message says where they are kept.',
    remedy: 'Mend what the message names and repeat the request.',
  },
  chatbot_not_configured: {
    status: 409,
    meaning: 'No model is configured, and the built-in mode is off.',
    remedy: 'Set `apiEndpoint` and `model` with `PUT /v1/chatbot/config`, or `chatbot.builtin` in the configuration.',
  },
  chatbot_busy: {
    status: 429,
    meaning: 'As many chats are under way as there may be.',
    remedy: 'Wait for one to end.',
  },
  metrics_backend_timeout: {
    status: 504,
    meaning: 'The metrics backend did not answer within ten seconds.',
    remedy: 'Ask for a shorter range or a longer step, or see how busy the backend is.',
  },
} as const satisfies Record<string, ErrorCode>;
