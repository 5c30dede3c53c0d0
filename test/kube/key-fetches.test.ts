import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import anyTest, { type TestFn } from 'ava';
import { leaseType } from '../../src/cluster/leader/lease.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import type { ControlPlaneProcess } from '../support/control-plane-process.ts';
import { send } from '../support/http.ts';
import {
  json,
  jwtPolicy,
  type KeyServer,
  keyServerAddresses,
  keySet,
  type Signer,
  signer,
  startKeyServer,
} from '../support/key-server.ts';
import { KubeApiServer } from '../support/kube-apiserver.ts';
import { programmed, startWorld, type T, untilCurrent, untilServed, type World } from '../support/two-replicas.ts';
import { until } from '../support/until.ts';

/*
 * Two control planes as processes over one API server, a real Envoy and tokens that it verifies by keys of an https server: whatever
 * happens to the leader while it fetches, no token is judged otherwise than by the former keys or the new ones.
 */

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 900_000;

test.before(async (t) => {
  t.timeout(patient);
  const api = await KubeApiServer.start();
  t.context = { api };
  for (const plural of ['gatewayclasses', 'gateways', 'httproutes'])
    await api.installCrd(`${plural}.gateway.networking.k8s.io`);
  await api.installCrd('accesspolicies.gatewright.dev', 'own');
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});
test.afterEach.always(async (t) => {
  const { client } = t.context.api;
  const namespace = 'default';
  await client.delete(leaseType, { namespace, name: 'gatewright-leader' }).catch(() => undefined);
  await client.delete(kinds.AccessPolicy, { namespace, name: 'idp' }).catch(() => undefined);
});

interface Scene {
  readonly world: World;
  readonly server: KeyServer;
  readonly leader: ControlPlaneProcess;
  readonly other: ControlPlaneProcess;
  /** Signs what is good before and after, only before, and only after. */
  readonly signers: Readonly<Record<'stays' | 'goes' | 'comes', Signer>>;
  readonly ask: (token?: string) => Promise<number>;
  /** Has the leader fetch again, and gives the answer that it then waits for. */
  readonly hangingFetch: () => Promise<ServerResponse>;
}

/** A route that takes tokens by the keys of `stays` and `goes`, which the leader has fetched. */
async function startScene(t: T): Promise<Scene> {
  const { api } = t.context;
  const world = await startWorld(t, { backends: { allowedAddresses: [...keyServerAddresses] } });
  const server = await startKeyServer(t);
  const signers = { stays: await signer('stays'), goes: await signer('goes'), comes: await signer('comes') };
  server.answer = json(keySet([signers.stays, signers.goes]));
  const trust = server.trust('id-ca') as KubernetesObject & { readonly data: Readonly<Record<string, string>> };
  const apply = (type: ResourceType, object: object) => {
    const one = object as KubernetesObject;
    return api.client.apply(type, { ...one, metadata: { ...one.metadata, namespace: 'default' } });
  };
  const ask = async (token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await send(world.port, { host: 'web.test', headers })).status;
  };
  const leader = world.start(0);
  await leader.leads();
  const other = world.start(1);
  await other.ready();
  await world.agent();
  await programmed(t);
  await untilServed(world);
  await apply(kinds.ConfigMap, trust);
  const url = { url: `${server.url}/keys`, caCertificateRefs: [{ name: 'id-ca' }] };
  await apply(kinds.AccessPolicy, jwtPolicy('idp', 'web', url));
  const first = await signers.stays.token();
  await until('the keys to be in force', async () => (await ask(first)) === 200 && (await ask()) === 401);
  await untilCurrent(leader);
  return {
    world,
    server,
    leader,
    other,
    signers,
    ask,
    async hangingFetch() {
      const hanging = Promise.withResolvers<ServerResponse>();
      server.answer = (_, response) => hanging.resolve(response);
      await apply(kinds.ConfigMap, { ...trust, data: { 'ca.crt': `${trust.data['ca.crt']}\n# changed\n` } });
      return await hanging.promise;
    },
  };
}

/** Shows a good token, a stranger’s and none, again and again. Call the result to end it; it gives the wrong answers. */
async function startLoad({ ask, signers }: Scene): Promise<() => Promise<{ wrong: string[]; asked: number }>> {
  const [good, bad] = [await signers.stays.token(), await (await signer('stays')).token()];
  const wrong: string[] = [];
  let asked = 0;
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const answers = await Promise.all([ask(good), ask(bad), ask()]);
      asked += answers.length;
      if (answers.join() !== '200,401,401') wrong.push(answers.join());
      await delay(30);
    }
  };
  const clients = Promise.all([client(), client()]);
  return async () => {
    isOver = true;
    await clients;
    return { wrong, asked };
  };
}

/** How long the lease of a leader that is dead holds from now on. */
const setLease = ({ context: { api } }: T, leaseDurationSeconds: number) =>
  api.client.patch(leaseType, { namespace: 'default', name: 'gatewright-leader' }, { spec: { leaseDurationSeconds } });

/** How many attempts of a control plane are over. */
async function fetchesOf(replica: ControlPlaneProcess): Promise<number> {
  const counts = (await replica.scrape()).matchAll(/^gatewright_key_fetches_total\{outcome="\w+"\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test.serial(
  'when a leader dies while it fetches keys, the next one fetches them, and the former hold until then',
  async (t) => {
    t.timeout(patient);
    const scene = await startScene(t);
    const { world, server, leader, other, signers, ask } = scene;
    const [goes, comes] = [await signers.goes.token(), await signers.comes.token()];
    const end = await startLoad(scene);
    await scene.hangingFetch();
    const asked = server.requests.length;
    server.answer = json(keySet([signers.stays, signers.comes]));
    world.way.lead(world.ports[1].xds);
    await leader.kill();
    // However long the data plane takes: the other one would lead in 20 seconds.
    await setLease(t, 3600);
    await untilCurrent(other);
    t.deepEqual([await ask(goes), await ask(comes)], [200, 401], 'the former keys are in force');
    t.is(server.requests.length, asked, 'no replica leads');
    await setLease(t, 1);
    await other.leads();
    await until('the new keys to be in force', async () => (await ask(comes)) === 200 && (await ask(goes)) === 401);
    t.is(server.requests.length, asked + 1, 'they were fetched once');
    const { wrong, asked: requests } = await end();
    t.deepEqual(wrong, []);
    t.log(`${requests} requests`);
  },
);

test.serial('a leader that was frozen while it fetched keys does not bring withdrawn ones back', async (t) => {
  t.timeout(patient);
  const scene = await startScene(t);
  const { world, server, leader, other, signers, ask } = scene;
  const [goes, comes] = [await signers.goes.token(), await signers.comes.token()];
  const end = await startLoad(scene);
  const late = await scene.hangingFetch();
  const fetches = await fetchesOf(leader);
  world.way.cut();
  world.way.lead(world.ports[1].xds);
  leader.freeze();
  world.way.heal();
  server.answer = json(keySet([signers.stays, signers.comes]));
  await other.leads();
  await until('the new keys to be in force', async () => (await ask(comes)) === 200 && (await ask(goes)) === 401);
  json(keySet([signers.stays, signers.goes]))(late.req, late);
  leader.thaw();
  await until('the former leader to know that it is none', async () => !(await leader.isLeader()));
  await until('its fetch to be over', async () => (await fetchesOf(leader)) > fetches);
  await untilCurrent(other);
  t.deepEqual([await ask(goes), await ask(comes)], [401, 200]);
  t.true(await other.isLeader());
  const { wrong, asked } = await end();
  t.deepEqual(wrong, []);
  t.log(`${asked} requests`);
});
