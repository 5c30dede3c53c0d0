import { create } from '@bufbuild/protobuf';
import {
  ApiKeyAuthSchema,
  HttpFilterSchema,
  JwtAuthenticationSchema,
  packAny,
  typeUrls,
} from '../../src/envoy/index.ts';
import * as ir from '../../src/ir/index.ts';
import { signer } from '../../test/support/tokens.ts';
import { TimedClient } from '../access/client.ts';
import { apiKeys, issuer } from '../access/credentials.ts';
import { lowerHalf } from '../support/figures.ts';
import { host, isOfRoutes, keyOf, type Subject, translate, withFilters } from './chain-cost.ts';
import { workersNs } from './process-cost.ts';
import { plainRoutes } from './resources.ts';
import { withEnvoy } from './rig.ts';

const rounds = 60;
const burst = 200;
/** Far more than proxies remember. */
const manyTokens = 2000;

const { jwk, token } = signer('bench');
const claims = { iss: issuer, aud: 'api', groups: ['staff', 'ops'], email: 'ann@example.com' };
const tokens = Array.from({ length: manyTokens }, (_, at) => token({ ...claims, sub: `user-${at}` }));
const jwks = JSON.stringify({ keys: [jwk] });
const bearer = (text = '') => `authorization: Bearer ${text}\r\n`;
let count = 0;
const same = () => bearer(tokens[0]);
const another = () => bearer(tokens[count++ % tokens.length]);
const clients = Object.entries(apiKeys);
const withKey = () => `x-api-key: ${clients[50]?.[1]}\r\n`;

const provider: ir.JwtProvider = {
  id: 'a/b/id',
  issuer,
  audiences: ['api'],
  keys: jwks,
  from: [],
  forwardToken: false,
  claimsToHeaders: [],
};
const demanding = (route: ir.Access) => ({ filters: { access: { route } } });
const jwt = (more: Partial<ir.JwtProvider> = {}) =>
  demanding({ jwt: { optional: false, providers: [{ ...provider, ...more }] } });
const keys = demanding({
  apiKeys: {
    keys: new ir.Sensitive(Buffer.from(JSON.stringify(clients))),
    from: [{ kind: 'header', name: 'x-api-key' }],
    forwardKey: false,
  },
});

/** Envoy's filters as the connection manager has them, without a slot. */
const plainJwt = packAny(
  JwtAuthenticationSchema,
  create(JwtAuthenticationSchema, {
    providers: {
      id: {
        issuer,
        audiences: ['api'],
        jwksSourceSpecifier: { case: 'localJwks', value: { specifier: { case: 'inlineString', value: jwks } } },
        forward: true,
        payloadInMetadata: 'id',
      },
    },
    rules: [
      {
        match: { pathSpecifier: { case: 'prefix', value: '/' } },
        requirementType: {
          case: 'requires',
          value: { requiresType: { case: 'providerName', value: 'id' } },
        },
      },
    ],
  }),
);
const plainKeys = packAny(
  ApiKeyAuthSchema,
  create(ApiKeyAuthSchema, {
    credentials: clients.map(([client, key]) => ({ client, key })),
    keySources: [{ header: 'x-api-key' }],
    forwarding: { hideCredentials: true },
  }),
);

interface AccessSubject extends Omit<Subject, 'port'> {
  readonly headers: () => string;
  /** In front of the filters of routes. */
  readonly plain?: ReturnType<typeof packAny>;
}

const subjects: readonly AccessSubject[] = [
  { name: 'nothing', headers: same },
  { name: 'JWT (RS256), one token', own: jwt(), headers: same },
  { name: 'the same, and its claims are read', own: jwt({ claimsRead: true }), headers: same },
  { name: 'JWT (RS256), another each time', own: jwt(), headers: another },
  { name: 'Envoy’s filter alone, one token', plain: plainJwt, headers: same },
  { name: 'Envoy’s filter alone, another each time', plain: plainJwt, headers: another },
  { name: 'API key of 100', own: keys, headers: withKey },
  { name: 'Envoy’s filter alone, API key of 100', plain: plainKeys, headers: withKey },
];

/** Envoy's CPU time for one request, by what it has to show; all in one Envoy, in turns whose order is drawn. */
export async function measureAccess(): Promise<void> {
  const all = subjects.map((subject, at) => ({ ...subject, port: 100 + at }));
  const made = translate(all);
  const of = (typeUrl: string) => made.filter((resource) => resource.typeUrl === typeUrl);
  const listeners = of(typeUrls.listener).map((listener) => {
    const plain = all.find((subject) => keyOf(subject) === listener.name)?.plain;
    if (!plain) return listener;
    const filter = create(HttpFilterSchema, { name: 'plain', configType: { case: 'typedConfig', value: plain } });
    return withFilters(listener, (filters) => filters.toSpliced(filters.findIndex(isOfRoutes), 0, filter));
  });
  const { listener, routes } = plainRoutes([host]);
  const initial = [
    { typeUrl: typeUrls.listener, resources: [listener, ...listeners] },
    { typeUrl: typeUrls.route, resources: [routes] },
    { typeUrl: typeUrls.scopedRoute, resources: of(typeUrls.scopedRoute) },
    { typeUrl: typeUrls.extension, resources: of(typeUrls.extension) },
  ];
  await withEnvoy(initial, async ({ envoy }) => {
    const asked = await Promise.all(
      all.map(async (subject) => ({
        ...subject,
        client: await TimedClient.open(await envoy.port(keyOf(subject))),
        costs: [] as number[],
      })),
    );
    for (let round = 0; round < rounds; round += 1)
      for (const { client, costs, port, headers } of asked.toSorted(() => Math.random() - 0.5)) {
        const before = workersNs(envoy.pid);
        await client.burst(burst, () => `GET /a HTTP/1.1\r\nHost: ${host}:${port}\r\n${headers()}\r\n`);
        costs.push((workersNs(envoy.pid) - before) / 1e3 / burst);
      }
    for (const { client } of asked) client.close();
    const nothing = lowerHalf(asked[0]?.costs ?? []);
    for (const { name, costs } of asked) {
      const us = lowerHalf(costs);
      console.log(JSON.stringify({ name, cpuUs: us.toFixed(2), moreUs: (us - nothing).toFixed(2) }));
    }
  });
}
