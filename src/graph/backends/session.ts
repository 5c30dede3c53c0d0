import * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { type ConditionFault, portOfBackend, type SessionSpec } from '../model/index.ts';

export interface SessionPlace {
  /** Key of the ir.Backend. */
  readonly backend: string;
  /** Clients come over TLS. */
  readonly secure: boolean;
}

/** What a `sessionPersistence` comes to for one backend. Source: Gateway API, SessionPersistence; GEP-1619. */
export function sessionOf(spec: SessionSpec, { backend, secure }: SessionPlace): ir.Session {
  const { type = 'Cookie', cookie, header, absoluteTimeout } = spec;
  const lifetime = lifetimeSecondsOf(absoluteTimeout);
  const traits = { scope: portOfBackend(backend), ...(lifetime !== undefined && { lifetimeSeconds: lifetime }) };
  if (type === 'Header') return { kind: 'header', name: header?.name.toLowerCase() ?? '', ...traits };
  const permanent = cookie?.lifetimeType === 'Permanent';
  return {
    kind: 'cookie',
    name: cookie?.name ?? cookieNameOf(backend),
    path: cookie?.path ?? '/',
    permanent,
    secure,
    ...traits,
  };
}

/** One for each backend, in whatever way it is spoken to; the same in all proxies. */
export const cookieNameOf = (backend: string): string =>
  `gw-${ir.formatDigest(ir.digestOfText(`session ${portOfBackend(backend)}`)).slice(0, 12)}`;

/** Tokens count in whole seconds, at least one; none at all is no limit, as with other times of the API. */
function lifetimeSecondsOf(absoluteTimeout: string | undefined): number | undefined {
  const ms = absoluteTimeout === undefined ? undefined : parseDurationMs(absoluteTimeout);
  return ms === undefined || ms === 0 ? undefined : Math.max(1, Math.floor(ms / 1000));
}

/** Headers that say how the message travels or that belong to others; a token in them would be lost or do harm. */
const takenHeaders =
  /^(host|cookie|set-cookie|authorization|connection|upgrade|te|trailer|transfer-encoding|content-length|content-type|x-gw-.*|x-envoy-.*|x-forwarded-.*)$/;

/** RFC 6265, path-value: what is not in it would end the attribute, or the header. */
const cookiePath = /^\/[\x20-\x3a\x3c-\x7e]*$/;

/** Why it is not available; the API server's own rules have checked the rest. */
export function sessionFault({ header, cookie }: SessionSpec): ConditionFault | undefined {
  if (header && takenHeaders.test(header.name.toLowerCase()))
    return unsupported(`header.name ${header.name} is a header with a meaning of its own: choose another one`);
  if (cookie?.path !== undefined && !cookiePath.test(cookie.path))
    return unsupported(
      `cookie.path ${JSON.stringify(cookie.path)} is no path of a cookie: begin with "/", and leave out ";" and what is not printable ASCII`,
    );
  return undefined;
}

const unsupported = (message: string): ConditionFault => ({
  reason: 'UnsupportedValue',
  message: `sessionPersistence: ${message}`,
});
