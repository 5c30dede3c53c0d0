import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { type ReadyQuery, readyQueries } from '../../src/addons/metrics-backend/index.ts';
import { promQuery, startPrometheus } from '../support/prometheus.ts';
import { request } from '../support/request.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/*
 * A real Prometheus that scrapes a running gateway, asked through the gateway's own admin API.
 */

/** A Prometheus, an Envoy and a control plane at once take their time on a busy machine. */
const patient = 600_000;

async function startWorld(t: ExecutionContext): Promise<Standalone> {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  standalone.write('backends.yaml', ...(await standalone.backend('one')));
  standalone.write('route.yaml', routeObject('shop', 'shop.test', [{ backendRefs: [{ name: 'one', port: 80 }] }]));
  await untilFits(
    'the route to serve and the data plane to be current',
    async () => ({ status: (await standalone.get('shop.test')).status, current: isCurrent(standalone) }),
    ({ status, current }) => status === 200 && current,
  );
  return standalone;
}

const sender =
  ({ control }: Standalone) =>
  async (method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: never }> => {
    const answer = await request(`http://127.0.0.1:${control.ports.layout1}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: answer.status, body: (await answer.json()) as never };
  };

interface Vector {
  readonly status: string;
  readonly data: {
    readonly resultType: string;
    readonly result: readonly { readonly value: [number, string]; readonly values: unknown[] }[];
  };
}

/** Nothing happens there in this test that such a query could count. */
const mayBeEmpty: ReadonlySet<ReadyQuery['id']> = new Set(['backend-error-rate']);

test('a Prometheus that scrapes a gateway answers through its admin API', async (t) => {
  t.timeout(patient);
  const standalone = await startWorld(t);
  const send = sender(standalone);
  const prometheus = await startPrometheus(t, {
    targets: [
      { job: 'agents', port: standalone.agentPort, path: '/api/v1/metrics' },
      { job: 'control-plane', port: standalone.control.ports.metrics, path: '/metrics' },
    ],
  });
  const configured = await send('PUT', '/v1/metrics/config', { prometheusUrl: prometheus.url });
  t.like(configured.body, { configured: true, prometheusUrl: prometheus.url, test: { ok: true } });
  t.like((await send('GET', '/v1/dashboard/capabilities')).body, { metrics: true });

  const up = () => send('POST', '/v1/metrics/query', { query: 'up' });
  await untilFits(
    'both targets to be scraped',
    async () => (await up()).body as Vector,
    ({ data }) => data.result.length === 2 && data.result.every(({ value }) => value[1] === '1'),
  );
  // What Prometheus found, and nothing else: straight from it and through us.
  const straight = await promQuery(prometheus, 'count(up)');
  t.is(straight.length, 1);

  // Rates need two scrapes with requests between them.
  await untilFits(
    'requests to be counted',
    async () => {
      for (let count = 0; count < 5; count += 1) await standalone.get('shop.test');
      const query = 'sum(rate(envoy_http_downstream_rq_total{envoy_http_conn_manager_prefix!~"admin.*"}[5m]))';
      return (await send('POST', '/v1/metrics/query', { query })).body as Vector;
    },
    ({ data }) => Number(data.result[0]?.value[1] ?? 0) > 0,
  );
  for (const { id, query } of readyQueries) {
    const fits = ({ data }: Vector) => mayBeEmpty.has(id) || data.result.length > 0;
    const { data } = await untilFits(
      `the query ${id} to find something: ${query}`,
      async () => {
        await standalone.get('shop.test');
        return (await send('POST', '/v1/metrics/query', { query })).body as Vector;
      },
      fits,
    );
    t.is(data.resultType, 'vector', id);
  }
  t.deepEqual((await send('GET', '/v1/metrics/queries')).body, JSON.parse(JSON.stringify(readyQueries)));

  const [start, end] = [new Date(Date.now() - 60_000), new Date()].map((time) => time.toISOString());
  const matrix = await send('POST', '/v1/metrics/query_range', { query: 'up', start, end, step: '1s' });
  t.is(matrix.status, 200);
  const { data } = matrix.body as Vector;
  t.is(data.resultType, 'matrix');
  t.is(data.result.length, 2);
  t.true(data.result.every(({ values }) => values.length > 1));

  const wrong = await send('POST', '/v1/metrics/query', { query: 'sum(' });
  t.is(wrong.status, 400);
  t.like(wrong.body, { error: { code: 'promql_rejected' } });
  t.regex(JSON.stringify(wrong.body), /parse error/);
});

test('a Prometheus with TLS and users is asked with the authority and the header that are set', async (t) => {
  t.timeout(patient);
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  const send = sender(standalone);
  const authority = await createAuthority('prometheus-authority');
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['prometheus.test'] });
  const { port } = await startPrometheus(t, {
    web: {
      tls_server_config: { cert_file: 'cert.pem', key_file: 'key.pem' },
      // The password is "test", by bcrypt with few rounds.
      basic_auth_users: { gateway: '$2b$04$abcdefghijklmnopqrstuuoD8yw7MmybLKVooaTGGZAt3HXugv2.a' },
    },
    files: { 'cert.pem': certificatePem, 'key.pem': keyPem },
  });
  const prometheusUrl = `https://127.0.0.1:${port}`;
  const tls = { caCertificate: authority.certificatePem, serverName: 'prometheus.test' };
  const tested = async (body: object): Promise<string> => {
    const answer = (await send('PUT', '/v1/metrics/config', { prometheusUrl, ...body })).body as {
      test: { message: string };
    };
    return answer.test.message;
  };
  t.regex(await tested({}), /certificate/);
  t.regex(await tested({ tls }), /answered 401/);
  const authorization = `Basic ${Buffer.from('gateway:test').toString('base64')}`;
  await until('the password to be taken', async () => (await tested({ tls, authorization })) === 'the backend answers');
  t.is((await send('POST', '/v1/metrics/query', { query: 'vector(42)' })).status, 200);
  t.regex(await tested({ tls: { ...tls, serverName: 'other.test' } }), /cert/);
  t.is(await tested({ tls: { insecureSkipVerify: true, serverName: 'other.test' } }), 'the backend answers');
});
