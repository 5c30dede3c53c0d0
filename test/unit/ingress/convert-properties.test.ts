import test from 'ava';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import { annotations, convert, judge } from '../../../src/ingress/index.ts';
import { objectsOf } from '../../support/golden/load.ts';
import { controller, convertOptions, ingress, worldOf } from '../../support/ingress-world.ts';
import { repetitions } from '../../support/repetitions.ts';

/** Of any Ingresses: what is written is valid, opens nothing, and is the same each time. */

const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'whitelist-source-range': fc.constantFrom('10.0.0.0/8', '10.1.2.3/8,192.0.2.1', '2001:db8::1/33', 'localhost', ''),
  'denylist-source-range': fc.constantFrom('192.0.2.0/24', '::ffff:10.0.0.1/100', '10.0.0.0/33'),
  'auth-url': fc.constantFrom(
    'http://auth.shop.svc.cluster.local/check',
    'http://auth.other:81/a?b',
    'https://auth.test/x',
    '$x',
  ),
  'auth-type': fc.constantFrom('basic', 'digest', 'none'),
  'auth-secret': fc.constantFrom('users', 'other/users', '../x'),
  'auth-realm': fc.constantFrom('staff', '"a $b"'),
  satisfy: fc.constantFrom('any', 'all', 'some'),
  'auth-tls-secret': fc.constantFrom('shop/ca', '!'),
  'enable-modsecurity': fc.constantFrom('true', 'false'),
  'enable-cors': fc.constantFrom('true', 'yes'),
  'cors-allow-origin': fc.constantFrom('*', 'https://a.test, *', 'https://*.b.test', 'null', 'x y'),
  'cors-allow-credentials': fc.constantFrom('true', 'false', '1'),
  'use-regex': fc.constantFrom('true', 'false'),
  'rewrite-target': fc.constantFrom('/$1', '/x', '$1', '/$host', '/a?b'),
  'app-root': fc.constantFrom('/home', 'https://x/', '/a b'),
  'configuration-snippet': fc.constantFrom(
    'deny all;',
    'add_header A "b\n---\nkind: Secret";',
    'return 200;',
    'proxy_set_header A $http_b;',
    'if ($http_x ~* "a|b") { return 403; }',
    'rewrite ^/x/(.*) /$1 break;',
    'rewrite ^ https://b.test$request_uri permanent;',
    '"',
  ),
  'server-alias': fc.constantFrom('b.test', '~^x', '*.w.test, A B'),
  'permanent-redirect': fc.constantFrom('https://b.test/x', '/x', 'javascript:x', 'https://b.test/?a'),
  'upstream-vhost': fc.constantFrom('in.test', '$host', 'a\nb'),
  'proxy-body-size': fc.constantFrom('8m', '0', '9999999999g'),
  'proxy-read-timeout': fc.constantFrom('1', '-1', '99999999', 'x'),
  'limit-rps': fc.constantFrom('1', '0', '-5', '99999999999'),
  'limit-connections': fc.constantFrom('5', '0', '-1', '99999999'),
  'upstream-hash-by': fc.constantFrom('$remote_addr', '$http_a$cookie_b', '$request_uri', 'x'),
  affinity: fc.constantFrom('cookie', 'none'),
  'session-cookie-name': fc.constantFrom('place', 'a b', ''),
  'session-cookie-path': fc.constantFrom('/a', 'x'),
  'backend-protocol': fc.constantFrom('HTTPS', 'GRPC', 'GRPCS', 'FCGI', 'AUTO_HTTP'),
  'proxy-ssl-secret': fc.constantFrom('ca', 'shop/ca', 'other'),
  'proxy-ssl-verify': fc.constantFrom('on', 'off'),
  'proxy-ssl-name': fc.constantFrom('in.test', 'A_B', '$host'),
  'mirror-target': fc.constantFrom('http://copy$request_uri', 'http://copy.other:80$request_uri', 'x'),
  canary: fc.constantFrom('true', 'false'),
  'canary-weight': fc.constantFrom('20', '500', '-1'),
  'canary-by-header-pattern': fc.constantFrom('a|b', '('),
  'canary-by-header': fc.constantFrom('x-beta', 'x beta'),
  'canary-by-cookie': fc.constantFrom('beta', 'a;b'),
  'service-upstream': fc.constantFrom('true', 'false'),
};

const anyAnnotations = fc
  .uniqueArray(fc.constantFrom(...Object.keys(values)), { maxLength: 5 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, values[name] as fc.Arbitrary<string>]))));

const anyIngress = fc.record({
  annotations: anyAnnotations,
  host: fc.constantFrom('a.test', 'b.test', '*.w.test', ''),
  paths: fc.uniqueArray(fc.constantFrom('/', '/x', '/x/', '/x(/|$)(.*)', '/(?!a)', '/X', '/.*'), {
    minLength: 1,
    maxLength: 3,
  }),
  type: fc.constantFrom('Exact', 'Prefix', 'ImplementationSpecific'),
  service: fc.constantFrom('web', 'new'),
  more: fc.constantFrom({}, { tls: [{ hosts: ['a.test', '*.w.test'], secretName: 'web-tls' }] }),
});

const settings = { 'annotations-risk-level': 'Critical', 'allow-snippet-annotations': 'true' };

interface Written {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly rules?: readonly {
      readonly backendRefs?: unknown;
      readonly filters?: readonly {
        readonly cors?: { readonly allowOrigins: readonly string[]; readonly allowCredentials?: boolean };
      }[];
    }[];
    readonly targetRefs?: readonly { readonly name: string }[];
  };
}

const protective = annotations.filter(({ protects }) => protects).map(({ name }) => name);

test('any Ingresses become valid objects that open nothing', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyIngress, { minLength: 1, maxLength: 4 }), async (all) => {
      const objects = all.map(({ annotations: own, ...rest }, index) => ingress(`it-${index}`, own, rest));
      const world = worldOf(...controller(settings), ...objects);
      const judgement = judge(world);
      const { files, ingresses } = convert(judgement, convertOptions);
      const texts = [...files].map(([, text]) => text);
      t.deepEqual([...convert(judge(world), convertOptions).files.values()], texts);
      const written = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Written));
      await objectsOf(...texts);
      for (const { spec } of written)
        for (const { cors } of spec.rules?.flatMap(({ filters = [] }) => filters) ?? [])
          t.false(cors?.allowCredentials === true && cors.allowOrigins.includes('*'));
      for (const { judged, outcome } of ingresses) {
        const { name } = judged.ingress.metadata;
        const own = written.filter(
          ({ kind, metadata }) =>
            kind === 'HTTPRoute' && (metadata.name === name || metadata.name.startsWith(`${name}-`)),
        );
        const reaches = own.some(({ spec }) => spec.rules?.some(({ backendRefs }) => backendRefs !== undefined));
        if (outcome === 'closed') t.false(reaches, `${name} is closed`);
        const demands = protective.filter(
          (each) => judged.settings.set(each) !== undefined && isDemand(each, judged.settings.get(each)),
        );
        if (!reaches || demands.length === 0 || judged.settings.is('canary')) continue;
        const policies = written.filter(({ kind, metadata }) => kind === 'AccessPolicy' && metadata.name === name);
        const targets = new Set(policies.flatMap(({ spec }) => spec.targetRefs?.map((target) => target.name) ?? []));
        for (const route of own.filter(({ spec }) => spec.rules?.some(({ backendRefs }) => backendRefs !== undefined)))
          t.true(
            targets.has(route.metadata.name),
            `${route.metadata.name} has no policy, and ${demands.join()} demands one`,
          );
      }
    }),
    { numRuns: repetitions({ few: 15, all: 150 }) },
  );
});

/** Names that demand something by themselves, with values that do. */
const isDemand = (name: string, value: string): boolean =>
  ['allowlist-source-range', 'denylist-source-range', 'auth-url', 'auth-type', 'auth-tls-secret'].includes(name) ||
  (name === 'enable-modsecurity' && value === 'true');
