import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Config, ConfigError, type Environment, loadConfig } from '../../../src/config/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatewright-config-'));
test.after.always(() => rmSync(directory, { recursive: true }));

let files = 0;

/** Loads a configuration written as text; `file` is where it was written. */
function load(yaml: string, env: Environment = {}): { readonly file: string; readonly config: () => Config } {
  const file = join(directory, `${files++}.yaml`);
  writeFileSync(file, yaml);
  return { file, config: () => loadConfig(file, env) };
}

test('without a file every default of the contract stands', (t) => {
  const config = loadConfig(undefined, {});
  t.deepEqual(config.xds, {
    listen: { port: 18080 },
    insecure: false,
    tls: { authoritySecret: 'gatewright-xds-ca', audience: 'gatewright-xds' },
  });
  t.deepEqual(config.admin, { listen: { port: 18081 }, layout2Listen: { port: 8081 } });
  t.deepEqual(config.metrics, { listen: { port: 18082 }, maxRouteRules: 500 });
  t.deepEqual(config.dataplane.adminListen, { port: 8082 });
  t.deepEqual(config.adminAuth, { protect: [] });
  t.deepEqual(config.source, { kind: 'kubernetes' });
  t.is(config.controllerName, 'gatewright.dev/gateway-controller');
  t.deepEqual(config.leaderElection, {
    enabled: true,
    id: 'gatewright-leader',
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  });
  t.deepEqual(config.translatorLimits, { maxInputObjects: 0, maxSnapshotObjects: 0, maxSnapshotEndpoints: 0 });
});

test('an empty file and a key without a value leave the defaults', (t) => {
  const defaults = loadConfig(undefined, {});
  t.deepEqual(load('').config(), defaults);
  t.deepEqual(load('log:\ndataplane:\n').config(), defaults);
});

test('values of every sort are read', (t) => {
  const config = load(`
source: {directory: manifests}
xds: {listen: "127.0.0.1:0", insecure: true}
admin: {listen: "[::1]:9000"}
infrastructure: {serviceType: ClusterIP, replicas: 3, xdsAddress: "control:1"}
dataplane: {drainTime: 1m30s, cluster: default/edge, logLevel: info}
`).config();
  t.deepEqual(config.source, { kind: 'directory', path: join(directory, 'manifests') });
  t.like(config.xds, { listen: { host: '127.0.0.1', port: 0 }, insecure: true });
  t.deepEqual(config.admin.listen, { host: '::1', port: 9000 });
  t.like(config.infrastructure, { serviceType: 'ClusterIP', replicas: 3, xdsAddress: { host: 'control', port: 1 } });
  t.like(config.dataplane, { drainTimeMs: 90_000, cluster: 'default/edge', logLevel: 'info' });
});

test("the contract's spelling and ours mean the same", (t) => {
  const contract = load('admin_auth: {bearer_token: abc}\ndataplane: {config: {node_id: edge-1}}').config();
  const ours = load('adminAuth: {bearerToken: abc}\ndataplane: {config: {nodeId: edge-1}}').config();
  t.is(contract.adminAuth.bearerToken?.reveal(), 'abc');
  t.is(ours.adminAuth.bearerToken?.reveal(), 'abc');
  t.is(contract.dataplane.nodeId, 'edge-1');
  t.is(ours.dataplane.nodeId, 'edge-1');
});

test('keys for sticky sessions are files, by any of their names', (t) => {
  writeFileSync(join(directory, 'session.key'), `${'k'.repeat(32)}\n`);
  for (const written of [
    'sessionPersistence: {secretKeyFile: session.key}',
    'session_persistence: {secret_key_file: session.key}',
    'session_persistence: {sharedSecretFile: session.key}',
  ])
    t.deepEqual(load(written).config().sessionPersistence, { secretKeyFile: join(directory, 'session.key') });
  const both = load('session_persistence: {secret_key_file: session.key, previous_secret_key_file: none.key}').config();
  t.is(both.sessionPersistence.previousSecretKeyFile, join(directory, 'none.key'), 'which need not be there');
});

test('a key for sticky sessions that is missing or short is an error with its place', (t) => {
  writeFileSync(join(directory, 'short.key'), 'too short');
  const messageOf = (yaml: string) => t.throws(load(yaml).config, { instanceOf: ConfigError })?.message ?? '';
  t.regex(
    messageOf('log: {level: info}\nsession_persistence:\n  secret_key_file: short.key\n'),
    /\.yaml:3: session_persistence\.secret_key_file: session key file .*short\.key holds 9 bytes, too few for a key; write at least 32/,
  );
  t.regex(messageOf('sessionPersistence: {secretKeyFile: none.key}'), /none\.key cannot be read \(ENOENT\); create it/);
  t.regex(messageOf('sessionPersistence: {previousSecretKeyFile: none.key}'), /a previous key needs a present one/);
});

test('SVC_GW_NODE_ID overrules the configured node id, unless it is empty', (t) => {
  const yaml = 'dataplane: {config: {node_id: fallback}}';
  t.is(load(yaml, { SVC_GW_NODE_ID: 'pod-7' }).config().dataplane.nodeId, 'pod-7');
  t.is(load(yaml, { SVC_GW_NODE_ID: '' }).config().dataplane.nodeId, 'fallback');
});

test('environment variables come in, also as numbers', (t) => {
  const config = load(`admin_auth: {bearer_token: "x-\${TOKEN}"}\ninfrastructure: {replicas: "\${COUNT}"}`, {
    TOKEN: 'secret',
    COUNT: '4',
  }).config();
  t.is(config.adminAuth.bearerToken?.reveal(), 'x-secret');
  t.is(config.infrastructure.replicas, 4);
});

test('a token file is found beside the configuration', (t) => {
  writeFileSync(join(directory, 'token'), ' abc \n');
  t.is(load('admin_auth: {bearer_token_file: token}').config().adminAuth.bearerTokenFile, join(directory, 'token'));
});

for (const section of ['metricsBackend', 'tracing', 'aiSpans'] as const)
  test(`the files of ${section} are found beside the configuration, and have to be there`, (t) => {
    writeFileSync(join(directory, 'server-token'), 'Bearer abc');
    const config = load(`${section}: {authorizationFile: server-token, caFile: server-token}`).config()[section];
    t.is(config.authorizationFile, join(directory, 'server-token'));
    t.is(config.caFile, join(directory, 'server-token'));
    for (const key of ['authorizationFile', 'caFile'])
      rejected(
        t,
        load(`${section}: {${key}: nowhere}`),
        new RegExp(`:1: ${section}\\.${key}: .*nowhere cannot be read`),
      );
  });

test('files for Valkey are found beside the configuration, and have to be there', (t) => {
  writeFileSync(join(directory, 'valkey-password'), 'sesame\n');
  const valkeyOf = (more: string) => load(`rateLimits: {valkey: {url: "rediss://valkey:6380/1", ${more}}}`);
  const { valkey } = valkeyOf('passwordFile: valkey-password, caFile: valkey-password').config().rateLimits;
  const file = join(directory, 'valkey-password');
  t.like(valkey, { passwordFile: file, caFile: file, keyPrefix: 'gatewright:', insecureSkipVerify: false });
  rejected(t, valkeyOf('passwordFile: nowhere'), /:1: rateLimits\.valkey\.passwordFile: .*nowhere cannot be read/);
  rejected(t, valkeyOf('password: a, passwordFile: b'), /one of password and passwordFile: remove the other/);
  rejected(t, valkeyOf('certFile: a'), /the private key of certFile beside it/);
});

for (const [url, more, message] of [
  ['redis://ann:sesame@valkey:6379', '', /with no user or password in it, got \[redacted\]/],
  ['http://valkey:6379', '', /expected a URL such as/],
  ['redis://valkey:6379/one', '', /expected a URL such as/],
  ['redis://valkey:6379?db=1', '', /expected a URL such as/],
  ['valkey:6379', '', /expected a URL such as/],
  ['redis://valkey', ', caFile: a', /a url that begins with rediss:\/\/ beside it/],
] as const)
  test(`no server for rate limits: ${url}${more}`, (t) => {
    rejected(t, load(`rateLimits: {valkey: {url: "${url}"${more}}}`), message);
  });

test('files of the xDS connection are found beside the configuration', (t) => {
  const { xds, dataplane } = load(`
xds: {tls: {certFile: tls.crt, keyFile: tls.key, caFile: /etc/ca.crt, clientCAFile: clients.crt}}
dataplane: {tls: {caFile: ca.crt, certFile: a.crt, keyFile: a.key}, tokenFile: xds-token}
`).config();
  const at = (name: string) => join(directory, name);
  t.like(xds.tls, { certFile: at('tls.crt'), keyFile: at('tls.key'), caFile: '/etc/ca.crt' });
  t.is(xds.tls.clientCAFile, at('clients.crt'));
  t.deepEqual(dataplane.tls, { caFile: at('ca.crt'), certFile: at('a.crt'), keyFile: at('a.key') });
  t.is(dataplane.tokenFile, at('xds-token'));
});

test('a configuration that is logged does not show its token', (t) => {
  const config = load('admin_auth: {bearer_token: planted-secret}').config();
  t.false(JSON.stringify(config).includes('planted-secret'));
  t.false(String(config.adminAuth.bearerToken).includes('planted-secret'));
});

test('anchors are read; ones without end are rejected', (t) => {
  t.is(load('xds: &a {listen: ":1"}\nmetrics: *a').config().metrics.listen.port, 1);
  rejected(t, load('log: &a {level: *a}'), /too deep or too much/);
});

const rejected = (t: ExecutionContext, { file, config }: ReturnType<typeof load>, rest: RegExp): void => {
  const error = t.throws(config, { instanceOf: ConfigError });
  t.true(error.message.startsWith(file), error.message);
  t.notRegex(error.message, /\n/);
  t.regex(error.message.slice(file.length), rest);
};

const fault = test.macro({
  exec: (t, yaml: string, rest: RegExp) => rejected(t, load(yaml), rest),
  title: (name) => `one line for ${name}`,
});

test('an unknown key at the top', fault, 'log: {}\ndebonce: {}', /^:2: debonce: unknown key; did you mean debounce\?$/);
test(
  'an unknown key below',
  fault,
  'dataplane:\n  config:\n    nodeid: a',
  /^:3: dataplane\.config\.nodeid: unknown key; did you mean nodeId\?$/,
);
test(
  'a key like no other',
  fault,
  'metrics: {zzzzzzzz: 1}',
  /^:1: metrics\.zzzzzzzz: unknown key; known keys here are listen, maxRouteRules$/,
);
test(
  'an address that is none',
  fault,
  'backends:\n  allowedAddresses: [127.0.0.1, localhost]',
  /^:2: backends\.allowedAddresses\.?\[?1\]?: expected an IP address, or a range such as "10\.0\.0\.0\/8"/,
);
test('several faults', fault, 'a1234567890: 1\nlog: {level: loud}', /\(and 1 more fault\)$/);
test(
  'a wrong type',
  fault,
  'log:\n  level:\n    - a',
  /^:2: log\.level: expected one of fatal, error, .*; correct this line$/,
);
test(
  'a wrong word',
  fault,
  'log: {format: xml}',
  /^:1: log\.format: expected one of json, pretty, got "xml"; correct this line$/,
);
test(
  'a wrong number',
  fault,
  'debounce: {quietMs: fast}',
  /^:1: debounce\.quietMs: expected milliseconds of quiet, a whole number .*got "fast"/,
);
test(
  'a wait shorter than the quiet',
  fault,
  'debounce: {quietMs: 300}',
  /^:1: debounce: expected maxMs to be no less than quietMs/,
);
test(
  'a bad duration',
  fault,
  'dataplane: {drainTime: 10 seconds}',
  /^:1: dataplane\.drainTime: expected a duration such as "10s".*got "10 seconds"/,
);
test(
  'a bad address',
  fault,
  'admin: {listen: 99999}',
  /^:1: admin\.listen: expected an address to listen on such as ":18081"/,
);
test(
  'an address without a host',
  fault,
  'dataplane: {xdsAddress: ":1"}',
  /^:1: dataplane\.xdsAddress: expected an address to call/,
);
test(
  'two sources',
  fault,
  'source: {directory: a, kubernetes: {}}',
  /^:1: source: expected one of kubernetes and directory/,
);
test(
  'a renew deadline as long as the lease',
  fault,
  'leaderElection:\n  renewDeadline: 15s',
  /^:2: leaderElection\.renewDeadline: expected less than leaseDuration, which is 15s, got "15s"/,
);
test(
  'a retry period too long for its deadline',
  fault,
  'leaderElection: {retryPeriod: 9s}',
  /^:1: leaderElection: expected more than 1\.2 times retryPeriod, which is 9s/,
);
test(
  'a lease of no duration',
  fault,
  'leaderElection: {leaseDuration: 900ms, renewDeadline: 800ms, retryPeriod: 100ms}',
  /^:1: leaderElection\.leaseDuration: expected at least "1s", got "900ms"/,
);
test(
  'a lease that cannot have its name',
  fault,
  'leaderElection: {id: Gate_Wright}',
  /^:1: leaderElection\.id: expected the name of a Lease: lower case letters.*got "Gate_Wright"/,
);
test(
  'replicas in two places',
  fault,
  'replicas: {service: "gatewright:1", peers: ["10.0.0.1:1"]}',
  /^:1: replicas: expected one of service and peers: remove the other/,
);
test(
  'a replica without a port',
  fault,
  'replicas: {peers: ["10.0.0.1"]}',
  /^:1: replicas\.peers\[0\]: expected an address to call such as "10\.0\.0\.7:18081"/,
);
test(
  'a limit below nothing',
  fault,
  'translatorLimits: {maxInputObjects: -1}',
  /^:1: translatorLimits\.maxInputObjects: expected the maximum number of objects that are read, or 0 for no limit/,
);
test('broken YAML', fault, 'log: {}\nx: [1,\n', /^:\d+:\d+: not valid YAML: /);
test('a key written twice', fault, 'log: {}\nlog: {}', /^:2:1: not valid YAML: /);
test(
  'a key in both spellings',
  fault,
  'admin_auth: {}\nadminAuth: {}',
  /^:2: adminAuth: the same key as admin_auth; remove one of them$/,
);
test('a list instead of keys', fault, '- a', /^:1: expected keys and values; correct this line$/);
test('a text instead of keys', fault, 'hello', /^:1: expected keys and values, got "hello"/);
test('an empty token', fault, 'admin_auth:\n  bearer_token: ""', /^:2: admin_auth\.bearer_token: expected a token/);
test(
  'two tokens',
  fault,
  'admin_auth: {bearer_token: a, bearer_token_file: b}',
  /^:1: admin_auth: expected one of bearer_token and bearer_token_file/,
);
test(
  'an open API that has a token',
  fault,
  'adminAuth: {open: true, bearerToken: s3cret}',
  /open or a token: remove one of the two/,
);
test(
  'a Secret of tokens beside a token',
  fault,
  'adminAuth: {tokenSecret: tokens, bearerToken: s3cret}',
  /tokenSecret, which has both tokens, or tokens of your own/,
);
test(
  'people without a token that replicas could show',
  fault,
  'adminAuth: {kubernetes: {enabled: true}}',
  /tokenSecret beside kubernetes/,
);
test('a Secret whose name is none', fault, 'adminAuth: {tokenSecret: ../tokens}', /the name of a Secret/);
test(
  'a token variable that is not set',
  fault,
  `admin_auth:\n  bearer_token: \${TOKEN}`,
  /^:2: admin_auth\.bearer_token: environment variable TOKEN is empty or not set/,
);
test(
  'a missing token file',
  fault,
  'admin_auth: {bearer_token_file: nowhere}',
  /^:1: admin_auth\.bearer_token_file: token file .*nowhere cannot be read \(ENOENT\); create it/,
);

test('a token variable that is empty counts as not set', (t) =>
  rejected(
    t,
    load(`admin_auth: {bearer_token: "\${TOKEN}"}`, { TOKEN: '' }),
    /environment variable TOKEN is empty or not set/,
  ));

test('an empty token file is rejected', (t) => {
  writeFileSync(join(directory, 'empty-token'), '\n');
  rejected(
    t,
    load('admin_auth: {bearer_token_file: empty-token}'),
    /token file .*empty-token is empty; write the token into it$/,
  );
});

test('a token of the wrong type shows in no error', (t) => {
  const error = t.throws(load('admin_auth: {bearer_token: 12345678}').config, { instanceOf: ConfigError });
  t.notRegex(error.message, /12345678/);
});

test('a missing file is one line that names --config', (t) => {
  const error = t.throws(() => loadConfig(join(directory, 'nowhere.yaml'), {}), { instanceOf: ConfigError });
  t.regex(
    error.message,
    /nowhere\.yaml: cannot read the configuration file \(ENOENT\); check the path given by --config$/,
  );
});

const halves: readonly [yaml: string, says: RegExp][] = [
  ['xds: {tls: {certFile: a}}', /xds\.tls.*the private key of certFile beside it/],
  ['xds: {tls: {keyFile: a}}', /the certificate of keyFile beside it/],
  ['xds: {tls: {caFile: a}}', /the certificate that caFile is for beside it/],
  [
    'adminAuth: {unprotect: [layout2], protect: [layout2]}',
    /adminAuth: expected layout2 in one of unprotect and protect/,
  ],
  ['xds: {insecure: true, tls: {clientCAFile: a}}', /xds\.insecure: expected false, or no files in tls/],
  ['dataplane: {tls: {serverName: a}}', /the authorities of the control plane beside/],
  ['dataplane: {tls: {caFile: a, certFile: b}}', /the private key of certFile beside it/],
  ['dataplane: {tokenFile: a}', /dataplane\.tokenFile: expected tls\.caFile beside it: a token is sent by TLS only/],
];
for (const [yaml, says] of halves) {
  test(`half of a TLS configuration is rejected: ${yaml}`, (t) => rejected(t, load(yaml), says));
}
