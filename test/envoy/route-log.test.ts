import test from 'ava';
import { ofGateway, ofRoutes, paths, startLogged } from '../support/logged-world.ts';

/** `accessLog` of TrafficPolicies: which requests of a route are logged. And `cel` among the conditions of an access log. */

test('routes say which of their requests are logged, redirects among them, within what the listener logs', async (t) => {
  const { apply, loggedOf } = await startLogged(t, { byRoute: true });
  t.is((await loggedOf('all')).length, 4);
  await apply(ofRoutes({ enabled: false }));
  t.deepEqual(await loggedOf('none'), []);
  await apply(ofRoutes({ enabled: true, tags: [{ name: 'team', value: 'shop' }] }));
  t.deepEqual(
    (await loggedOf('tags')).map(({ 'gatewright.tags': tags }) => tags),
    Array.from({ length: 4 }, () => ({ team: 'shop' })),
  );
  await apply(ofRoutes({ enabled: true, minStatus: 300, maxStatus: 399 }));
  t.deepEqual(paths(await loggedOf('codes')), ['exact.test/moved/codes', 'late.wide.test/moved/codes']);
  await apply(ofRoutes({ enabled: true, minDuration: '1h' }));
  t.deepEqual(await loggedOf('slow'), []);
  await apply(ofRoutes({ enabled: true, minDuration: '0s', minStatus: 200 }));
  t.is((await loggedOf('again')).length, 4);
  await apply(ofRoutes({ enabled: false }), ofGateway({ enabled: true }, 'Default'));
  t.deepEqual(await loggedOf('lower'), []);
  await apply(ofGateway({ enabled: true }, 'Override'));
  t.is((await loggedOf('upper')).length, 4);
});

test('expressions say which requests are logged, and what goes wrong in one does not hold', async (t) => {
  const cel =
    "response.code == 200 && request.headers['x-none'] == 'a' || request.url_path.startsWith('/moved') || request.url_path.startsWith('/last')";
  const late = "request.duration < duration('1h') && request.host.startsWith('late') && response.flags == 0";
  const { loggedOf } = await startLogged(t, { when: [{ minStatus: 500 }, { cel }, { cel: late }] });
  t.deepEqual(paths(await loggedOf('cel')), ['exact.test/moved/cel', 'late.wide.test/cel', 'late.wide.test/moved/cel']);
});
