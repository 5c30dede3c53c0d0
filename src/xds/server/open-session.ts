import type { NodeIdentity } from '../nodes/node-identity.ts';
import { Session } from '../session/session.ts';
import type { SessionOptions } from '../session/session-options.ts';
import type { StreamHost } from './stream-host.ts';

interface OpenOptions extends Pick<SessionOptions, 'variant' | 'group' | 'observer'> {
  readonly identity: NodeIdentity;
}

/** The session of a stream whose node is known, within the server's limits. */
export function openSession(host: StreamHost, { variant, identity, group, observer }: OpenOptions): Session {
  const { limits, newest, clock, patches } = host;
  return new Session({
    variant,
    group,
    newest: () => newest(group),
    wantsManifest: identity.version !== '',
    patches: identity.takesPatches ? patches : undefined,
    hasGeo: identity.hasGeo,
    tries: identity.tries && variant === 'delta',
    maxResponseBytes: limits.maxResponseBytes,
    maxFirstRoutesBytes: limits.maxFirstRoutesBytes,
    bindRetryMs: limits.bindRetryMs,
    lingerMs: limits.lingerMs,
    clock,
    observer,
  });
}
