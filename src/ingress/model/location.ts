import { keyOf } from '../../gateway-api/index.ts';
import type { Ingress } from '../world/objects.ts';
import { type AccessRules, accessOf } from './access.ts';
import { Annotations } from './annotations.ts';
import { type Cors, corsOf } from './cors.ts';
import { readSize } from './settings.ts';
import type { Site } from './site.ts';
import { type LocationSnippet, locationSnippet } from './snippet.ts';

/** What annotations say of the locations of their Ingress. */
export interface LocationRules {
  readonly ingress: string;
  readonly useRegex: boolean;
  readonly rewriteTarget: string | undefined;
  readonly appRoot: string | undefined;
  readonly redirect: { readonly code: number; readonly url: string } | undefined;
  readonly fromToWww: boolean;
  readonly sslRedirect: boolean;
  readonly forceSslRedirect: boolean;
  readonly keepsSlash: boolean;
  readonly usesPort: boolean;
  readonly upstreamHost: string | undefined;
  readonly bodyLimit: number;
  /** `proxy-next-upstream` and its tries. */
  readonly nextUpstream: { readonly when: string; readonly tries: number };
  readonly cors: Cors | undefined;
  readonly access: AccessRules;
  /** `NAME` of the Service that takes the place of one without endpoints. */
  readonly defaultBackend: string | undefined;
  /** Statuses that the default backend has pages for. */
  readonly pageCodes: ReadonlySet<number>;
  /** Of `configuration-snippet`: what it rejects, and how it rewrites paths. */
  readonly snippet: LocationSnippet;
  /** Why its locations answer 503 to everything. */
  readonly denied: string | undefined;
}

/** Of paths with groups: others are dropped. Source: `RegexPathWithCapture`. */
const rewriteTargetForm = /^\/?[-._~a-zA-Z0-9/:$]*$/;

export function locationRules(ingress: Ingress, { world, settings }: Site): LocationRules {
  const all = new Annotations(ingress, world.controller);
  const target = all.text('rewrite-target');
  const access = accessOf(ingress, all, { world, settings });
  return {
    ingress: keyOf(ingress),
    useRegex: all.flag('use-regex') ?? false,
    rewriteTarget: target !== undefined && rewriteTargetForm.test(target) ? target : undefined,
    appRoot: appRootOf(all.text('app-root')),
    redirect: redirectOf(all),
    fromToWww: all.flag('from-to-www-redirect') ?? false,
    sslRedirect: all.flag('ssl-redirect') ?? settings.sslRedirect,
    forceSslRedirect: all.flag('force-ssl-redirect') ?? settings.forceSslRedirect,
    keepsSlash: all.flag('preserve-trailing-slash') ?? settings.keepsSlash,
    usesPort: all.flag('use-port-in-redirects') ?? false,
    upstreamHost: all.text('upstream-vhost'),
    bodyLimit: readSize(all.text('proxy-body-size') ?? '') ?? settings.bodyLimit,
    nextUpstream: {
      when: all.text('proxy-next-upstream') ?? settings.nextUpstream.when,
      tries: all.number('proxy-next-upstream-tries') ?? settings.nextUpstream.tries,
    },
    cors: corsOf(all),
    access,
    defaultBackend: all.text('default-backend'),
    pageCodes: codesOf(all.text('custom-http-errors') ?? world.controller.settings['custom-http-errors']),
    snippet: locationSnippet(all.text('configuration-snippet')),
    denied: access.fault,
  };
}

/** A temporary one goes before a permanent one. */
function redirectOf(all: Annotations): LocationRules['redirect'] {
  const temporal = all.text('temporal-redirect');
  if (temporal !== undefined) return { url: temporal, code: codeOf(all.number('temporal-redirect-code'), 302, 307) };
  const permanent = all.text('permanent-redirect');
  if (permanent === undefined) return undefined;
  return { url: permanent, code: codeOf(all.number('permanent-redirect-code'), 301, 308) };
}

const codeOf = (code: number | undefined, otherwise: number, last: number): number =>
  code !== undefined && code >= 300 && code <= last ? code : otherwise;

const codesOf = (list = ''): ReadonlySet<number> =>
  new Set(list.split(',').flatMap((code) => (/^\s*\d{3}\s*$/.test(code) ? Number(code) : [])));

const appRootOf = (text: string | undefined): string | undefined => (text?.startsWith('/') ? text : undefined);
