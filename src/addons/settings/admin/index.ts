import * as z from 'zod';
import {
  type Awaitable,
  bodyErrors,
  type Endpoint,
  get,
  HttpError,
  named,
  parseBody,
  put,
  readObject,
  type Shown,
} from '../../../admin/index.ts';
import { ConfigError } from '../../../config/index.ts';
import { SettingsError } from '../index.ts';

export const settingsTest = named('SettingsTest', 'Whether the settings work.', {
  ok: z.boolean(),
  message: z.string(),
});

/** What an endpoint may answer because of where settings are kept. */
export const settingsErrors = ['settings_forbidden', 'settings_unavailable'] as const;

/** What a failure of the settings means to a client; anything else stays as it is. */
export function settingsError(caught: unknown): unknown {
  if (caught instanceof SettingsError) return new HttpError(`settings_${caught.code}`, caught.message);
  // A file that the configuration names has gone since the start.
  return caught instanceof ConfigError ? new HttpError('settings_unavailable', caught.message) : caught;
}

interface SettingsParts<S, Config extends z.ZodType, Changed extends z.ZodType, Body> {
  readonly path: string;
  readonly tag: string;
  /** Of GET and of PUT. */
  readonly summaries: { readonly get: string; readonly put: string };
  /** What is shown of the settings. */
  readonly config: Config;
  /** The same with `test`: whether they work. */
  readonly changed: Changed;
  readonly body: z.ZodType<Body>;
  readonly errorOf: (caught: unknown) => unknown;
  readonly of: (sources: S) => {
    config(): Awaitable<Shown<Config>>;
    change(body: Body): Awaitable<Shown<Changed>>;
  };
}

/** GET and PUT of an add-on's settings. */
export const settingsEndpoints = <S, Config extends z.ZodType, Changed extends z.ZodType, Body>({
  path,
  tag,
  summaries,
  config,
  changed,
  body,
  errorOf,
  of,
}: SettingsParts<S, Config, Changed, Body>): readonly Endpoint<S>[] => [
  get({
    path,
    tag,
    summary: summaries.get,
    answer: config,
    errors: settingsErrors,
    errorOf,
    handle: (_, sources: S) => of(sources).config(),
  }),
  put({
    path,
    tag,
    summary: summaries.put,
    body,
    answer: changed,
    errors: [...bodyErrors, ...settingsErrors, 'settings_invalid', 'origin_foreign'],
    errorOf,
    handle: async ({ ctx }, sources: S) =>
      of(sources).change(parseBody(body, await readObject(ctx), 'settings_invalid')),
  }),
];
