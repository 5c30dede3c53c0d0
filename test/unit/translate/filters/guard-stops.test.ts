import test from 'ava';
import { ExtAuthzSchema } from '../../../../src/envoy/index.ts';
import * as ir from '../../../../src/ir/index.ts';
import { demandsOf } from '../../../../src/translate/chains/demands.ts';
import { translateGuards } from '../../../../src/translate/chains/guards.ts';
import { guardLists } from '../../../../src/translate/filters/index.ts';
import { backendKey, forwardAuthBy } from '../../../support/ir.ts';

/** Where requests wait, what a table demands stands at stops of its chain. Behind a filter that waits nothing of a stop runs. */

const forwardAuth: ir.ForwardAuth = forwardAuthBy('auth', { timeoutMs: 1000, statusOnError: 503 });
const basicAuth: ir.BasicAuth = { htpasswd: new ir.Sensitive(Buffer.from('ann:$2y$05$a')), hashed: true };
const oidc: ir.Oidc = {
  session: 's',
  server: backendKey('provider'),
  endpoints: { authorization: 'https://p.test/a', token: 'https://p.test/t' },
  clientId: 'c',
  scopes: ['openid'],
  redirectPath: '/oauth2/callback',
  cookies: { prefix: 'gw' },
  denyRedirect: [],
  passThrough: [],
  forward: { accessToken: false, cookies: false },
};
const waiting: ir.Access = {
  oidc,
  forwardAuth,
  basicAuth,
  authorization: { default: 'Deny', rules: [] },
  clientIPs: { deny: [{ address: '10.0.0.0', prefixLength: 8 }] },
};

const guards = (access: ir.Access, levels: readonly ir.TableLevel[] = ir.tableLevels): ir.TableGuards => ({
  demands: levels.map((level) => ({ level, source: `infra/${level}`, overridable: [], ...access })),
});
const waits = ['oidc', 'basicAuth', 'forwardAuth'];
const slots: ReadonlySet<string> = new Set();

test('whatever the levels of a table demand that waits, there are stops for it', (t) => {
  const lists = guardLists({ own: guards(waiting), former: [], slots });
  const filters = [...(lists?.values() ?? [])].flatMap((list) => list.filters);
  for (const part of waits) t.is(filters.filter(({ name }) => name === part).length, 3, part);
});

test('a filter that waits is the last of its stop', (t) => {
  const lists = guardLists({ own: guards(waiting), former: [], slots });
  for (const { filters } of lists?.values() ?? [])
    for (const name of waits)
      t.true([-1, filters.length - 1].includes(filters.findIndex((filter) => filter.name === name)));
});

test('what was demanded before lets no request in where there are too few stops for it', (t) => {
  const former = Array.from({ length: 3 }, (_, index) =>
    guards({ forwardAuth: { ...forwardAuth, timeoutMs: index + 1 } }, ['gateway']),
  );
  const own = guards(waiting, ['gateway', 'listener']);
  t.is(guardLists({ own, former, slots }), undefined);
  const published = translateGuards({ id: 'http/80', access: own });
  const before = former.flatMap(demandsOf);
  const asking = (demands: typeof before): number => {
    const [edition] = published.slots?.with([], demands).slots?.lists.values() ?? [];
    return edition?.filters.filter(({ typedConfig }) => asksServer(typedConfig.value)).length ?? 0;
  };
  t.is(asking(before.slice(0, 1)), asking([]) + 1);
  t.is(asking(before), asking([]));
});

const asksServer = (bytes: Uint8Array): boolean => Buffer.from(bytes).includes(ExtAuthzSchema.typeName);
