import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { IngressNginxModel, ModelAnswer } from '../../src/ingress/index.ts';
import { textOf } from '../../src/ingress/model/request-path.ts';
import { type IngressParts, modelOf } from '../support/ingress-model.ts';
import { startNginx } from '../support/nginx.ts';
import { locationsText } from '../support/nginx-of-model.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';

/**
 * The model against a real nginx: random hosts with random paths are written as the controller writes them, by a writer of this test's own, and
 * both are asked the same. The rest of the model is a matter of the controller and not of nginx.
 */

const plainPaths = ['/', '/a', '/a/', '/A', '/ab', '/a/b', '/a/b/', '/a/b/c', '/a.b', '/a-b/x', '/é'];
const expressions = [
  '/a(/|$)(.*)',
  '/[a-z]+',
  '/a/(b|bc)(.*)',
  '/a\\.b',
  '/a\\\\.b',
  '/a.b',
  '/(a|A)/(?<rest>.*)',
  '/a/[^/]+/c$',
  '/b?a*',
  '/a b',
];
const targets = ['/', '/new', '/$1', '/$2', '/x/$1/y', '/$2$1', '/$host/$1'];

const path = (from: readonly string[]) =>
  fc.tuple(fc.constantFrom('Prefix', 'Exact', 'ImplementationSpecific'), fc.constantFrom(...from));

const ingress = (name: string): fc.Arbitrary<IngressParts> =>
  fc.oneof(
    { weight: 3, arbitrary: paths(name, plainPaths, fc.constant({})) },
    {
      weight: 2,
      arbitrary: paths(name, [...plainPaths, ...expressions], fc.constant({ 'use-regex': 'true' } as Annotations)),
    },
    {
      weight: 2,
      arbitrary: paths(
        name,
        [...plainPaths, ...expressions],
        fc.constantFrom(...targets).map((target) => ({ 'rewrite-target': target })),
      ),
    },
    {
      weight: 1,
      arbitrary: paths(
        name,
        plainPaths,
        fc.constantFrom<Annotations>({ 'app-root': '/start' }, { 'permanent-redirect': 'http://z.test/x' }),
      ),
    },
  );

type Annotations = Readonly<Record<string, string>>;

const paths = (
  name: string,
  from: readonly string[],
  annotations: fc.Arbitrary<Annotations>,
): fc.Arbitrary<IngressParts> =>
  fc
    .tuple(fc.uniqueArray(path(from), { minLength: 1, maxLength: 4, selector: ([, each]) => each }), annotations)
    .map(([all, notes]) => ({
      name,
      annotations: notes,
      paths: Object.fromEntries(all.map(([type, each]) => [`${type} ${each}`, 'app'])),
    }));

const host = fc.array(fc.constantFrom('p', 'q', 'r'), { minLength: 1, maxLength: 2 }).chain((names) => {
  const [first = 'p', second] = names;
  return second === undefined || second === first
    ? ingress(first).map((one) => [one])
    : fc.tuple(ingress(first), ingress(second));
});

const piece = fc.constantFrom(
  'a',
  'A',
  'ab',
  'b',
  'bc',
  'c',
  'a.b',
  'axb',
  'a-b',
  'x',
  '.',
  '..',
  '',
  '%61',
  '%2F',
  '%2f%2E%2e%2Fa',
);
const odd = fc.constantFrom(
  '',
  '/',
  '//',
  '%20',
  'a%20b',
  '%3F',
  '%25',
  '%23',
  '+',
  '%C3%A9',
  '%zz',
  '%',
  '%00',
  '"',
  '{x}',
  '%5C',
  '*',
);
const target = fc
  .tuple(
    fc.array(piece, { maxLength: 4 }),
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom('', '/') }, odd),
    fc.constantFrom('', '', '?', '?q=1', '?a=/b/', '?%2F', '#x', '?q#x'),
  )
  .map(([pieces, end, query]) => `/${pieces.join('/')}${end}${query}`);

async function startEcho(t: ExecutionContext): Promise<number> {
  const server = createServer((request, response) => {
    response.end(`${request.headers['x-location']} ${request.url}`);
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Which location an answer is of: the model's own words have its path and form. */
function modelText(model: IngressNginxModel, name: string, answer: ModelAnswer): string {
  if (!answer.forwarded) return [answer.status, answer.location].filter((part) => part !== undefined).join(' ');
  const all = model.servers.all.get(name)?.locations.all ?? [];
  const at = all.findIndex(({ form, path: own }) =>
    answer.reason.includes(`${form === 'regex' ? 'the expression' : `the ${form} path`} ${textOf(own)} takes`),
  );
  return `${at} ${answer.forwarded.target}`;
}

/** nginx takes its configuration, by the model. */
const isTaken = ({ name, model }: { readonly name: string; readonly model: IngressNginxModel }): boolean =>
  model.servers.all.get(name)?.locations.fault === undefined;

const tried = 80;
const seed = Math.floor(Math.random() * 2 ** 31);

test(`nginx and the model agree on paths, expressions, rewrites and redirects (seed ${seed})`, async (t) => {
  const worlds = fc.sample(host, { numRuns: tried, seed }).map((ingresses, at) => {
    const name = `h${at}.test`;
    const model = modelOf(ingresses.map((one) => ({ ...one, host: name })));
    return { name, model, ingresses };
  });
  const backend = await startEcho(t);
  const servers = worlds
    .filter(isTaken)
    .map(
      ({ name, model }) => `server { listen $PORT; server_name ${name}; ${locationsText(model, name, () => backend)} }`,
    );
  const { port } = await startNginx(t, servers.join('\n'));
  const requests = fc.sample(target, { numRuns: tried * 12, seed });
  const compared = await Promise.all(
    worlds.filter(isTaken).map(async ({ name, model, ingresses }, at) => {
      const differences: unknown[] = [];
      for (const each of requests.slice(at * 12, at * 12 + 12)) {
        const answer = model.answer({ method: 'GET', scheme: 'http', host: name, target: each, headers: [] });
        const real = await exchange(port, rawRequest(each, [`Host: ${name}`]));
        const text = real.status === 200 ? real.rest : [real.status, ...(real.headers.get('location') ?? [])].join(' ');
        const expected = modelText(model, name, answer);
        if (text !== expected)
          differences.push({ request: each, nginx: text, model: expected, rule: answer.rule, ingresses });
      }
      return differences;
    }),
  );
  t.deepEqual(compared.flat().slice(0, 3), []);
});

const rejected = test.macro({
  exec: async (t: ExecutionContext, ingresses: readonly IngressParts[], locations: string) => {
    t.false(isTaken({ name: 'a.test', model: modelOf(ingresses) }));
    const servers = `server { listen $PORT; server_name a.test; ${locations} }`;
    await t.throwsAsync(startNginx(t, servers), { message: /nginx ended/ });
  },
  title: (name = '') => `neither nginx nor the model takes ${name}`,
});

test(
  'two paths that make one location',
  rejected,
  [{ paths: { '/a': 'one', '/a/': 'two' } }],
  'location /a/ { return 200; } location /a/ { return 200; }',
);

test(
  'an expression with an open parenthesis',
  rejected,
  [{ annotations: { 'use-regex': 'true' }, paths: { 'ImplementationSpecific /a(': 'one' } }],
  'location ~* "^/a(" { return 200; }',
);
