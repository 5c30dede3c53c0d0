import test from 'ava';
import { type Line, ofGateway, ofRoutes, startLogged } from '../support/logged-world.ts';

/* A tenant whose requests the operator logs, and who would rather have none of them logged. */

test('a tenant’s policy hides no request where the listener does not let routes decide, and where the Gateway’s policy overrides', async (t) => {
  const { apply, loggedOf } = await startLogged(t, {});
  await apply(ofRoutes({ enabled: false }, 'Override'));
  const lines = await loggedOf('closed');
  t.is(lines.length, 4);
  t.false('gatewright.tags' in (lines[0] as Line));
  const open = await startLogged(t, { byRoute: true });
  await open.apply(ofGateway({ enabled: true }, 'Override'), ofRoutes({ enabled: false }, 'Override'));
  t.is((await open.loggedOf('overridden')).length, 4);
});
