import test from 'ava';
import { egressOf } from '../../../src/app/data-plane/egress-of.ts';
import { controlPlaneHosts } from '../../../src/app/operator/control-plane-hosts.ts';
import { ConfigError, loadConfig } from '../../../src/config/index.ts';
import { fileFor } from '../../support/program.ts';

test('where names may lead is read from the file, with the name servers that are asked', (t) => {
  const file = fileFor(
    t,
    `
backends: {allowedAddresses: [127.0.0.2/32, "fe80::/64"], clusterDomain: corp.test}
dataplane: {controlPlaneHosts: [gw.test], nameServers: ["10.96.0.10:53", "[fd00::10]:5353"]}
`,
  );
  t.deepEqual(egressOf(loadConfig(file, {})), {
    allowedAddresses: ['127.0.0.2/32', 'fe80::/64'],
    clusterDomain: 'corp.test',
    controlPlaneHosts: ['gw.test'],
    nameServers: [
      { address: '10.96.0.10', port: 53 },
      { address: 'fd00::10', port: 5353 },
    ],
  });
  t.deepEqual(egressOf(loadConfig(undefined, {})), { allowedAddresses: [], clusterDomain: 'cluster.local' });
});

test('a name server that is a name is rejected', (t) => {
  const file = fileFor(t, 'dataplane: {nameServers: ["dns.test:53"]}');
  t.throws(() => egressOf(loadConfig(file, {})), { instanceOf: ConfigError, message: /dns\.test is a name/ });
});

test('the control plane is known by all of its Services', (t) => {
  const of = (text: string) => controlPlaneHosts(loadConfig(fileFor(t, text), {}));
  t.deepEqual(of('infrastructure: {xdsAddress: "gw.sys.svc:18080"}\nreplicas: {service: "peers.sys.svc:18081"}'), [
    'gw.sys.svc',
    'gw-admin.sys.svc',
    'gw-replicas.sys.svc',
    'peers.sys.svc',
  ]);
  t.deepEqual(of('infrastructure: {xdsAddress: "10.0.0.7:18080"}'), ['10.0.0.7']);
});
