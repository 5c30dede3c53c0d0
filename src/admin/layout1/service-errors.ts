import type { Middleware } from 'koa';
import { ChatError, ChatSettingsError } from '../../addons/chatbot/index.ts';
import { MetricsError, MetricsSettingsError } from '../../addons/metrics-backend/index.ts';
import { SettingsError } from '../../addons/settings/index.ts';
import { ConfigError } from '../../config/index.ts';
import { HttpError } from '../http/index.ts';

const metricsCodes = {
  invalid: 'promql_rejected',
  failed: 'metrics_backend_failed',
  timeout: 'metrics_backend_timeout',
  busy: 'metrics_backend_busy',
} as const;

/** What a failure of a service outside means to a client; anything else stays as it is. */
function serviceError(caught: unknown): unknown {
  if (caught instanceof SettingsError) return new HttpError(`settings_${caught.code}`, caught.message);
  // A file that the configuration names has gone since the start.
  if (caught instanceof ConfigError) return new HttpError('settings_unavailable', caught.message);
  if (caught instanceof MetricsSettingsError || caught instanceof ChatSettingsError)
    return new HttpError('settings_invalid', caught.message, { details: caught.details });
  if (caught instanceof ChatError && caught.code === 'busy')
    return new HttpError('chatbot_busy', caught.message, { headers: { 'Retry-After': '5' } });
  if (caught instanceof ChatError) return new HttpError('chatbot_not_configured', caught.message);
  if (!(caught instanceof MetricsError)) return caught;
  const headers: Record<string, string> = caught.code === 'busy' ? { 'Retry-After': '1' } : {};
  return new HttpError(metricsCodes[caught.code], caught.message, { headers });
}

/** Says failures of services outside in the words of the API. */
export const mapped: Middleware = async (_ctx, next) => {
  try {
    await next();
  } catch (error) {
    throw serviceError(error);
  }
};
