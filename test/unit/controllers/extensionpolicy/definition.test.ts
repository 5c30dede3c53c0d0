import test from 'ava';
import { jsonCrdDir, ownCrdDir } from '../../../../scripts/paths.mjs';
import { pathText } from '../../../../src/sources/index.ts';
import { ownObject } from '../../../support/objects.ts';
import { validatorOf } from '../../../support/validator.ts';

const backendRef = { name: 'guard', port: 9000 };
const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'shop' }];
const policy = (extProc: object | undefined, more: object = {}) =>
  ownObject('ExtensionPolicy', 'p', { targetRefs, ...(extProc && { extProc }), ...more });

async function errorsOf(object: object): Promise<string[]> {
  const verdict = (await validatorOf([jsonCrdDir(), ownCrdDir])).validate(object as never);
  return verdict.result === 'valid' ? [] : verdict.causes.map(({ path, message }) => `${pathText(path)}: ${message}`);
}

const digest = `@sha256:${'0'.repeat(64)}`;
const image = { reference: `r.test:5000/team/guard:1.0${digest}` };
const wasm = { configMapRef: { name: 'code', key: 'module.wasm' } };
const tcp = [{ group: 'gateway.networking.k8s.io', kind: 'TCPRoute', name: 'shop' }];
const bad: readonly (readonly [what: string, extProc: object | undefined, more: object, message: RegExp])[] = [
  ['no extension', undefined, {}, /one of extProc, lua and wasm/],
  ['two extensions', { backendRef }, { lua: { inline: 'x = 1' } }, /one of extProc, lua and wasm/],
  ['a script and a module', undefined, { lua: { inline: 'x = 1' }, wasm }, /one of extProc, lua and wasm/],
  ['a module from nowhere', undefined, { wasm: {} }, /one of configMapRef, image and file/],
  ['a module from two places', undefined, { wasm: { ...wasm, image } }, /one of configMapRef, image and file/],
  ['a file in another directory', undefined, { wasm: { file: '../guard.wasm' } }, /file/],
  ['an absolute file', undefined, { wasm: { file: '/etc/guard.wasm' } }, /file/],
  ['an image without a digest', undefined, { wasm: { image: { reference: 'r.test/guard:1' } } }, /reference/],
  ['an image without a registry', undefined, { wasm: { image: { reference: digest } } }, /reference/],
  ['an image by a URL', undefined, { wasm: { image: { reference: `http://r.test/guard${digest}` } } }, /reference/],
  ['a module without an entry', undefined, { wasm: { configMapRef: { name: 'code' } } }, /configMapRef.*key/],
  ['an entry that cannot be', undefined, { wasm: { configMapRef: { name: 'code', key: 'a/b' } } }, /key/],
  ['a configuration that is no object', undefined, { wasm: { ...wasm, config: 'text' } }, /config/],
  ['a script without text', undefined, { lua: { inline: '' } }, /inline/],
  ['a script from nowhere', undefined, { lua: {} }, /one of inline and configMapRef/],
  [
    'a script from two places',
    undefined,
    { lua: { inline: 'x = 1', configMapRef: { name: 'a' } } },
    /one of inline and configMapRef/,
  ],
  [
    'a script of another namespace',
    undefined,
    { lua: { configMapRef: { name: 'a', namespace: 'other' } } },
    /namespace/,
  ],
  ['a script that is too long', undefined, { lua: { inline: 'x'.repeat(32_769) } }, /inline/],
  ['no processor', {}, {}, /extProc.*backendRef/],
  ['a processor without a port', { backendRef: { name: 'guard' } }, {}, /backendRef.*port/],
  ['an unknown field', { backendRef, mode: 'x' }, {}, /mode/],
  ['a body in full duplex', { backendRef, request: { body: 'FullDuplexStreamed' } }, {}, /request\.body/],
  ['an attribute that could have secrets', { backendRef, request: { attributes: ['metadata'] } }, {}, /attributes/],
  ['headers as an attribute', { backendRef, request: { attributes: ['request.headers'] } }, {}, /attributes/],
  ['metadata of the proxy’s own', { backendRef, metadata: ['gatewright.session'] }, {}, /metadata/],
  ['a timeout that is none', { backendRef, timeout: '0s' }, {}, /is from 1ms to 1h/],
  ['a timeout of no unit', { backendRef, timeout: '1' }, {}, /timeout/],
  ['a status that is none', { backendRef, statusOnError: 599 }, {}, /statusOnError/],
  [
    'a buffered body in shadow',
    { backendRef, shadow: true, response: { body: 'Buffered' } },
    {},
    /in shadow nothing waits/,
  ],
  ['a name of a header with a line break', { backendRef, headers: ['a\nb'] }, {}, /headers/],
  ['a target that is a route of connections', { backendRef }, { targetRefs: tcp }, /targetRefs/],
];
for (const [what, extProc, more, message] of bad)
  test(`the definition rejects ${what}`, async (t) => {
    t.regex((await errorsOf(policy(extProc, more))).join('\n'), message);
  });

test('the definition takes every field', async (t) => {
  const half = { headers: 'Skip', body: 'Streamed', trailers: 'Send' };
  const extProc = {
    backendRef: { ...backendRef, namespace: 'other' },
    request: { ...half, attributes: ['request.path', 'source.address'] },
    response: { ...half, attributes: ['response.code'] },
    headers: ['X-User', ':path'],
    metadata: ['envoy.filters.http.jwt_authn'],
    timeout: '200ms',
    statusOnError: 500,
    shadow: true,
  };
  t.deepEqual(await errorsOf(policy(extProc, { onFailure: 'Allow' })), []);
  t.deepEqual(await errorsOf(policy(undefined, { onFailure: 'Allow', lua: { inline: 'x = 1' } })), []);
  const full = {
    configMapRef: { ...wasm.configMapRef, namespace: 'other' },
    rootId: 'r',
    config: { any: ['thing', 1] },
  };
  t.deepEqual(await errorsOf(policy(undefined, { wasm: full })), []);
  t.deepEqual(await errorsOf(policy(undefined, { wasm: { file: 'guard-1.0.wasm' } })), []);
  const pulled = { image: { ...image, secretRef: { name: 'pull' }, caCertificateRef: { name: 'ca' } } };
  t.deepEqual(await errorsOf(policy(undefined, { wasm: pulled })), []);
});
