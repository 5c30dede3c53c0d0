import { entriesOf } from '../annotations/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { noted } from '../values/noted.ts';
import { nothing, only, type Part } from './part.ts';

const origin = /^(?:\*|https?:\/\/(?:\*\.)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(?::\d{1,5})?)$/;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', '*']);

/** `enable-cors`. The filter never has `*` together with credentials: that would open the site to every page. */
export function cors(settings: SettingsOf): Part {
  if (!settings.is('enable-cors')) return nothing;
  const asked = entriesOf(settings.get('cors-allow-origin'));
  const origins = asked.filter((entry) => origin.test(entry));
  const odd = asked.filter((entry) => !origin.test(entry));
  const lost: readonly Finding[] =
    odd.length === 0
      ? []
      : [annotated('cors-allow-origin', 'cannot', `${odd.join(', ')}: an origin is a scheme and a host`)];
  if (origins.length === 0) return only(annotated('enable-cors'), ...lost);
  const isAny = origins.includes('*');
  const allowed = isAny ? ['*'] : [...origins];
  const credentials = settings.is('cors-allow-credentials');
  const wild = !isAny && origins.some((entry) => entry.includes('*.'));
  const expose = entriesOf(settings.get('cors-expose-headers'));
  return {
    findings: [
      annotated('enable-cors'),
      ...lost,
      ...(wild && lost.length === 0 ? [annotated('cors-allow-origin')] : []),
      ...(isAny && credentials ? [annotated('cors-allow-credentials')] : []),
    ],
    cors: {
      allowOrigins: wild ? noted(allowed, '*. stands for any depth here, for one label in nginx') : allowed,
      allowMethods: entriesOf(settings.get('cors-allow-methods').toUpperCase()).filter((method) => methods.has(method)),
      allowHeaders: [...entriesOf(settings.get('cors-allow-headers'))],
      ...(expose.length > 0 && { exposeHeaders: [...expose] }),
      ...(credentials && !isAny && { allowCredentials: true }),
      ...(credentials &&
        isAny && { allowCredentials: noted(false, 'nginx says true, which browsers reject for any origin') }),
      maxAge: Math.min(2_147_483_647, Math.max(1, settings.number('cors-max-age'))),
    },
  };
}
