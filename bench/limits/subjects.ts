import { freePort } from '../../scripts/free-port.ts';
import type { ensureEnvoyGateway } from '../../scripts/setup/envoy-gateway.mjs';
import { EnvoyGateway } from '../peer/envoy-gateway.ts';
import { Gatewright } from '../peer/gatewright.ts';
import type { Subject } from '../peer/subject.ts';
import type { World } from '../peer/world.ts';
import { endChild } from '../support/children.ts';
import { ratelimitFor, startValkey } from './ratelimit-service.ts';

/** Paths of what is run beside the subjects. */
interface Programs {
  /** Envoy Gateway and its ratelimit service; none where it takes no part. */
  readonly peer: (Awaited<ReturnType<typeof ensureEnvoyGateway>> & { readonly ratelimit: string }) | undefined;
  readonly valkey: string;
}

interface Prepared {
  readonly subject: Subject;
  /** URLs of its agents' servers. */
  readonly agents: readonly string[];
}

/** Those that take part, each with a Valkey of its own where it has one. */
export async function prepareSubjects(world: World, programs: Programs, names: readonly string[]) {
  const ends: (() => Promise<void>)[] = [];
  const valkey = async (name: string): Promise<number> => {
    const port = await freePort();
    const child = await startValkey(programs.valkey, port, `${world.api.directory}/${name}-valkey.log`);
    ends.push(() => endChild(child));
    return port;
  };
  const subjects: Prepared[] = [];
  for (const name of names) {
    if (name === 'envoy-gateway' && programs.peer) {
      const service = await ratelimitFor(world, programs.peer.ratelimit, await valkey(name));
      const subject = await EnvoyGateway.prepare(world, programs.peer, { proxies: 2, redis: service.redis });
      subjects.push({ subject: service.beside(subject), agents: [] });
      continue;
    }
    const store = name === 'gatewright-valkey' ? await valkey(name) : undefined;
    const subject = await Gatewright.prepare(world, {
      gateway: name,
      proxies: 2,
      ...(store !== undefined && {
        name: 'Gatewright with Valkey',
        config: { rateLimits: { valkey: { url: `redis://127.0.0.1:${store}` } } },
      }),
    });
    subjects.push({ subject, agents: subject.agents });
  }
  return {
    subjects,
    stop: async () => {
      for (const end of ends) await end();
    },
  };
}
