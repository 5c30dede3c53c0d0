import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { quantityOf } from '../values/nginx-size.ts';
import { noted } from '../values/noted.ts';
import { secondsText } from '../values/seconds.ts';
import { type Fields, nothing, only, type Part } from './part.ts';

/** `proxy-read-timeout` and `proxy-send-timeout`, if one is set: how long nothing may move. */
export function idleTimeout(settings: SettingsOf): Part {
  const used = ['proxy-read-timeout', 'proxy-send-timeout'].filter((name) => settings.set(name) !== undefined);
  if (used.length === 0) return nothing;
  const seconds = Math.max(settings.number('proxy-read-timeout'), settings.number('proxy-send-timeout'));
  return {
    findings: used.map((name) => annotated(name)),
    traffic: {
      timeouts: { streamIdle: noted(secondsText(seconds), 'the longer of proxy-read-timeout and proxy-send-timeout') },
    },
  };
}

export function bodySize(settings: SettingsOf): Part {
  const size = settings.set('proxy-body-size');
  if (size === undefined) return nothing;
  const maxBytes = quantityOf(size);
  const findings = [annotated('proxy-body-size')];
  return maxBytes === undefined ? { findings } : { findings, traffic: { requestBody: { maxBytes } } };
}

/** `proxy-next-upstream`. What an endpoint has not processed is repeated here silently. */
export function retries(settings: SettingsOf): Part {
  const when = settings.set('proxy-next-upstream');
  if (when === undefined) return nothing;
  const words = when.split(/\s+/);
  if (words.includes('off'))
    return {
      findings: [annotated('proxy-next-upstream', 'same', 'requests are not repeated')],
      traffic: { retry: { attempts: 0 } },
    };
  const codes = words.flatMap((word) => (/^http_[45]\d\d$/.test(word) ? Number(word.slice(5)) : []));
  const tries = settings.number('proxy-next-upstream-tries');
  const attempts = tries === 0 ? 10 : Math.min(10, Math.max(0, tries - 1));
  return {
    findings: [annotated('proxy-next-upstream')],
    traffic: { retry: { attempts, ...(codes.length > 0 && { codes }) } },
  };
}

export function bandwidth(settings: SettingsOf): Part {
  const rate = settings.number('limit-rate');
  if (rate <= 0) return nothing;
  const after: readonly Finding[] = settings.number('limit-rate-after') > 0 ? [annotated('limit-rate-after')] : [];
  return {
    findings: [annotated('limit-rate'), ...after],
    traffic: { bandwidth: { perRequest: { response: `${Math.min(rate, 999_999)}Ki` } } },
  };
}

const url = /^[A-Za-z0-9:/?&=._~@+,;!$[\]-]*\/$/;

/** `proxy-redirect-from` and `proxy-redirect-to`. */
export function responseLocation(settings: SettingsOf): Part {
  const from = settings.get('proxy-redirect-from');
  const to = settings.get('proxy-redirect-to');
  if (from === 'off' || from === '') return nothing;
  if (![from, to].every((text) => url.test(text) && !text.includes('$')))
    return only(
      annotated(
        'proxy-redirect-from',
        'cannot',
        `${from} → ${to}: both must be URLs without variables that end in a slash`,
      ),
    );
  return { findings: [annotated('proxy-redirect-from')], traffic: { responseLocation: [{ from, to }] } };
}

const cookieForms = [
  ['proxy-cookie-path', 'path', /^\/[A-Za-z0-9/._~!$&()*+=:@%-]*$/],
  ['proxy-cookie-domain', 'domain', /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/],
] as const;

/** `proxy-cookie-path` and `proxy-cookie-domain`, each `FROM TO`. */
export function responseCookies(settings: SettingsOf): Part {
  const findings: Finding[] = [];
  const fields: Record<string, Fields['x']> = {};
  for (const [name, field, form] of cookieForms) {
    const text = settings.get(name);
    if (text === 'off' || text === '') continue;
    const [from = '', to = '', ...rest] = text.split(/\s+/);
    if (rest.length > 0 || !form.test(from) || !form.test(to)) {
      findings.push(annotated(name, 'cannot', `${text}: expressions and variables have no equivalent here`));
      continue;
    }
    findings.push(annotated(name));
    fields[field] = [{ from, to }];
  }
  return { findings, ...(Object.keys(fields).length > 0 && { traffic: { responseCookies: fields } }) };
}
