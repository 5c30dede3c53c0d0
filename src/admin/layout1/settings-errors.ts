import { SettingsError } from '../../addons/settings/index.ts';
import { ConfigError } from '../../config/index.ts';
import { HttpError } from '../http/index.ts';

/** What an endpoint may answer because of where settings are kept. */
export const settingsErrors = ['settings_forbidden', 'settings_unavailable'] as const;

/** What a failure of the settings means to a client; anything else stays as it is. */
export function settingsError(caught: unknown): unknown {
  if (caught instanceof SettingsError) return new HttpError(`settings_${caught.code}`, caught.message);
  // A file that the configuration names has gone since the start.
  return caught instanceof ConfigError ? new HttpError('settings_unavailable', caught.message) : caught;
}
