import { annotated } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { nothing, only, type Part } from './part.ts';

export type ReadConfigMap = (key: string) => Readonly<Record<string, string>> | undefined;

/** `custom-headers`, and the ConfigMap's `proxy-set-headers`, `add-headers` and `hide-headers`. */
export function customHeaders(settings: SettingsOf, namespace: string, read: ReadConfigMap): Part {
  const own = settings.set('custom-headers');
  if (own === undefined) return nothing;
  const data = read(own.includes('/') ? own : `${namespace}/${own}`);
  if (data === undefined) return only(annotated('custom-headers', 'decision', `ConfigMap ${own} could not be read`));
  return { findings: [annotated('custom-headers')], responseHeaders: { set: headersOf(data) } };
}

/** Headers of all Ingresses, which the ConfigMap of the controller names. */
export function globalHeaders(settings: SettingsOf, read: ReadConfigMap): Part {
  const { config } = settings;
  const of = (key: string) => headersOf(read(config[key] ?? '') ?? {}).filter(({ value }) => !value.includes('$'));
  const hidden = (config['hide-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return {
    findings: [],
    requestHeaders: { set: of('proxy-set-headers') },
    responseHeaders: { set: of('add-headers'), remove: hidden },
  };
}

const headersOf = (data: Readonly<Record<string, string>>) =>
  Object.entries(data)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name: name.toLowerCase(), value }));

/** Strict-Transport-Security, which nginx adds to every answer over HTTPS unless the ConfigMap says otherwise. */
export function strictTransport(config: Readonly<Record<string, string>>): string | undefined {
  if (config.hsts?.trim() === 'false') return undefined;
  const subdomains = config['hsts-include-subdomains']?.trim() === 'false' ? '' : '; includeSubDomains';
  const preload = config['hsts-preload']?.trim() === 'true' ? '; preload' : '';
  return `max-age=${config['hsts-max-age']?.trim() ?? '31536000'}${subdomains}${preload}`;
}
