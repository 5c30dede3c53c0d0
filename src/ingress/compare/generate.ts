import { Annotations, readList } from '../model/annotations.ts';
import { canaryOf } from '../model/canary.ts';
import { orderedIngresses } from '../model/servers.ts';
import { readSettings } from '../model/settings.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';
import { type AskedRequest, distinct } from './asked-request.ts';

type Variation = Pick<AskedRequest, 'because'> & Partial<AskedRequest>;

const plain = { method: 'GET', scheme: 'http', headers: [] } as const;

/**
 * Requests at the edges of what the Ingresses of a world say: of each path, and what lies just beside it; of each host; of canaries, origins and sizes.
 * Each once, in the order of the Ingresses.
 */
export function* generateRequests(world: World): Generator<AskedRequest> {
  yield* distinct(everything(world));
}

function* everything(world: World): Generator<AskedRequest> {
  for (const ingress of orderedIngresses(world)) {
    for (const { host, http } of ingress.spec.rules ?? []) {
      const name = concreteHost(host);
      if (name === undefined) continue;
      for (const { path = '/' } of http?.paths ?? []) {
        const target = samplePath(path);
        for (const each of pathEdges(target))
          yield { ...plain, host: name, target, ...each, because: `path ${path}: ${each.because}` };
        for (const each of annotationEdges(ingress, world)) yield { ...plain, host: name, target, ...each };
      }
      for (const each of hostEdges(name)) yield { ...plain, host: name, target: '/', ...each };
    }
  }
}

/** A name that a wildcard stands for. Undefined: every host. */
function concreteHost(host: string | undefined): string | undefined {
  if (host === undefined || host === '') return undefined;
  return host.startsWith('*.') ? `probe${host.slice(1)}` : host;
}

/** A path that an expression takes, as far as that is plain to see. */
function samplePath(path: string): string {
  const text = path
    .replaceAll(/\(\?[^)]*\)/g, '')
    .replaceAll(/\(\/\|\$\)/g, '/')
    .replaceAll(/\(?\.[*+]\??\)?/g, 'x')
    .replaceAll(/\[[^\]]*\][*+?]?/g, 'a')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/[()^$|*+?{}]/g, '');
  return text.startsWith('/') ? encodeURI(text) : `/${encodeURI(text)}`;
}

function* pathEdges(target: string): Generator<Variation> {
  const bare = target === '/' ? '' : target.replace(/\/$/, '');
  yield { because: 'itself' };
  yield { because: 'with a query', target: `${target}?probe=1` };
  yield { because: 'a query with a slash at its end', target: `${target}?probe=1/` };
  yield { because: 'a slash more or less', target: target.endsWith('/') && target !== '/' ? bare : `${bare}/` };
  yield { because: 'below it', target: `${bare}/probe` };
  yield { because: 'a longer segment', target: `${bare}probe` === 'probe' ? '/probe' : `${bare}probe` };
  yield { because: 'in the other case', target: otherCase(target) };
  yield {
    because: 'an escaped slash below',
    target: `${bare}%2Fprobe` === '%2Fprobe' ? '/%2Fprobe' : `${bare}%2Fprobe`,
  };
  yield { because: 'two slashes', target: `/${target}` };
  yield {
    because: 'a letter escaped',
    target: target.replace(/[a-z](?=[^/]*$)/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  };
  yield { because: 'with HEAD', method: 'HEAD' };
  yield { because: 'over HTTPS', scheme: 'https' };
  yield { because: 'below it over HTTPS', scheme: 'https', target: `${bare}/probe` };
}

const otherCase = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase());

function* hostEdges(host: string): Generator<Variation> {
  const other = host.startsWith('www.') ? host.slice(4) : `www.${host}`;
  yield { because: `host ${host}: the other name`, host: other, target: '/probe/' };
  yield { because: `host ${host}: with a dot at its end`, host: `${host}.` };
  yield { because: `host ${host}: in capitals`, host: host.toUpperCase() };
  yield { because: `host ${host}: one label more`, host: `probe.${host}` };
  yield { because: `host ${host}: over HTTPS`, scheme: 'https' };
  yield {
    because: `host ${host}: as a challenge for a certificate`,
    target: '/.well-known/acme-challenge/probe',
  };
}

function* annotationEdges(ingress: Ingress, world: World): Generator<Variation> {
  const all = new Annotations(ingress, world.controller);
  yield* canaryEdges(all);
  if (all.flag('enable-cors')) yield* corsEdges(all);
  const limit = all.text('proxy-body-size');
  if (limit === undefined) return;
  const { bodyLimit } = readSettings({
    ...world,
    controller: { ...world.controller, settings: { 'proxy-body-size': limit } },
  });
  if (bodyLimit === 0 || bodyLimit > largestBody) return;
  yield { because: `a body of ${bodyLimit} bytes, the limit`, method: 'POST', bodyBytes: bodyLimit };
  yield { because: `a body of ${bodyLimit + 1} bytes, above the limit`, method: 'POST', bodyBytes: bodyLimit + 1 };
}

/** No larger one is sent. */
const largestBody = 16 * 2 ** 20;

function* canaryEdges(all: Annotations): Generator<Variation> {
  const canary = canaryOf(all);
  if (canary === undefined) return;
  const { header, cookie, value: own = 'always' } = canary;
  const values = new Set(['always', 'never', 'probe', own]);
  for (const value of values) {
    if (header !== undefined) yield { because: `the canary’s header ${header}: ${value}`, headers: [[header, value]] };
    if (cookie !== undefined)
      yield { because: `the canary’s cookie ${cookie}=${value}`, headers: [['cookie', `${cookie}=${value}`]] };
  }
  if (header !== undefined && cookie !== undefined)
    yield {
      because: 'header never, cookie always',
      headers: [
        [header, 'never'],
        ['cookie', `${cookie}=always`],
      ],
    };
}

function* corsEdges(all: Annotations): Generator<Variation> {
  const allowed = readList(all.text('cors-allow-origin') ?? 'https://probe.example').map((origin) =>
    origin === '*' ? 'https://probe.example' : origin.replace('*', 'probe'),
  );
  const origins = [
    ...allowed,
    ...allowed.map((origin) => origin.replace('://', '://more.')),
    'https://stranger.invalid',
  ];
  for (const origin of new Set(origins)) {
    const preflight = [
      ['origin', origin],
      ['access-control-request-method', 'GET'],
    ] as const;
    yield { because: `from the origin ${origin}`, headers: [['origin', origin]] };
    yield { because: `a preflight from ${origin}`, method: 'OPTIONS', headers: preflight };
    yield { because: `OPTIONS from ${origin}`, method: 'OPTIONS', headers: [['origin', origin]] };
  }
}
