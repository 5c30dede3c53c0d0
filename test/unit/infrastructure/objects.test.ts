import type { V1DeploymentSpec, V1ServiceSpec } from '@kubernetes/client-node';
import test from 'ava';
import { deploymentOf } from '../../../src/infrastructure/deployment.ts';
import { serviceOf } from '../../../src/infrastructure/service.ts';
import { serviceAccountOf } from '../../../src/infrastructure/service-account.ts';
import { trustBundleOf } from '../../../src/infrastructure/trust-bundle.ts';
import { gatewayProxies, settings } from './gateway.ts';

const specOf = <T>(object: { readonly spec?: unknown } | undefined): T => object?.spec as T;

test("everything is owned by the Gateway, in its namespace, with its infrastructure's labels and annotations", (t) => {
  const gateway = gatewayProxies({ labels: { team: 'web' }, annotations: { 'example.com/cost': '7' } });
  const deployment = deploymentOf(gateway, settings);
  for (const object of [serviceAccountOf(gateway), deployment, serviceOf(gateway, settings)]) {
    t.like(object?.metadata, {
      name: 'gatewright-edge',
      namespace: 'shop',
      labels: { team: 'web' },
      annotations: { 'example.com/cost': '7', 'gatewright.dev/gateway': 'shop/edge' },
      ownerReferences: [{ kind: 'Gateway', name: 'edge', uid: 'uid-1' }],
    });
  }
  t.like(specOf<V1DeploymentSpec>(deployment).template.metadata, {
    labels: { team: 'web' },
    annotations: { 'example.com/cost': '7' },
  });
});

test('pods pass the restricted pod security standard and hold no API token', (t) => {
  const pod = specOf<V1DeploymentSpec>(deploymentOf(gatewayProxies(), settings)).template.spec;
  t.like(pod, {
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        },
      },
    ],
  });
});

test('a pod may take longer to end than leaving and draining take', (t) => {
  const pod = specOf<V1DeploymentSpec>(deploymentOf(gatewayProxies(), { ...settings, drainSeconds: 60 })).template.spec;
  const preStop = pod?.containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0;
  t.true((pod?.terminationGracePeriodSeconds ?? 0) > preStop + 60);
});

test("the agent's configuration names the Gateway, the control plane and the drain", (t) => {
  const { template } = specOf<V1DeploymentSpec>(deploymentOf(gatewayProxies(), settings));
  const config = JSON.parse(template.metadata?.annotations?.['gatewright.dev/data-plane-config'] ?? '');
  t.deepEqual(config, {
    dataplane: {
      cluster: 'shop/edge',
      xdsAddress: 'gatewright.gatewright-system.svc:18080',
      drainTime: '10s',
      minDrainTime: '5s',
      reusePort: true,
      cache: { directory: '/var/cache/gatewright' },
    },
  });
});

test('the agent is given where names may lead, and what the control plane is called', (t) => {
  const of = (egress: NonNullable<(typeof settings)['egress']>) => {
    const { template } = specOf<V1DeploymentSpec>(deploymentOf(gatewayProxies(), { ...settings, egress }));
    return JSON.parse(template.metadata?.annotations?.['gatewright.dev/data-plane-config'] ?? '');
  };
  const controlPlaneHosts = ['gatewright.gatewright-system.svc', 'gatewright-admin.gatewright-system.svc'];
  const plain = of({ allowedAddresses: [], clusterDomain: 'cluster.local', controlPlaneHosts });
  t.deepEqual([plain.dataplane.controlPlaneHosts, plain.backends], [controlPlaneHosts, undefined]);
  const backends = { allowedAddresses: ['127.0.0.2/32'], clusterDomain: 'corp.test' };
  t.deepEqual(of({ ...backends, controlPlaneHosts }).backends, backends);
});

test('the key for sticky sessions is a Secret that only its proxies read', (t) => {
  const deployment = deploymentOf(gatewayProxies(), { ...settings, sessionSecret: 'session-key' });
  const { template } = specOf<V1DeploymentSpec>(deployment);
  const config = JSON.parse(template.metadata?.annotations?.['gatewright.dev/data-plane-config'] ?? '');
  t.deepEqual(config.sessionPersistence, {
    secretKeyFile: '/etc/gatewright-sessions/key',
    previousSecretKeyFile: '/etc/gatewright-sessions/previous-key',
  });
  t.is(template.spec?.volumes?.find(({ name }) => name === 'session-key')?.secret?.secretName, 'session-key');
  const [container] = template.spec?.containers ?? [];
  const mount = container?.volumeMounts?.find(({ name }) => name === 'session-key');
  t.like(mount, { mountPath: '/etc/gatewright-sessions', readOnly: true });
  const without = specOf<V1DeploymentSpec>(deploymentOf(gatewayProxies(), settings)).template;
  t.false(JSON.stringify(without).includes('session'));
});

test('proxies of a plain-text control plane get neither bundle nor token', (t) => {
  t.is(trustBundleOf(gatewayProxies(), settings), undefined);
  const pod = specOf<V1DeploymentSpec>(deploymentOf(gatewayProxies(), settings)).template.spec;
  t.deepEqual(
    pod?.volumes?.map(({ name }) => name),
    ['config', 'work', 'cache'],
  );
});

test('what a proxy keeps for its next start never comes to the disk of the node', (t) => {
  const pod = specOf<V1DeploymentSpec>(deploymentOf(gatewayProxies(), settings)).template.spec;
  t.deepEqual(pod?.volumes?.find(({ name }) => name === 'cache')?.emptyDir, { medium: 'Memory' });
  const mount = pod?.containers[0]?.volumeMounts?.find(({ name }) => name === 'cache');
  t.is(mount?.mountPath, '/var/cache/gatewright');
});

test('proxies get the trust bundle, and a short-lived token for the control plane only', (t) => {
  const trust = { audience: 'gatewright-xds', bundle: () => 'PEM' };
  const gateway = gatewayProxies({ name: 'x'.repeat(80) });
  const bundle = trustBundleOf(gateway, { ...settings, trust });
  t.like(bundle, { kind: 'ConfigMap', metadata: { namespace: 'shop' }, data: { 'ca.crt': 'PEM' } });
  const { metadata, spec } = specOf<V1DeploymentSpec>(deploymentOf(gateway, { ...settings, trust })).template;
  const volume = spec?.volumes?.find(({ projected }) => projected !== undefined);
  t.deepEqual(volume?.projected?.sources, [
    { configMap: { name: bundle?.metadata.name, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { serviceAccountToken: { audience: 'gatewright-xds', expirationSeconds: 3600, path: 'token' } },
  ]);
  const mount = spec?.containers[0]?.volumeMounts?.find(({ name }) => name === volume?.name);
  t.like(JSON.parse(metadata?.annotations?.['gatewright.dev/data-plane-config'] ?? '').dataplane, {
    tls: { caFile: `${mount?.mountPath}/ca.crt` },
    tokenFile: `${mount?.mountPath}/token`,
  });
});

test('another bundle is another ConfigMap and the same Deployment, so that it restarts no pod', (t) => {
  const withBundle = (text: string) => ({ ...settings, trust: { audience: 'a', bundle: () => text } });
  const gateway = gatewayProxies();
  t.notDeepEqual(trustBundleOf(gateway, withBundle('one')), trustBundleOf(gateway, withBundle('two')));
  t.deepEqual(deploymentOf(gateway, withBundle('one')), deploymentOf(gateway, withBundle('two')));
});

test('listeners are no part of the Deployment, so that their changes restart no pod', (t) => {
  const changed = gatewayProxies({ ports: [{ port: 443, protocol: 'TCP' }], addresses: [{ value: '192.0.2.1' }] });
  t.deepEqual(deploymentOf(changed, settings), deploymentOf(gatewayProxies(), settings));
});

test('the Service has each port and protocol once, whatever the order of listeners', (t) => {
  const http = { port: 80, protocol: 'TCP' } as const;
  const dns = [
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ] as const;
  const service = serviceOf(gatewayProxies({ ports: [http, ...dns, http] }), settings);
  t.deepEqual(
    specOf<V1ServiceSpec>(service).ports?.map(({ name, targetPort }) => [name, targetPort]),
    [
      ['tcp-53', 53],
      ['udp-53', 53],
      ['tcp-80', 80],
    ],
  );
  t.deepEqual(service, serviceOf(gatewayProxies({ ports: [...dns, http] }), settings));
});

test('a Gateway without a port has no Service', (t) => {
  t.is(serviceOf(gatewayProxies({ ports: [] }), settings), undefined);
});

const asked = test.macro((t, addresses: { type?: string; value?: string }[], expected: string | undefined) => {
  t.is(specOf<V1ServiceSpec>(serviceOf(gatewayProxies({ addresses }), settings)).loadBalancerIP, expected);
});
test('one IP address is asked of the load balancer', asked, [{ type: 'IPAddress', value: '192.0.2.1' }], '192.0.2.1');
test('IPAddress is the default type', asked, [{ value: '192.0.2.1' }], '192.0.2.1');
test('an address without a value asks for nothing', asked, [{ type: 'IPAddress' }], undefined);
test('a hostname is not asked for', asked, [{ type: 'Hostname', value: 'example.com' }], undefined);
test('two addresses are not asked for', asked, [{ value: '192.0.2.1' }, { value: '192.0.2.2' }], undefined);

test('the digest changes with the desired state and with nothing else', (t) => {
  const digest = (gateway = gatewayProxies()) =>
    serviceOf(gateway, settings)?.metadata.annotations?.['gatewright.dev/applied'];
  t.is(digest(), digest());
  t.not(digest(), digest(gatewayProxies({ ports: [{ port: 81, protocol: 'TCP' }] })));
});
