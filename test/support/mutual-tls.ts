import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { createAuthority, type IssuedCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { type Running, startProgram } from './program.ts';
import { request } from './request.ts';
import { until } from './until.ts';
import { filesFor } from './xds-tls.ts';

type TestAuthority = Awaited<ReturnType<typeof createAuthority>>;

/** Who signs for control planes, and who for proxies. */
export interface Authorities {
  readonly authority: TestAuthority;
  readonly proxies: TestAuthority;
}

export const createAuthorities = async (): Promise<Authorities> => ({
  authority: await createAuthority('control planes'),
  proxies: await createAuthority('proxies'),
});

export interface ControlPlaneWanted {
  readonly authorities: Authorities;
  /** Names in its certificate. */
  readonly hostnames: readonly string[];
  /** Address that xDS listens on; 127.0.0.1 by default, '' for every address of the machine. */
  readonly host?: string;
  readonly objects: readonly object[];
}

export interface MutualTlsControlPlane {
  /** Port of xDS. */
  readonly xds: number;
  readonly output: Running['output'];
  /** Writes a file that lives as long as the test; gives its path. */
  readonly write: (name: string, text: string) => string;
  /** Puts other objects in the place of those before. */
  readonly put: (objects: readonly object[]) => void;
  /** What the admin API answers. */
  readonly json: <T>(path: string) => Promise<T>;
}

/** Starts a control plane over a directory, without a cluster, whose xDS clients show certificates. Resolves when it has published. */
export async function startMutualTlsControlPlane(
  t: ExecutionContext,
  { authorities, hostnames, host = '127.0.0.1', objects }: ControlPlaneWanted,
): Promise<MutualTlsControlPlane> {
  const [write, resources] = [filesFor(t), filesFor(t)];
  const put = (some: readonly object[]) =>
    resources('gateway.yaml', some.map((object) => stringify(object)).join('---\n'));
  const [xds, admin, layout2, metrics] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const own = await authorities.authority.issue({ hostnames });
  const config = {
    source: { directory: join(put(objects), '..') },
    xds: { listen: `${host}:${xds}`, tls: serverFiles(write, own, authorities.proxies) },
    admin: { listen: `127.0.0.1:${admin}`, layout2Listen: `127.0.0.1:${layout2}` },
    metrics: { listen: `127.0.0.1:${metrics}` },
    state: { directory: join(write('state', ''), '../state.d') },
  };
  const { output } = startUntilTeardown(t, ['control-plane', '--config', write('config.yaml', JSON.stringify(config))]);
  await until('the control plane to publish', () => /first snapshot published/.test(output.stdout));
  const json = async <T>(path: string) => (await (await request(`http://127.0.0.1:${admin}${path}`)).json()) as T;
  return { xds, output, write, put: (some) => void put(some), json };
}

/** Starts the program, which ends with the test. */
export function startUntilTeardown(
  t: ExecutionContext,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  prefix: readonly string[] = [],
): Running {
  const program = startProgram(args, env, { prefix });
  t.teardown(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  return program;
}

const serverFiles = (
  write: (name: string, text: string) => string,
  own: IssuedCertificate,
  clients: Pick<TestAuthority, 'certificatePem'>,
) => ({
  certFile: write('control.crt', own.certificatePem),
  keyFile: write('control.key', own.keyPem),
  clientCAFile: write('clients.crt', clients.certificatePem),
});
