import test from 'ava';
import fc from 'fast-check';
import { type KubernetesObject, objectKey } from '../../../../src/gateway-api/index.ts';
import { issue, testCertificates } from '../../../support/certificates.ts';
import { edgeGateway, nativeWorld, ownClass, servedIngress, servedService } from '../../../support/native-ingresses.ts';
import { repetitions } from '../../../support/repetitions.ts';

const base = [ownClass(), edgeGateway(), servedService('web'), servedService('api')];

test('an Ingress becomes an HTTPRoute that no user can name', (t) => {
  const { made } = nativeWorld({}, ...base, servedIngress('web'));
  t.deepEqual([...made.values()], [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'Ingress:web', namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        parentRefs: [{ name: 'edge', namespace: 'infra', sectionName: 'http' }],
        hostnames: ['a.test'],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/' } }],
            backendRefs: [{ name: 'web', port: 80 }],
          },
        ],
      },
    },
  ] as never);
});

test('Ingresses of other classes, and of none, become nothing; the default class takes those of none where the configuration says so', (t) => {
  const foreign = { ...ownClass('other'), spec: { controller: 'other.test/controller' } } as KubernetesObject;
  const ingresses = [servedIngress('other', { className: 'other' }), servedIngress('none', { className: undefined })];
  const world = nativeWorld({}, ...base, foreign, ...ingresses);
  t.deepEqual(world.kinds(), []);
  const all = nativeWorld({ withoutClass: true }, ...base, foreign, ...ingresses);
  t.deepEqual(all.kinds(), ['HTTPRoute shop/Ingress:none']);
});

test('the annotation that was before classes names one too', (t) => {
  const ingress = servedIngress('old', { className: undefined });
  const annotated = {
    ...ingress,
    metadata: { ...ingress.metadata, annotations: { 'kubernetes.io/ingress.class': 'gatewright' } },
  };
  t.deepEqual(nativeWorld({}, ...base, annotated).kinds(), ['HTTPRoute shop/Ingress:old']);
});

test('a class that comes, changes or goes takes its Ingresses with it', (t) => {
  const [, ...others] = base;
  const world = nativeWorld({}, ...others, servedIngress('web'));
  t.deepEqual(world.kinds(), []);
  world.put(ownClass());
  t.deepEqual(world.kinds(), ['HTTPRoute shop/Ingress:web']);
  world.put({ ...ownClass(), spec: { controller: 'gatewright.dev/ingress-controller' } } as KubernetesObject);
  t.deepEqual([world.kinds(), world.reasons('shop/web')], [[], ['NoGateway']]);
  world.put(ownClass());
  world.remove('IngressClass', '', 'gatewright');
  t.deepEqual([world.kinds(), world.outcomes.size], [[], 0]);
});

const classOf = (name: string, controller: string, more: object = {}) =>
  ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: { name },
    spec: { controller, ...more },
  }) as KubernetesObject;
const nginx = 'k8s.io/ingress-nginx';
const adopting = { adopt: ['nginx'], gateway: objectKey('infra', 'edge') };

test('of the classes of ingress-nginx those that are listed are adopted, by the field and by the annotation', (t) => {
  const old = servedIngress('old', { className: undefined, host: 'b.test' });
  const annotations = { 'kubernetes.io/ingress.class': 'nginx' };
  const ingresses = [
    servedIngress('web', { className: 'nginx' }),
    servedIngress('own', { host: 'd.test' }),
    servedIngress('unlisted', { className: 'internal', host: 'c.test' }),
    { ...old, metadata: { ...old.metadata, annotations } },
  ];
  const classes = [classOf('nginx', nginx), classOf('internal', nginx)];
  const world = nativeWorld(adopting, ...base, ...classes, ...ingresses);
  t.deepEqual(world.kinds(), [
    'HTTPRoute shop/Ingress:old',
    'HTTPRoute shop/Ingress:own',
    'HTTPRoute shop/Ingress:web',
  ]);
  const adopted = [...world.outcomes].filter(([, { isAdopted }]) => isAdopted);
  t.deepEqual(adopted.map(([key]) => key).sort(), ['shop/old', 'shop/web']);
  t.deepEqual(nativeWorld({}, ...base, ...classes, ...ingresses).kinds(), ['HTTPRoute shop/Ingress:own']);
});

test('a listed class of another controller is not adopted, and parameters of a class name no Gateway for it', (t) => {
  const ingress = servedIngress('web', { className: 'nginx' });
  const world = nativeWorld(adopting, ...base, classOf('nginx', 'traefik.io/ingress-controller'), ingress);
  t.deepEqual([world.kinds(), world.outcomes.size], [[], 0]);
  for (const controller of ['evil.test/k8s.io/ingress-nginx', 'k8s.io/ingress-nginx/evil', '']) {
    world.put(classOf('nginx', controller));
    t.deepEqual(world.kinds(), [], controller);
  }
  const parameters = ownClass('evil', {}, 'evil').spec as { readonly parameters: object };
  world.put(classOf('nginx', 'k8s.io/internal-ingress-nginx', { parameters: parameters.parameters }));
  t.is(world.outcomes.get('shop/web')?.gateway, objectKey('infra', 'edge'));
});

test('an adopted class that goes leaves its Ingresses served, and its status is ours once the class is', (t) => {
  const world = nativeWorld(adopting, ...base, classOf('nginx', nginx), servedIngress('web', { className: 'nginx' }));
  world.touched.length = 0;
  world.remove('IngressClass', '', 'nginx');
  t.true(world.outcomes.get('shop/web')?.isAdopted);
  world.put(ownClass('nginx'));
  t.deepEqual([world.touched, world.outcomes.get('shop/web')?.isAdopted], [[], undefined]);
});

test('an adopted class without a Gateway in the configuration says so', (t) => {
  const world = nativeWorld({ adopt: ['nginx'] }, ...base, servedIngress('web', { className: 'nginx' }));
  t.is(
    world.message('shop/web'),
    'IngressClass nginx is adopted: name a Gateway in ingress.gateway of the configuration',
  );
});

test('among Ingresses without a class, those of an adopted default class are served where the configuration says so', (t) => {
  const standard = {
    ...classOf('nginx', nginx),
    metadata: { name: 'nginx', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
  } as KubernetesObject;
  const none = servedIngress('none', { className: undefined });
  const world = nativeWorld({ ...adopting, withoutClass: true }, ...base, standard, none);
  t.true(world.outcomes.get('shop/none')?.isAdopted);
});

test('a Gateway without a listener for all hosts serves no Ingress, and says so', (t) => {
  const world = nativeWorld({}, ownClass(), servedService('web'), servedIngress('web'));
  t.regex(world.message('shop/web'), /Gateway infra\/edge, which its class is served by, does not exist/);
  world.put(edgeGateway());
  t.deepEqual(world.kinds(), ['HTTPRoute shop/Ingress:web']);
});

test('a host belongs to the namespace that had it first, and goes to the next when that gives it up', (t) => {
  const thief = servedIngress('thief', { namespace: 'evil', created: '2026-01-02T00:00:00Z', paths: ['/admin'] });
  const world = nativeWorld({}, ...base, servedService('web', 'evil'), servedIngress('web'), thief);
  t.deepEqual(world.kinds(), ['HTTPRoute shop/Ingress:web']);
  t.deepEqual(world.reasons('evil/thief'), ['HostTaken']);
  t.false(world.message('evil/thief').includes('shop'));
  world.remove('Ingress', 'shop', 'web');
  t.true(world.made.has('HTTPRoute evil/Ingress:thief'));
  t.deepEqual(world.reasons('evil/thief'), []);
});

test('a host that goes to another namespace, or loses its wildcard, is never without a route or with another', (t) => {
  const of = (namespace: string, created: string) => servedIngress('web', { namespace, created });
  const services = [servedService('web', 'other'), servedService('wide')];
  const world = nativeWorld(
    {},
    ...base,
    ...services,
    of('shop', '2026-01-01T00:00:00Z'),
    of('other', '2026-01-02T00:00:00Z'),
  );
  const routesOf = (host: string) =>
    [...world.made.values()].filter(({ kind, spec }) => {
      const { hostnames = [] } = spec as { readonly hostnames?: readonly string[] };
      return kind === 'HTTPRoute' && hostnames.includes(host);
    });
  let steps = 0;
  world.onStep = () => {
    steps += 1;
    t.is(routesOf('a.test').length, 1);
  };
  world.remove('Ingress', 'shop', 'web');
  t.is(routesOf('a.test')[0]?.metadata.namespace, 'other');
  world.put(of('shop', '2026-01-01T00:00:00Z'));
  t.is(routesOf('a.test')[0]?.metadata.namespace, 'shop');
  t.true(steps >= 2);
});

test('hosts below a wildcard that comes or goes have their listeners in the same step', async (t) => {
  const all = { namespaces: { from: 'All' } };
  const tls = { certificateRefs: [{ name: 'default-tls' }] };
  const https = { name: 'https', port: 443, protocol: 'HTTPS', tls, allowedRoutes: all };
  const { certificate, key } = await issue('*.w.test');
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'wide-tls', namespace: 'shop' },
    data: { 'tls.crt': btoa(certificate), 'tls.key': btoa(key) },
  } as KubernetesObject;
  const [ownClassObject, , ...services] = base as [KubernetesObject, ...KubernetesObject[]];
  const exact = servedIngress('exact', { host: 'a.w.test', namespace: 'other' });
  const objects = [ownClassObject, edgeGateway(https), ...services, servedService('web', 'other'), secret, exact];
  const world = nativeWorld({}, ...objects);
  const wide = servedIngress('wide', {
    host: '*.w.test',
    more: { tls: [{ hosts: ['*.w.test'], secretName: 'wide-tls' }] },
  });
  const listenersOf = () => world.kinds().filter((each) => each.startsWith('ListenerSet '));
  const seen: number[] = [];
  world.onStep = () => seen.push(listenersOf().length);
  world.put(wide);
  t.deepEqual(listenersOf(), ['ListenerSet other/Ingress:exact', 'ListenerSet shop/Ingress:wide']);
  world.remove('Ingress', 'shop', 'wide');
  t.deepEqual(listenersOf(), []);
  t.deepEqual([...new Set(seen)], [2, 0], 'never one of them alone');
});

test('aliases and redirects from www are no way to the host of another namespace', (t) => {
  const annotations = { 'server-alias': 'a.test,own.test', 'from-to-www-redirect': 'true' };
  const thief = servedIngress('thief', {
    namespace: 'evil',
    host: 'www.a.test',
    created: '2026-01-02T00:00:00Z',
    annotations,
  });
  const world = nativeWorld({}, ...base, servedService('web', 'evil'), servedIngress('web'), thief);
  const hosts = [...world.made.values()].flatMap(({ metadata, spec }) =>
    metadata.namespace === 'evil' ? (spec as { hostnames: string[] }).hostnames : [],
  );
  t.deepEqual(hosts.sort(), ['own.test', 'www.a.test']);
});

test('with hosts that are shared, namespaces have their paths beside each other', (t) => {
  const other = servedIngress('other', { namespace: 'team', created: '2026-01-02T00:00:00Z', paths: ['/team'] });
  const world = nativeWorld({ sharedHosts: true }, ...base, servedService('web', 'team'), servedIngress('web'), other);
  t.deepEqual(world.kinds(), ['HTTPRoute shop/Ingress:web', 'HTTPRoute team/Ingress:other']);
});

test('what protects and has no equivalent here closes all paths of its Ingress, and of no other', (t) => {
  const closed = servedIngress('closed', {
    paths: ['/admin'],
    created: '2026-01-02T00:00:00Z',
    annotations: { 'auth-type': 'digest', 'auth-secret': 'users' },
  });
  const world = nativeWorld({}, ...base, servedIngress('web'), closed);
  t.deepEqual(world.reasons('shop/closed'), ['ProtectionUnavailable']);
  t.deepEqual(world.kinds(), [
    'HTTPFilter shop/Ingress:closed:closed',
    'HTTPRoute shop/Ingress:closed',
    'HTTPRoute shop/Ingress:web',
  ]);
  t.deepEqual(world.made.get('HTTPFilter shop/Ingress:closed:closed')?.spec, {
    directResponse: { status: 503, body: 'This path is not served.' },
  });
});

test('a snippet has its Ingress not served', (t) => {
  const world = nativeWorld(
    {},
    ...base,
    servedIngress('web', { annotations: { 'configuration-snippet': 'return 200;' } }),
  );
  t.deepEqual([world.kinds(), world.reasons('shop/web')], [[], ['NotServed']]);
});

test('a Secret of another namespace is not looked at: what it protects is closed', (t) => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'ca', namespace: 'other' },
    data: { 'ca.crt': 'eA==' },
  };
  const world = nativeWorld(
    {},
    ...base,
    secret,
    servedIngress('web', { annotations: { 'auth-tls-secret': 'other/ca' } }),
  );
  t.deepEqual(world.reasons('shop/web'), ['ProtectionUnavailable']);
});

test('the authority of backends must be written by hand, and a wildcard has no other name', (t) => {
  const [{ certificate }] = testCertificates;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'backends', namespace: 'shop' },
    data: { 'ca.crt': Buffer.from(certificate).toString('base64') },
  } as unknown as KubernetesObject;
  const annotations = {
    'backend-protocol': 'HTTPS',
    'proxy-ssl-secret': 'shop/backends',
    'proxy-ssl-verify': 'on',
    'proxy-ssl-name': 'in.test',
    'from-to-www-redirect': 'true',
  };
  const world = nativeWorld({}, ...base, secret, servedIngress('web', { host: '*.w.test', annotations }));
  t.deepEqual(world.reasons('shop/web'), ['AnnotationIgnored']);
  t.regex(world.message('shop/web'), /proxy-ssl-secret: write its entry ca\.crt into a ConfigMap backends-ca/);
  t.false(world.kinds().some((kind) => kind.includes('www') || kind.startsWith('ConfigMap')));
  t.true(world.kinds().includes('BackendTLSPolicy shop/Ingress:web:web'));
});

test('an Ingress whose path no proxy can have does not take its neighbours with it', (t) => {
  const bad = servedIngress('bad', {
    paths: ['/x('],
    created: '2026-01-02T00:00:00Z',
    annotations: { 'use-regex': 'true' },
  });
  const world = nativeWorld({}, ...base, servedIngress('web'), bad);
  t.deepEqual(world.kinds(), ['HTTPRoute shop/Ingress:web']);
  t.deepEqual(world.reasons('shop/bad'), ['InvalidPath']);
});

test('a Service that is missing has its own paths answered 503, and is taken when it comes', (t) => {
  const two = servedIngress('two', { service: 'later', paths: ['/later'], port: { name: 'http' } });
  const world = nativeWorld({}, ...base, servedIngress('web'), two);
  t.deepEqual(world.reasons('shop/two'), ['BackendNotFound']);
  t.true(world.made.has('HTTPFilter shop/Ingress:two:closed'));
  world.put(servedService('later'));
  t.deepEqual(world.reasons('shop/two'), []);
  t.false(world.made.has('HTTPFilter shop/Ingress:two:closed'));
  world.put(servedService('later', 'shop', { type: 'ExternalName', externalName: 'metadata.test' }));
  t.deepEqual(world.reasons('shop/two'), ['BackendNotFound']);
});

test('a host with a certificate has a listener of its own, and HTTP sends clients there', (t) => {
  const tls = [{ hosts: ['a.test'], secretName: 'web-tls' }];
  const world = nativeWorld({}, ...base, servedIngress('web', { more: { tls } }));
  t.deepEqual(world.kinds(), [
    'HTTPRoute shop/Ingress:web',
    'HTTPRoute shop/Ingress:web:to-https',
    'ListenerSet shop/Ingress:web',
  ]);
  t.like(world.made.get('HTTPRoute shop/Ingress:web')?.spec, {
    parentRefs: [{ kind: 'ListenerSet', name: 'Ingress:web', namespace: 'shop' }],
  });
});

test('a wildcard host stands for one label', (t) => {
  const world = nativeWorld({}, ...base, servedIngress('web', { host: '*.a.test' }));
  const route = world.made.get('HTTPRoute shop/Ingress:web') as unknown as {
    spec: { rules: { matches: { headers: { value: string }[] }[] }[] };
  };
  const [header] = route.spec.rules[0]?.matches[0]?.headers ?? [];
  const value = new RegExp(`^(?:${header?.value.replace('(?i)', '')})$`, 'i');
  t.deepEqual(
    ['x.a.test', 'X.A.TEST:8080', 'y.x.a.test', 'a.test', 'x.a.test.evil'].map((host) => value.test(host)),
    [true, true, false, false, false],
  );
});

test('a change costs the Ingresses of its hosts and no others', (t) => {
  const many = Array.from({ length: 200 }, (_, at) => servedIngress(`web-${at}`, { host: `h${at}.test` }));
  const world = nativeWorld({}, ...base, ...many);
  world.touched.length = 0;
  world.put(servedIngress('web-7', { host: 'h7.test', annotations: { 'use-regex': 'true' } }));
  t.deepEqual(world.touched, ['HTTPRoute shop/Ingress:web-7']);
  world.touched.length = 0;
  world.put(servedIngress('web-7', { host: 'h7.test', annotations: { 'use-regex': 'true' }, more: {} }));
  t.deepEqual(world.touched, []);
});

const names = ['one', 'two', 'three', 'four'] as const;
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      name: fc.constantFrom(...names),
      namespace: fc.constantFrom('shop', 'team'),
      host: fc.constantFrom('a.test', 'b.test', '*.test', ''),
      paths: fc.uniqueArray(fc.constantFrom('/', '/a', '/a/', '/b', '/x('), { minLength: 1, maxLength: 2 }),
      type: fc.constantFrom('Exact', 'Prefix', 'ImplementationSpecific'),
      service: fc.constantFrom('web', 'api', 'later'),
      day: fc.integer({ min: 1, max: 3 }),
      annotations: fc.constantFrom<Readonly<Record<string, string>>[]>(
        {},
        { 'use-regex': 'true' },
        { 'server-alias': 'b.test' },
        { canary: 'true', 'canary-weight': '20' },
        { 'auth-type': 'digest', 'auth-secret': 'x' },
        { 'whitelist-source-range': '10.0.0.0/8' },
      ),
      more: fc.constantFrom(
        {},
        { tls: [{ hosts: ['a.test'], secretName: 'tls' }] },
        { tls: [{ hosts: ['*.test'], secretName: 'wild' }] },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      name: fc.constantFrom(...names),
      namespace: fc.constantFrom('shop', 'team'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('service', 'no service', 'class', 'no class', 'https', 'no https') }),
  },
);

for (const sharedHosts of [false, true])
  test(`any changes end where a cold start does, ${sharedHosts ? 'with' : 'without'} shared hosts`, (t) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const world = nativeWorld({ sharedHosts }, ...base);
        const objects = new Map<string, KubernetesObject>(
          base.map((object) => [`${object.kind} ${object.metadata.name}`, object]),
        );
        const put = (object: KubernetesObject) => {
          objects.set(`${object.kind} ${object.metadata.namespace} ${object.metadata.name}`, object);
          world.put(object);
        };
        const remove = (kind: string, namespace: string, name: string) => {
          objects.delete(`${kind} ${namespace || undefined} ${name}`);
          world.remove(kind, namespace, name);
        };
        objects.clear();
        for (const object of base) put(object);
        for (const each of steps) {
          if (each.kind === 'put')
            put(servedIngress(each.name, { ...each, created: `2026-01-0${each.day}T00:00:00Z` }));
          else if (each.kind === 'remove') remove('Ingress', each.namespace, each.name);
          else if (each.kind === 'service') put(servedService('later'));
          else if (each.kind === 'no service') remove('Service', 'shop', 'later');
          else if (each.kind === 'class') put(ownClass());
          else if (each.kind === 'no class') remove('IngressClass', '', 'gatewright');
          else if (each.kind === 'https') put(edgeGateway({ name: 'https', port: 443, protocol: 'HTTPS' }));
          else put(edgeGateway());
        }
        const cold = nativeWorld({ sharedHosts }, ...objects.values());
        t.deepEqual(new Map([...world.made].sort()), new Map([...cold.made].sort()));
        t.deepEqual(new Map([...world.outcomes].sort()), new Map([...cold.outcomes].sort()));
      }),
      { numRuns: repetitions({ few: 40, all: 150 }) },
    );
  });
