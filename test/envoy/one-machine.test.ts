import test from 'ava';
import { runCommand } from '../support/command.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const second = (port: number) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'second' },
  spec: { gatewayClassName: 'gatewright', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
});

test('two Gateways of a directory on one port: the younger says whose it is, Envoy is not asked, and it serves when it can', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const { port, control, log } = gateway;
  gateway.write('web.yaml', ...(await gateway.backend('web')));
  const route = routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]);
  gateway.write('route.yaml', {
    ...route,
    spec: { ...(route as { spec: object }).spec, parentRefs: [{ name: 'second' }] },
  });
  gateway.write('second.yaml', second(port));
  const env = { GATEWRIGHT_SERVER: `http://127.0.0.1:${control.ports.layout1}` };
  const status = await untilFits(
    'the Gateway to be judged',
    () => runCommand(['status'], env),
    ({ stdout }) => stdout.includes(`Port ${port} is Gateway default/edge's`),
  );
  t.is(status.code, 1);
  t.regex(
    status.stdout,
    /\nlistener default\.second\.http: PortUnavailable: Port \d+ is Gateway default\/edge's, which is older, .*\n/,
  );
  t.is(status.stdout.split(`Port ${port} is`).length, 2, status.stdout);
  const said = () => log.filter(({ msg }) => String(msg).includes(`Port ${port} is Gateway default/edge's`));
  await untilFits('the log to say so', said, (lines) => lines.length > 0);
  t.is(said().length, 1);
  t.is(String(said()[0]?.msg).split(`Port ${port} is`).length, 2, 'in one line once');
  t.false(log.some((line) => JSON.stringify(line).includes('Address already in use')));

  const files = ['translate', 'validate'].map((command) =>
    runCommand(command === 'translate' ? [command, '-f', gateway.directory] : [command, gateway.directory], env),
  );
  for (const { code, stderr, stdout } of await Promise.all(files)) {
    t.is(code, 0, stdout + stderr);
    t.regex(
      stderr,
      /^note: port \d+ is wanted by Gateways default\/edge and default\/second; with `gatewright run`, on one machine,/m,
    );
  }

  const answers = () => gateway.get('web.test').catch(() => ({ status: 0 }));
  const { status: answered } = await untilFits('the older one to answer', answers, ({ status }) => status !== 0);
  t.is(answered, 404, 'the older one has no such route');
  gateway.remove('gateway.yaml');
  gateway.write('class.yaml', gateway.gatewayObjects[0] as object);
  await untilFits('the other one to serve', answers, ({ status }) => status === 200);
});
