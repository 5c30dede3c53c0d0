import test from 'ava';
import type { Condition } from '../../src/gateway-api/index.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { every } from '../support/repetitions.ts';
import { crowdObjects, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const rule = (path: object) => ({ matches: [{ path }], backendRefs: [{ name: 'web', port: 80 }] });
const prefix = (value: string) => ({ type: 'PathPrefix', value });

/** 1,003 steps in the RE2 of our checks, and 2,005 in Envoy's: only Envoy finds it. */
const large = { type: 'RegularExpression', value: '/.{1000}' };

for (const [title, neighbours, other] of every(2, [
  ['', [], 404],
  // Its good rule is in a part that Envoy takes.
  [', on a host that is cut up too', crowdObjects('h.test', 'web'), 200],
] as const))
  test(`through an agent: a route that only Envoy knows to be bad is left out, reported, and served once it is fixed${title}`, async (t) => {
    const backend = await startBackend(t, (_, response) => response.setHeader('connection', 'close').end('ok'));
    const standalone = await startStandalone({
      'web.yaml': serviceObjects('web', [backend.port]),
      'good.yaml': [routeObject('good', 'h.test', [rule(prefix('/good'))]), ...neighbours],
    });
    t.teardown(() => standalone.stop());
    const { graph, xds } = standalone.control;
    const served = (path: string) =>
      untilFits(
        `${path} to be served`,
        () => send(standalone.port, { host: 'h.test', path }),
        ({ status }) => status === 200,
      );
    const accepted = (): Condition | undefined => {
      const status = graph.statusOf('HTTPRoute', 'default/poison');
      return status && 'parents' in status
        ? status.parents[0]?.conditions.find(({ type }) => type === 'Accepted')
        : undefined;
    };
    await served('/good');

    standalone.write('poison.yaml', routeObject('poison', 'h.test', [rule(large), rule(prefix('/fixed'))]));
    const reported = await untilFits('the route to be rejected', accepted, (found) => found?.status === 'False');
    t.is(reported?.reason, 'UnsupportedValue');
    t.regex(reported?.message ?? '', /program size of \d+ > max program size of 2000/);
    await served('/good');
    // It is reported before the proxy has the rest of the route.
    await untilFits(
      `the good rule to be answered ${other}`,
      () => send(standalone.port, { host: 'h.test', path: '/fixed' }),
      ({ status }) => status === other,
    );

    standalone.write('new.yaml', routeObject('new', 'h.test', [rule(prefix('/new'))]));
    await served('/new');
    await untilFits(
      'the node to be well',
      () => xds.nodes.list()[0],
      (node) => node?.lastConfigStatus === 'ACK' && node.lastAckVersion === graph.snapshot()?.id,
    );
    t.regex(xds.nodes.list()[0]?.lastNackMessage ?? '', /program size/, 'what was rejected can be read later');

    standalone.write('poison.yaml', routeObject('poison', 'h.test', [rule(prefix('/fixed'))]));
    await untilFits('the route to be accepted', accepted, (found) => found?.status === 'True');
    await served('/fixed');
  });
