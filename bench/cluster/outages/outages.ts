import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'node:tls';
import { entrypoint, user } from '../../../scripts/image.ts';
import { cacheDir } from '../../../scripts/paths.mjs';
import { runTestbed } from '../../../test/cluster/support/cluster.ts';
import { until } from '../../../test/cluster/support/until.ts';
import { system, type Took, type World } from './world.ts';

export interface Amounts {
  /** How long things are away. */
  readonly awayMs: number;
  /** Routes made meanwhile. */
  readonly changes: number;
  readonly rotations: number;
  /** Root directory of an image of another version. */
  readonly otherRoot: string | undefined;
}

type Outage = (world: World, amounts: Amounts) => Promise<Took> | undefined;

const now = () => Math.round(performance.now());

/** Milliseconds until a condition holds. */
async function timed(what: string, holds: () => Promise<boolean>): Promise<number> {
  const began = now();
  await until(what, holds);
  return now() - began;
}

const anotherLeader = (world: World, former: string) =>
  timed('another leader', async () => ![former, ''].includes(await world.leader()));

/** By name, in the order in which they run. Each leaves everything as it was. */
export const outages: Readonly<Record<string, Outage>> = {
  'leader-killed': async (world) => {
    const former = await world.leader();
    await world.system('delete', 'pod', former, '--grace-period=0', '--force');
    const [newLeaderMs, converged] = await Promise.all([anotherLeader(world, former), world.converged()]);
    await world.rolledOut();
    return { newLeaderMs, ...converged };
  },

  'leader-cut-off': async (world) => {
    const former = await world.leader();
    const pods = await world.controlPlanes();
    const heal = await world.cutOff(pods.filter(({ name }) => name === former));
    try {
      const [newLeaderMs, converged] = await Promise.all([anotherLeader(world, former), world.converged()]);
      return { newLeaderMs, ...converged };
    } finally {
      await heal();
      await world.rolledOut();
    }
  },

  'no-control-plane': async (world, { awayMs }) => {
    await world.system('scale', 'deployment', 'gatewright', '--replicas=0');
    await until('no control plane', async () => (await world.controlPlanes()).length === 0);
    await delay(awayMs);
    const began = now();
    await world.system('scale', 'deployment', 'gatewright', '--replicas=2');
    const { routeAnswersMs, statusWrittenMs } = await world.converged();
    await world.rolledOut();
    return { awayMs, routeAnswersMs, statusWrittenMs, allReadyMs: now() - began };
  },

  'api-server-away': async (world, { awayMs, changes }) => {
    const heal = await world.cutOff(await world.controlPlanes());
    const cutAt = now();
    try {
      await world.probe.write(0, changes);
      await delay(Math.max(0, awayMs - (now() - cutAt)));
    } finally {
      await heal();
    }
    const healedAt = now();
    await world.probe.answers(changes - 1);
    await world.probe.answers(0);
    const missedAnswerMs = now() - healedAt;
    const { routeAnswersMs, statusWrittenMs } = await world.converged();
    await world.rolledOut();
    return { awayMs: healedAt - cutAt, missed: changes, missedAnswerMs, routeAnswersMs, statusWrittenMs };
  },

  'certificate-rotated': async (world, { rotations }) => {
    await world.changeCertificate();
    const listener = {
      name: 'https',
      port: 443,
      protocol: 'HTTPS',
      tls: { certificateRefs: [{ name: 'edge-tls' }] },
    };
    const patch = [{ op: 'add', path: '/spec/listeners/-', value: listener }];
    await world.own('patch', 'gateway', 'bench', '--type=json', '-p', JSON.stringify(patch));
    const tookMs: number[] = [];
    for (let at = 0; at < rotations; at += 1) {
      const serial = new X509Certificate(await world.changeCertificate()).serialNumber;
      tookMs.push(await timed('the certificate', async () => (await servedSerial(world.probe.address)) === serial));
    }
    tookMs.sort((a, b) => a - b);
    const restore = [{ op: 'remove', path: '/spec/listeners/1' }];
    await world.own('patch', 'gateway', 'bench', '--type=json', '-p', JSON.stringify(restore));
    return { rotations, medianMs: tookMs[tookMs.length >> 1] ?? 0, maxMs: tookMs.at(-1) ?? 0 };
  },

  'proxy-image-rolled': async (world) => {
    const image = 'gatewright:rolled';
    await runTestbed('image', join(cacheDir(), 'image/root'), entrypoint, user, image);
    return { rolledMs: await rollProxies(world, image), back: await rollProxies(world, 'gatewright:0.1.0') };
  },

  upgrade: (world, { otherRoot }) => (otherRoot === undefined ? undefined : upgrade(world, otherRoot)),
};

/** The control plane's idea of the proxies' image; it comes from a variable of its own pods. */
async function rollProxies(world: World, image: string): Promise<number> {
  const began = now();
  await world.system('set', 'env', 'deployment/gatewright', `GATEWRIGHT_IMAGE=${image}`);
  await world.rolledOut();
  await until('proxies of the other image', async () => {
    const images = await world.own('get', 'pods', '-l', proxies, '-o', 'jsonpath={.items[*].spec.containers[0].image}');
    return images === image;
  });
  await world.own('rollout', 'status', 'deployment', 'gatewright-bench', '--timeout=600s');
  await world.converged();
  return now() - began;
}

const proxies = 'gateway.networking.k8s.io/gateway-name=bench';

/** First the control plane, then proxies, to the other version; and back in the other order. A route is made at each stage. */
async function upgrade(world: World, otherRoot: string): Promise<Took> {
  const other = 'gatewright:other';
  await runTestbed('image', otherRoot, entrypoint, user, other);
  const roll = async (image: string) => {
    await world.cluster.kubectl(['-n', system, 'set', 'image', 'deployment/gatewright', `control-plane=${image}`]);
    await world.rolledOut();
    return (await world.converged()).routeAnswersMs;
  };
  const otherControlPlaneMs = await roll(other);
  const bothOtherMs = await rollProxies(world, other);
  const otherProxiesMs = await roll('gatewright:0.1.0');
  const backMs = await rollProxies(world, 'gatewright:0.1.0');
  return { otherControlPlaneMs, bothOtherMs, otherProxiesMs, backMs };
}

/** Of the certificate that a new connection is shown; empty when there is none yet. */
function servedSerial(host: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: 443, servername: 'ready.example.com', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? '');
      socket.destroy();
    });
    socket.once('error', () => resolve(''));
  });
}
