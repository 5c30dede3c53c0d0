import { annotated } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { secondsText } from '../values/seconds.ts';
import { nothing, only, type Part } from './part.ts';

export function connectTimeout(settings: SettingsOf): Part {
  if (settings.set('proxy-connect-timeout') === undefined) return nothing;
  return {
    findings: [annotated('proxy-connect-timeout')],
    backend: { timeouts: { connect: secondsText(settings.number('proxy-connect-timeout'), 600) } },
  };
}

/** `service-upstream`. */
export const serviceAddress = (settings: SettingsOf): Part =>
  settings.is('service-upstream')
    ? { findings: [annotated('service-upstream')], backend: { addressing: 'Service' } }
    : nothing;

/** Text of `upstream-hash-by` that one entry of `hash` stands for. */
const hashed: readonly (readonly [form: RegExp, type: string])[] = [
  [/^\$(?:remote_addr|binary_remote_addr)$/, 'SourceIP'],
  [/^\$http_([a-z0-9_]+)$/, 'Header'],
  [/^\$cookie_([A-Za-z0-9_]+)$/, 'Cookie'],
  [/^\$arg_([A-Za-z0-9_]+)$/, 'QueryParam'],
  [/^\$uri$/, 'Path'],
];

/** `upstream-hash-by`, `load-balance`; a hash goes before a balancer. */
export function balancing(settings: SettingsOf): Part {
  const by = settings.set('upstream-hash-by');
  if (by === undefined) return leastRequest(settings);
  const entries = by
    .replaceAll(/\$\{(\w+)\}/g, '$$$1')
    .split(/(?=\$)/)
    .map(hashEntry);
  if (entries.includes(undefined))
    return only(
      annotated(
        'upstream-hash-by',
        'cannot',
        `${by}: a hash is of the address, headers, cookies, parameters or the path`,
      ),
    );
  const subset = settings.is('upstream-hash-by-subset') ? [annotated('upstream-hash-by-subset')] : [];
  return {
    findings: [annotated('upstream-hash-by'), ...subset],
    traffic: { hash: entries.flatMap((entry) => entry ?? []) },
    backend: { loadBalancer: { type: 'ConsistentHash', consistentHash: { type: 'Route' } } },
  };
}

function hashEntry(text: string): { readonly type: string; readonly name?: string } | undefined {
  for (const [form, type] of hashed) {
    const [found, name] = form.exec(text) ?? [];
    if (found === undefined) continue;
    return name === undefined ? { type } : { type, name: type === 'Header' ? name.replaceAll('_', '-') : name };
  }
  return undefined;
}

function leastRequest(settings: SettingsOf): Part {
  if (settings.get('load-balance').toLowerCase() !== 'ewma') return nothing;
  return { findings: [annotated('load-balance')], backend: { loadBalancer: { type: 'LeastRequest' } } };
}

const cookieName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const cookiePath = /^\/[-A-Za-z0-9._~!$&'()*+,=:@%/]*$/;

/** `affinity: cookie`. */
export function sessions(settings: SettingsOf, firstPath: string): Part {
  if (settings.get('affinity').toLowerCase() !== 'cookie') return nothing;
  const ages = ['session-cookie-max-age', 'session-cookie-expires'].map((name) => settings.number(name));
  const age = ages.find((seconds) => seconds > 0);
  const path = settings.set('session-cookie-path') ?? firstPath;
  const name = settings.get('session-cookie-name');
  if (!cookieName.test(name) || !cookiePath.test(path))
    return only(annotated('affinity', 'cannot', `${name} at ${path}: names and paths of cookies have no such letters`));
  const set = [
    'affinity-mode',
    'affinity-canary-behavior',
    'session-cookie-domain',
    'session-cookie-samesite',
    'session-cookie-partitioned',
    'session-cookie-change-on-failure',
  ];
  return {
    findings: [
      annotated('affinity'),
      ...set.filter((name) => settings.set(name) !== undefined).map((name) => annotated(name)),
    ],
    session: {
      type: 'Cookie',
      ...(age !== undefined && { absoluteTimeout: secondsText(age, 99_999) }),
      cookie: {
        name,
        ...(path !== '/' && { path }),
        ...(age !== undefined && { lifetimeType: 'Permanent' }),
      },
    },
  };
}
