import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse, parseAllDocuments } from 'yaml';
import { runCommand } from '../support/command.ts';
import { runProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';

const world = readFileSync(new URL('../support/migrate/envoy-gateway.yaml', import.meta.url), 'utf8')
  .replaceAll('PORT', '80')
  .replaceAll('ADDRESS', '81');

/** A directory with what is read, and one that is not there yet. */
function foldersOf(t: ExecutionContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-convert-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'world.yaml'), text);
  return { input: join(folder, 'world.yaml'), out: join(folder, 'out') };
}

const args = (input: string, out: string, ...more: readonly string[]) => [
  'migrate',
  'convert',
  '--from',
  'envoy-gateway',
  '-f',
  input,
  '--out',
  out,
  ...more,
];

const policy = (kind: string, spec: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: infra}
spec: {gatewayClassName: eg, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: ${kind}
metadata: {name: one, namespace: infra}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: edge}]
  ${spec}
`;

test('the program converts objects of Envoy Gateway, and names what is closed', async (t) => {
  const { input, out } = foldersOf(t, world);
  const { code, stdout, stderr } = await runProgram(args(input, out));
  t.is(code, 1);
  t.is(stdout, `18 objects converted into 21 files of ${out}; read report.md\n`);
  t.regex(stderr, /SecurityPolicy\/shop\/far is not converted: what it is for denies all requests/);
  t.regex(stderr, /HTTPRouteFilter\/shop\/cookies is not converted/);
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  t.regex(report, /clientIPGeoLocations`: is not converted: places are a country/);
  const far = parse(readFileSync(join(out, 'shop/securitypolicy-far.yaml'), 'utf8')) as { readonly spec: object };
  t.like(far.spec, { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } });
});

thorough(test)('what is written is valid, and the same when it is written again', async (t) => {
  const { input, out } = foldersOf(t, world);
  await runCommand(args(input, out));
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
  await runCommand(args(input, out));
  t.is(readFileSync(join(out, 'report.md'), 'utf8'), report);
});

thorough(test)(
  'a policy without a loss gives exit code 0, and 1 with --strict if it acts in another way',
  async (t) => {
    const { input, out } = foldersOf(
      t,
      policy('BackendTrafficPolicy', 'faultInjection: {delay: {fixedDelay: 5s, percentage: 1.5}}'),
    );
    t.is((await runCommand(args(input, out))).code, 0);
    t.is((await runCommand(args(input, out, '--strict'))).code, 1);
  },
);

thorough(test)('a part that protects is left out only if someone says so', async (t) => {
  const { input, out } = foldersOf(
    t,
    policy(
      'SecurityPolicy',
      'authorization: {rules: [{action: Allow, cel: "true"}, {action: Allow, principal: {clientCIDRs: [10.0.0.0/8]}}]}',
    ),
  );
  const specOf = () =>
    (parse(readFileSync(join(out, 'infra/securitypolicy-one.yaml'), 'utf8')) as { readonly spec: object }).spec;
  t.is((await runCommand(args(input, out))).code, 1);
  t.like(specOf(), { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } });
  t.is((await runCommand(args(input, out, '--without', 'infra/one'))).code, 1);
  t.like(specOf(), {
    authorization: { default: 'Deny', rules: [{ name: 'rule-1', when: { clientIPs: ['10.0.0.0/8'] } }] },
  });
});

for (const part of [
  'apiKeyAuth: {}',
  'basicAuth: {}',
  'extAuth: {http: {}}',
  'extAuth: {}',
  'jwt: {}',
  'jwt: {providers: []}',
  'oidc: {}',
])
  test(`${part} says too little to be converted: all requests are denied`, async (t) => {
    const { input, out } = foldersOf(t, policy('SecurityPolicy', part));
    t.is((await runCommand(args(input, out))).code, 1);
    t.like(parse(readFileSync(join(out, 'infra/securitypolicy-one.yaml'), 'utf8')), {
      spec: { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } },
    });
  });

test('a value that no API server takes is named, since its policy would be missing', async (t) => {
  const { input, out } = foldersOf(
    t,
    policy('SecurityPolicy', 'basicAuth: {users: {name: users}, forwardUsernameHeader: "x y"}'),
  );
  const { code, stderr } = await runCommand(args(input, out));
  t.is(code, 1);
  t.regex(stderr, /what is written cannot be applied: .*securitypolicy-one\.yaml.*userHeader/);
});

thorough(test)('a file that cannot be read gives exit code 2, and the rest is converted', async (t) => {
  const { input, out } = foldersOf(t, `${policy('ClientTrafficPolicy', 'http3: {}')}\n---\n{`);
  const { code, stderr } = await runCommand(args(input, out));
  t.is(code, 2);
  t.regex(stderr, /world\.yaml:\d+:\d+: /);
  t.like(parse(readFileSync(join(out, 'infra/clienttrafficpolicy-one.yaml'), 'utf8')), { kind: 'ListenerPolicy' });
});

thorough(test)('certificates of clients are asked for by the Gateway, by authorities of a ConfigMap', async (t) => {
  const { input, out } = foldersOf(
    t,
    policy(
      'ClientTrafficPolicy',
      'tls: {clientValidation: {caCertificateRefs: [{name: ca}], subjectAltNames: {uris: [{type: Prefix, value: "spiffe://corp/"}]}}}',
    ),
  );
  const { code } = await runCommand(args(input, out));
  t.is(code, 1, 'the ConfigMap is to be made');
  const gateway = parse(readFileSync(join(out, 'infra/gateway-edge.yaml'), 'utf8')) as { readonly spec: object };
  t.like(gateway.spec, {
    tls: {
      frontend: { default: { validation: { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ca' }] } } },
    },
  });
  const access = parse(readFileSync(join(out, 'infra/clienttrafficpolicy-one.yaml'), 'utf8')) as {
    readonly spec: object;
  };
  t.like(access.spec, { clientCertificates: { names: [{ uri: 'spiffe://corp/*' }] } });
});

test('a name that leads out of the directory is no object', async (t) => {
  const { input, out } = foldersOf(
    t,
    policy('SecurityPolicy', 'basicAuth: {users: {name: users}}').replace('name: one', 'name: ../../one'),
  );
  const { code, stderr } = await runCommand(args(input, out));
  t.is(code, 2);
  t.regex(stderr, /it is no object with a kind and a name/);
});

test('ingress-nginx wants the name of a Gateway', async (t) => {
  const { input, out } = foldersOf(t, world);
  const { code, stderr } = await runCommand(['migrate', 'convert', '-f', input, '--out', out]);
  t.is(code, 2);
  t.regex(stderr, /--gateway NAMESPACE\/NAME/);
});

thorough(test)(
  'backends with fallback become failover of the others of their rule, and hosts outside stay where they were',
  async (t) => {
    const backend = (name: string, endpoint: string, more = '') => `
---
apiVersion: gateway.envoyproxy.io/v1alpha1
kind: Backend
metadata: {name: ${name}, namespace: infra}
spec: {fallback: true, endpoints: [${endpoint}]${more}}`;
    const eg = 'group: gateway.envoyproxy.io, kind: Backend';
    const route = `
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: infra}
spec:
  parentRefs: [{name: edge}]
  rules:
  - {matches: [{path: {value: /a}}], backendRefs: [{name: web, port: 80, weight: 2}, {name: new, port: 80}, {${eg}, name: near}]}
  - {matches: [{path: {value: /b}}], backendRefs: [{name: other, port: 80}, {${eg}, name: far}]}
  - {matches: [{path: {value: /c}}], backendRefs: [{${eg}, name: near}]}
`;
    const { input, out } = foldersOf(
      t,
      policy('SecurityPolicy', 'cors: {allowOrigins: ["https://a.test"]}') +
        backend('near', '{ip: {address: 10.0.0.7, port: 8080}}') +
        backend('far', '{fqdn: {hostname: far.example.com, port: 80}}') +
        route,
    );
    const { code, stderr } = await runCommand(args(input, out));
    t.is(code, 1, stderr);
    const made = parse(readFileSync(join(out, 'infra/httproute-web.yaml'), 'utf8')) as {
      readonly spec: { readonly rules: readonly { readonly backendRefs: readonly { readonly name: string }[] }[] };
    };
    t.deepEqual(
      made.spec.rules.map(({ backendRefs }) => backendRefs.map(({ name }) => name)),
      [['web', 'new'], ['other', 'far'], ['near-gatewright']],
    );
    const policies = readFileSync(join(out, 'infra/_backends.yaml'), 'utf8');
    t.regex(policies, /name: web,[\s\S]*failover:\n +backendRefs:\n +- \{name: near-gatewright, port: 8080\}/);
    t.is(policies.match(/failover:/g)?.length, 2);
    const report = readFileSync(join(out, 'report.md'), 'utf8');
    t.regex(report, /hosts outside of the cluster have no failover/);
    t.regex(report, /all rules with Service infra\/web get this failover/);
    t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
  },
);

thorough(test)('places of clients are those of clientLocations, unless databases here do not say them', async (t) => {
  const rules = (places: string) =>
    `authorization: {defaultAction: Deny, rules: [{name: near, action: Allow, principal: {clientIPGeoLocations: [${places}]}}]}`;
  const { input, out } = foldersOf(t, policy('SecurityPolicy', rules('{country: DE, region: BY}, {asn: 64500}')));
  t.is((await runCommand(args(input, out))).code, 1, 'someone must name the databases');
  const made = parse(readFileSync(join(out, 'infra/securitypolicy-one.yaml'), 'utf8')) as { readonly spec: object };
  t.like(made.spec, {
    authorization: {
      default: 'Deny',
      rules: [{ name: 'near', when: { clientLocations: [{ country: 'DE', region: 'BY' }, { asn: 64500 }] } }],
    },
  });
  t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
  for (const place of ['{country: DE, isp: Some}', '{city: Berlin}', '']) {
    const other = foldersOf(t, policy('SecurityPolicy', rules(place)));
    await runCommand(args(other.input, other.out));
    const closed = parse(readFileSync(join(other.out, 'infra/securitypolicy-one.yaml'), 'utf8')) as { spec: object };
    t.like(closed.spec, { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } }, place);
  }
});

thorough(test)('the inventory counts what a conversion does, and writes nothing', async (t) => {
  const { input, out } = foldersOf(t, world);
  const inventory = (...more: readonly string[]) =>
    runCommand(['migrate', 'inventory', '--from', 'envoy-gateway', '-f', input, ...more]);
  const { code, stdout, stderr } = await inventory();
  t.is(code, 1, stderr);
  t.regex(stdout, /^\d+ objects of [A-Z][A-Za-z ]+: \d+ converted, [1-9]\d* closed, \d+ left out\n/);
  t.regex(stdout, /\nSecurityPolicy\/shop\/far \(closed\)\n {2}cannot: /);
  t.false(existsSync(out));
  const json = JSON.parse((await inventory('-o', 'json')).stdout);
  await runCommand(args(input, out));
  const report = readFileSync(join(out, 'report.md'), 'utf8');
  t.true(report.includes(`${json.counts.converted} of ${json.objects.length} objects are converted`));
  t.regex((await inventory('-o', 'markdown')).stdout, /^\| SecurityPolicy\/shop\/far \| closed \| cannot \|/m);
  t.is((await inventory('-o', 'html')).code, 2);
});

thorough(test)(
  'scripts and modules become ExtensionPolicies, and what they do not have here closes their targets',
  async (t) => {
    const digest = 'a'.repeat(64);
    const code = (url: string) => `{type: Image, image: {url: '${url}', pullSecretRef: {name: registry}}}`;
    const convert = async (spec: string) => {
      const { input, out } = foldersOf(t, policy('EnvoyExtensionPolicy', spec));
      const { code: exit } = await runCommand(args(input, out));
      t.is(exit, 1, 'something is left to do');
      const made = parseAllDocuments(readFileSync(join(out, 'infra/envoyextensionpolicy-one.yaml'), 'utf8'));
      t.is((await runCommand(['validate', '--no-with-references', out])).code, 0);
      return {
        made: made.map((each) => each.toJS() as { readonly kind: string; readonly spec: object }),
        report: readFileSync(join(out, 'report.md'), 'utf8'),
      };
    };
    const script = 'function envoy_on_request(handle) handle:headers():add("x-seen", "yes") end';
    const both = await convert(`lua: [{type: Inline, inline: '${script}'}]
  wasm: [{name: guard, rootID: guard, failOpen: true, config: {tenants: [a]}, code: ${code(`oci://r.test/guard@sha256:${digest}`)}}]`);
    t.like(both.made[0], { kind: 'ExtensionPolicy', spec: { onFailure: 'Reject', lua: { inline: script } } });
    t.like(both.made[1]?.spec, {
      onFailure: 'Allow',
      wasm: {
        image: { reference: `r.test/guard@sha256:${digest}`, secretRef: { name: 'registry' } },
        rootId: 'guard',
        config: { tenants: ['a'] },
      },
    });
    for (const text of [/extensions\.lua: true/, /extensions\.wasm: true/, /Secret registry has username/])
      t.regex(both.report, text);
    const named = await convert('lua: [{type: ValueRef, valueRef: {group: "", kind: ConfigMap, name: scripts}}]');
    t.like(named.made[0]?.spec, { lua: { configMapRef: { name: 'scripts', key: 'lua' } } });
    t.regex(named.report, /kubectl label configmap scripts/);
    for (const lost of [
      'lua: [{type: Inline, inline: "function envoy_on_request(h) h:httpCall(1) end"}]',
      `wasm: [{code: ${code('r.test/guard:v1')}}]`,
      'wasm: [{code: {type: HTTP, http: {url: "https://r.test/a.wasm"}}}]',
      `lua: [{type: Inline, inline: '${script}'}, {type: Inline, inline: '${script}'}, {type: Inline, inline: '${script}'}]`,
    ]) {
      const { made } = await convert(lost);
      t.is(made.length, 1);
      t.like(made[0], { kind: 'AccessPolicy', spec: { clientIPs: { deny: ['0.0.0.0/0', '::/0'] } } }, lost);
    }
  },
);
