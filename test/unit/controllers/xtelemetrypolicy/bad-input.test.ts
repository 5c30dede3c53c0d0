import test from 'ava';
import { jsonCrdDir, ownCrdDir } from '../../../../scripts/paths.mjs';
import { kindModules } from '../../../../src/controllers/index.ts';
import { kindsRead } from '../../../../src/gateway-api/index.ts';
import { Graph } from '../../../../src/graph/index.ts';
import { pathText } from '../../../../src/sources/index.ts';
import { controllerName, gateway, gatewayClass, listener, service, xObject } from '../../../support/objects.ts';
import { validatorOf } from '../../../support/validator.ts';
import { put, someTime } from '../../../support/world.ts';

/* What an XTelemetryPolicy cannot say: by its definition, and by what proxies can do. */

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];
const provider = { backendRef: { name: 'otel', port: 4317 } };
const policy = (tracing: object, refs: readonly object[] = targetRefs) =>
  xObject('XTelemetryPolicy', 'spans', { targetRefs: refs, tracing: { mode: 'Enabled', provider, ...tracing } });

async function errorsOf(object: object): Promise<string> {
  const validator = await validatorOf([jsonCrdDir(), ownCrdDir], kindsRead());
  const verdict = validator.validate(object as never);
  const causes = verdict.result === 'valid' ? [] : verdict.causes;
  return causes.map(({ path, message }) => `${pathText(path)}: ${message}`).join('\n');
}

const attribute = (fields: object) => ({ attributes: [{ name: 'a', ...fields }] });

const rejected: readonly (readonly [what: string, tracing: object, message: RegExp])[] = [
  ['no provider', { provider: undefined }, /provider is required when mode is Enabled/],
  ['a share above one', { samplingRate: { numerator: 101 } }, /numerator must be less than or equal to denominator/],
  ['a share of nothing', { samplingRate: { numerator: 0, denominator: 0 } }, /denominator/],
  ['a negative share', { samplingRate: { numerator: -1 } }, /numerator/],
  ['a format as the name of spans', { spanName: '%REQUEST_HEADER(COOKIE)%' }, /spanName/],
  ['a service with a line break', { serviceName: 'a\nb' }, /serviceName/],
  ['an attribute of nothing', attribute({ sourceType: 'Header' }), /headerName is required/],
  [
    'an attribute of two sources',
    attribute({ sourceType: 'Header', headerName: 'a', literalValue: 'b' }),
    /literalValue is required when/,
  ],
  ['a pseudo header', attribute({ sourceType: 'Header', headerName: ':authority' }), /headerName/],
  [
    'a header for the receiver with a line break',
    { provider: { ...provider, headers: [{ name: 'a', value: 'b\r\nc: d' }] } },
    /headers\[0\]\.value/,
  ],
  ['17 headers', { provider: { ...provider, headers: Array(17).fill({ name: 'a', value: 'b' }) } }, /headers/],
];
for (const [what, tracing, message] of rejected)
  test(`the definition rejects ${what}`, async (t) => {
    t.regex(await errorsOf(policy(tracing)), message);
  });

test('the definition takes a policy without a fault', async (t) => {
  t.is(await errorsOf(policy({})), '');
});

function acceptedOf(object: Parameters<typeof put>[1]): string | undefined {
  const graph = new Graph({ controllerName, kinds: kindModules, bind: (_, port) => ({ address: '127.0.0.1', port }) });
  put(graph, gatewayClass(), gateway('edge', [listener({ name: 'http', port: 80 })]), service('otel', [4317]), object);
  graph.build(someTime);
  const status = graph.statusOf('XTelemetryPolicy', 'default/spans');
  const { conditions = [] } = (status && 'ancestors' in status && status.ancestors[0]) || {};
  const { reason, message } = conditions.find(({ type }) => type === 'Accepted') ?? {};
  return `${reason}: ${message}`;
}

const unable: readonly (readonly [what: string, object: Parameters<typeof put>[1], message: string])[] = [
  [
    'an attribute that is not known',
    policy(attribute({ sourceType: 'Attribute', attributeKey: 'cloud.zone' })),
    'Invalid: tracing.attributes a: cloud.zone is not known here: use one of client.address, http.request.method, http.response.status_code, http.route, url.path, user_agent.original; until then there are no spans by it',
  ],
  [
    'another share where the client has decided',
    policy({ parentBasedSampling: { mode: 'Enabled', samplingRate: { numerator: 1 } } }),
    'Invalid: tracing.parentBasedSampling.samplingRate: what the client decided always holds: leave it out; until then there are no spans by it',
  ],
  [
    'no word for clients',
    policy({ parentBasedSampling: { mode: 'Disabled' } }),
    'Invalid: tracing.parentBasedSampling: what the client decided always holds: leave Disabled out; until then there are no spans by it',
  ],
  [
    'a value that Envoy would format',
    policy({ provider: { ...provider, headers: [{ name: 'x-token', value: '50%' }] } }),
    'Invalid: tracing.provider.headers x-token: a value cannot have a percent sign here; until then there are no spans by it',
  ],
  [
    'a target of another kind',
    policy({}, [...targetRefs, { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }]),
    'TargetNotFound: HTTPRoute web is no Gateway: name a Gateway of group gateway.networking.k8s.io',
  ],
];
for (const [what, object, message] of unable)
  test(`the status says what proxies cannot do of ${what}`, (t) => {
    t.is(acceptedOf(object), message);
  });
