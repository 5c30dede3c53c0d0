import * as z from 'zod';
import { HttpError } from '../../../admin/index.ts';
import { ConfigError } from '../../../config/index.ts';
import { SettingsError } from '../index.ts';

/** Whether changed settings work. */
export const settingsTest = z.strictObject({ ok: z.boolean(), message: z.string() });

/** What an endpoint may answer because of where settings are kept. */
export const settingsErrors = ['settings_forbidden', 'settings_unavailable'] as const;

/** What a failure of the settings means to a client; anything else stays as it is. */
export function settingsError(caught: unknown): unknown {
  if (caught instanceof SettingsError) return new HttpError(`settings_${caught.code}`, caught.message);
  // A file that the configuration names has gone since the start.
  return caught instanceof ConfigError ? new HttpError('settings_unavailable', caught.message) : caught;
}
