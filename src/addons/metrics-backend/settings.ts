import * as z from 'zod';
import { authorizationOf, type Config, readTokenFile } from '../../config/index.ts';
import { readServerUrl } from '../../outgoing/index.ts';
import { isMask, parseKept } from '../settings/index.ts';
import { MetricsSettingsError } from './metrics-error.ts';

const tls = z.strictObject({
  caCertificate: z.string().max(262_144).default(''),
  serverName: z.string().max(253).default(''),
  insecureSkipVerify: z.boolean().default(false),
});

/** What they are kept as. */
export const settingsName = 'metrics-backend';

/** Settings as they are kept. */
const keptSettings = z.strictObject({
  prometheusUrl: z.string(),
  /** Of the Authorization header. Absent: as the configuration file has it, if it is for the same server. */
  authorization: z.string().optional(),
  tls: tls.default({ caCertificate: '', serverName: '', insecureSkipVerify: false }),
});

export type KeptSettings = z.infer<typeof keptSettings>;

/** What `PUT` is given. Fields that only answers have may come along, for those who send back what they read. */
export const metricsSettingsBody = z
  .strictObject({
    prometheusUrl: z.string().max(2048).describe('http or https; `""` for none'),
    authorization: z
      .string()
      .max(16_384)
      .regex(/^[\x20-\x7e]*$/, 'has characters that no header can have')
      .optional()
      .describe('Authorization header, such as `Bearer TOKEN`; absent or masked: the one that is kept; `""`: none'),
    tls: tls.partial().optional().describe('For https; absent: as it is'),
    ...Object.fromEntries(
      ['configured', 'authorizationSet', 'origin', 'place', 'test'].map((name) => [name, z.unknown().optional()]),
    ),
  })
  .meta({ id: 'MetricsSettings', description: 'What `PUT` is given; fields that only answers have may come along.' });

export type MetricsSettingsBody = z.infer<typeof metricsSettingsBody>;

/** What was kept, or undefined. Throws when it is not ours. */
export const readKept = (value: unknown): KeptSettings | undefined => parseKept(keptSettings, settingsName, value);

/** Settings in use, secrets and all. */
export interface MetricsSettings {
  /** `''`: there is no backend. */
  readonly prometheusUrl: string;
  readonly authorization: string;
  readonly tls: z.infer<typeof tls>;
  /** Who set them. */
  readonly origin: 'none' | 'configuration' | 'settings';
}

/** What is kept, else what the configuration file has. Files are read again each time. Throws a ConfigError when one cannot be. */
export function settingsInUse(kept: KeptSettings | undefined, defaults: Config['metricsBackend']): MetricsSettings {
  const fromFile = defaults.prometheusUrl ?? '';
  if (kept === undefined) {
    const { serverName = '', insecureSkipVerify, caFile } = defaults;
    const caCertificate = caFile === undefined ? '' : readTokenFile(caFile).reveal();
    return {
      prometheusUrl: fromFile,
      authorization: authorizationOf(defaults) ?? '',
      tls: { serverName, insecureSkipVerify, caCertificate },
      origin: fromFile === '' ? 'none' : 'configuration',
    };
  }
  const inherits = kept.authorization === undefined && isSameServer(kept.prometheusUrl, fromFile);
  return {
    ...kept,
    authorization: (inherits ? authorizationOf(defaults) : kept.authorization) ?? '',
    origin: 'settings',
  };
}

/**
 * What is to be kept after a change. A header is never carried over to another server: who may set the address must not be able to have
 * it sent somewhere. Throws a MetricsSettingsError that names each fault.
 */
export function changedSettings(
  body: MetricsSettingsBody,
  kept: KeptSettings | undefined,
  inUse: MetricsSettings,
): KeptSettings {
  const { prometheusUrl, authorization } = body;
  const { fault } = prometheusUrl === '' ? {} : readServerUrl(prometheusUrl);
  if (fault !== undefined) throw new MetricsSettingsError([{ path: 'prometheusUrl', message: fault }]);
  const keeps = authorization === undefined || isMask(authorization);
  const before = kept?.authorization;
  if (
    keeps &&
    prometheusUrl !== '' &&
    inUse.authorization !== '' &&
    !isSameServer(prometheusUrl, inUse.prometheusUrl)
  ) {
    const message = 'is kept for another server: give it again, or "" for none';
    throw new MetricsSettingsError([{ path: 'authorization', message }]);
  }
  return {
    prometheusUrl,
    ...(keeps ? before !== undefined && { authorization: before } : { authorization }),
    tls: { ...inUse.tls, ...body.tls },
  };
}

const isSameServer = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
