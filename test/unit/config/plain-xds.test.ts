import test from 'ava';
import { plainAgentWarning, plainXdsWarning, rejectPlainXds } from '../../../src/app/process/plain-xds.ts';
import { type Config, configSchema } from '../../../src/config/index.ts';

const xdsOf = (xds: object): Config['xds'] => configSchema.parse({ xds }).xds;
const warns = (dataplane: object): boolean =>
  plainAgentWarning(configSchema.parse({ dataplane }).dataplane) !== undefined;

test('plain text goes beyond loopback only where it is asked for, and is warned of there', (t) => {
  for (const listen of [':18080', '0.0.0.0:18080', '[::]:18080', '10.0.0.7:18080', 'gateway.example.com:18080']) {
    t.throws(() => rejectPlainXds(xdsOf({ listen })), { message: /^xds\.listen: .*xds\.insecure: true$/ }, listen);
    t.notThrows(() => rejectPlainXds(xdsOf({ listen, insecure: true })), listen);
    t.regex(plainXdsWarning(xdsOf({ listen, insecure: true })) ?? '', /plain text.*xds\.insecure/, listen);
  }
  for (const listen of ['127.0.0.1:18080', '[::1]:18080', 'localhost:18080', '127.0.0.1:0']) {
    t.notThrows(() => rejectPlainXds(xdsOf({ listen })), listen);
    t.is(plainXdsWarning(xdsOf({ listen })), undefined, listen);
  }
});

test('an agent warns of plain text to another machine only', (t) => {
  t.true(warns({ xdsAddress: 'control.example.com:18080' }));
  t.false(warns({ xdsAddress: 'localhost:18080' }));
  t.false(warns({ xdsAddress: 'control.example.com:18080', tls: { caFile: 'ca.crt' } }));
});
