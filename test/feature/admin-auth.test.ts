import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ErrorBody } from '../../src/admin/index.ts';
import { type AdminAuthConfig, ConfigError, SecretText } from '../../src/config/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import type { RequestOptions } from '../support/request.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatewright-auth-'));
test.after.always(() => rmSync(directory, { recursive: true }));

/** Runs with an admin API that asks for the token in these ways, and closes it. */
async function withAdmin(auth: AdminAuthConfig, run: (admin: TestAdmin) => Promise<void>): Promise<void> {
  const admin = await startAdmin(auth);
  try {
    await run(admin);
  } finally {
    await admin.close();
  }
}

const bearer = (token: string): RequestOptions => ({ headers: { Authorization: `Bearer ${token}` } });
const token = new SecretText('s3cret');

test('without a token everything is open', (t) =>
  withAdmin({ protect: [] }, async ({ layout1 }) => {
    t.is((await layout1('/v1/summary')).status, 200);
    t.is((await layout1('/v1/summary', bearer('whatever'))).status, 200);
  }));

test('with a token Layout 1 wants it, for every path but the probes', (t) =>
  withAdmin({ bearerToken: token, protect: [] }, async ({ layout1 }) => {
    for (const path of ['/v1/summary', '/v1/nodes/a', '/v1/nothing', '/']) {
      const response = await layout1(path);
      t.is(response.status, 401, path);
      t.is(response.headers.get('www-authenticate'), 'Bearer');
      t.is(((await response.json()) as ErrorBody).error.code, 'unauthorized');
    }
    t.is((await layout1('/livez')).status, 200);
    t.is((await layout1('/readyz')).status, 200);
    t.is((await layout1('/v1/summary', bearer('s3cret'))).status, 200);
    t.is((await layout1('/v1/nothing', bearer('s3cret'))).status, 404);
  }));

test('a wrong token is a 401 in whatever form it comes', (t) =>
  withAdmin({ bearerToken: token, protect: [] }, async ({ layout1, logLines }) => {
    const wrong = [
      'Bearer',
      'Bearer ',
      'Bearer wrong',
      'Bearer s3cret extra',
      'Bearer s3cre',
      'Basic s3cret',
      's3cret',
    ];
    for (const Authorization of wrong) {
      t.is((await layout1('/v1/summary', { headers: { Authorization } })).status, 401, Authorization);
    }
    t.is((await layout1('/v1/summary?token=s3cret')).status, 401);
    t.is((await layout1('/v1/summary', { headers: { Authorization: 'bearer s3cret' } })).status, 200);
    t.false(logLines.some((line) => /"level":"(error|warn)"/.test(line)));
  }));

test('with a token Layout 2 wants it unless it is opened, and metrics want it where they are protected', async (t) => {
  await withAdmin({ protect: [] }, async ({ layout2 }) => {
    t.is((await layout2('/api/v1/clients')).status, 200);
  });
  await withAdmin({ bearerToken: token, unprotect: ['layout2'], protect: [] }, async ({ layout2 }) => {
    t.is((await layout2('/api/v1/clients')).status, 200);
  });
  await withAdmin({ bearerToken: token, protect: [] }, async ({ layout2, metricsPort }) => {
    for (const path of ['/api/v1/clients', '/api/v1/metrics', '/api/v1/config/snapshot', '/nothing'])
      t.is((await layout2(path)).status, 401, path);
    t.is((await layout2('/api/v1/clients', bearer('s3cret'))).status, 200);
    t.is((await layout2('/healthz')).status, 200);
    t.is((await layout2('/readyz')).status, 200);
    t.is((await metricsPort('/metrics')).status, 200);
  });
  await withAdmin({ bearerToken: token, protect: ['layout2', 'metrics'] }, async ({ layout2, metricsPort }) => {
    t.is((await layout2('/api/v1/clients')).status, 401);
    t.is((await layout2('/api/v1/clients', bearer('s3cret'))).status, 200);
    t.is((await layout2('/healthz')).status, 200);
    t.is((await layout2('/readyz')).status, 200);
    t.is((await metricsPort('/metrics')).status, 401);
    t.is((await metricsPort('/metrics', bearer('s3cret'))).status, 200);
  });
});

test('a token file is read again when it changes, and its loss opens nothing', async (t) => {
  const file = join(directory, 'token');
  const write = (text: string): void => {
    // A rename, as Kubernetes updates a mounted Secret.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  write('first\n');
  await withAdmin({ bearerTokenFile: file, protect: [] }, async ({ layout1, logLines }) => {
    t.is((await layout1('/v1/summary', bearer('first'))).status, 200);
    write('other\n');
    t.is((await layout1('/v1/summary', bearer('first'))).status, 401);
    t.is((await layout1('/v1/summary', bearer('other'))).status, 200);
    rmSync(file);
    t.is((await layout1('/v1/summary')).status, 401);
    t.is((await layout1('/v1/summary', bearer('other'))).status, 200);
    t.is(logLines.filter((line) => line.includes('admin token file cannot be read')).length, 1);
    write('third');
    t.is((await layout1('/v1/summary', bearer('third'))).status, 200);
  });
});

test('a token file that is missing at the start is a ConfigError', async (t) => {
  const error = await t.throwsAsync(startAdmin({ bearerTokenFile: join(directory, 'nowhere'), protect: [] }), {
    instanceOf: ConfigError,
  });
  t.regex(error.message, /nowhere cannot be read \(ENOENT\)/);
});

test('a token for reading reads, and changes nothing', (t) =>
  withAdmin({ bearerToken: token, readOnlyBearerToken: new SecretText('reader'), protect: [] }, async ({ layout1 }) => {
    t.deepEqual(await (await layout1('/v1/auth/verify', bearer('reader'))).json(), {
      authenticated: true,
      readOnly: true,
      mode: 'cluster',
      directory: null,
    });
    t.like(await (await layout1('/v1/auth/verify', bearer('s3cret'))).json(), { readOnly: false });
    t.is((await layout1('/v1/summary', { ...bearer('reader'), method: 'HEAD' })).status, 200);
    for (const [method, path] of [
      ['PUT', '/v1/metrics/config'],
      ['POST', '/v1/chatbot/chat'],
      ['DELETE', '/v1/anything'],
    ] as const) {
      const rejected = await layout1(path, { ...bearer('reader'), method });
      t.is(rejected.status, 403, path);
      t.is(((await rejected.json()) as ErrorBody).error.code, 'token_read_only');
    }
    t.is((await layout1('/v1/metrics/config', { ...bearer('s3cret'), method: 'PUT' })).status, 501);
    t.is((await layout1('/v1/auth/verify', bearer('other'))).status, 401);
    t.is((await layout1('/v1/auth/verify')).status, 401);
  }));

test('what is not there yet asks for the token all the same', (t) =>
  withAdmin({ bearerToken: token, protect: [] }, async ({ layout1 }) => {
    t.is((await layout1('/v1/ai/overview')).status, 401);
    t.is((await layout1('/v1/events')).status, 401);
    t.is((await layout1('/v1/ai/overview', bearer('s3cret'))).status, 501);
  }));

test('an address that asks too much has to wait; probes are answered', (t) =>
  withAdmin({ requestsPerSecond: 1, protect: [] }, async ({ layout1 }) => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => layout1('/v1/summary')));
    const limited = answers.filter(({ status }) => status === 429);
    t.true(limited.length > 0);
    t.is(limited[0]?.headers.get('retry-after'), '1');
    t.is((await layout1('/livez')).status, 200);
  }));

test('an open API goes by no name that another site could have; one with a token by any', async (t) => {
  const statusFor = async ({ layout1 }: TestAdmin, Host: string, more = {}) =>
    (await layout1('/v1/summary', { headers: { Host, ...more } })).status;
  await withAdmin({ allowedHosts: ['gateway.example.com'], protect: [] }, async (admin) => {
    for (const host of ['127.0.0.1:1', '[::1]:1', 'localhost:8', 'gatewright.gateway.svc', 'gateway.example.com:443']) {
      t.is(await statusFor(admin, host), 200, host);
    }
    for (const host of ['evil.example.com', '127.0.0.1.evil.example.com', 'gateway.example.com.evil']) {
      t.is(await statusFor(admin, host), 403, host);
    }
  });
  await withAdmin({ bearerToken: token, protect: [] }, async (admin) => {
    t.is(await statusFor(admin, 'gateway.example.org', bearer('s3cret').headers), 200);
  });
});

test('a write that gets no further than the door is a line of the log, a read is none', (t) =>
  withAdmin(
    { bearerToken: token, readOnlyBearerToken: new SecretText('reader'), protect: [] },
    async ({ layout1, logLines }) => {
      await layout1('/v1/resources/httproute/default/shop', { method: 'DELETE' });
      await layout1('/v1/resources', { ...bearer('reader'), method: 'POST' });
      await layout1('/v1/resources');
      await layout1('/v1/route-test', { method: 'POST' });
      const lines = logLines.filter((line) => line.includes('"audit":true')).map((line) => JSON.parse(line));
      t.is(lines.length, 2);
      const path = '/v1/resources/httproute/default/shop';
      t.like(lines[0], { method: 'DELETE', path, result: 'unauthorized', status: 401, with_token: false });
      t.like(lines[1], {
        method: 'POST',
        path: '/v1/resources',
        result: 'token_read_only',
        status: 403,
        with_token: true,
      });
      t.false(logLines.some((line) => line.includes('reader')));
    },
  ));

test('what only a cluster has is never taken for no token at all', async (t) => {
  const tokens = { tokenSecret: 'gatewright-admin-token', protect: [] };
  await t.throwsAsync(startAdmin(tokens), { instanceOf: ConfigError, message: /tokenSecret needs a cluster/ });
  const people = { bearerToken: token, kubernetes: { enabled: true, audiences: [] }, protect: [] };
  await t.throwsAsync(startAdmin(people), { instanceOf: ConfigError, message: /kubernetes needs a cluster/ });
});
