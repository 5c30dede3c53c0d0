import type { V1Service } from '@kubernetes/client-node';
import test from 'ava';
import type { DataPlaneSpec } from '../../../src/gateway-api/index.ts';
import type { InfrastructureSettings } from '../../../src/infrastructure/index.ts';
import { serviceOf } from '../../../src/infrastructure/service.ts';
import { type LiveService, serviceAddresses } from '../../../src/infrastructure/service-addresses.ts';
import { gatewayProxies, settings } from './gateway.ts';

const [ofNetwork, ofInternet] = ['gatewright.dev/Private', 'gatewright.dev/Public'];
const internal = { 'cloud.example/internal': 'true' };
const loadBalancer = {
  addressAnnotations: [],
  privateAnnotations: internal,
  publicAnnotations: { 'cloud.example/ip': 'x' },
};
const common: InfrastructureSettings = { ...settings, loadBalancer };

interface Asked {
  readonly addresses?: readonly { readonly type?: string; readonly value?: string; readonly routability?: string }[];
  readonly service?: DataPlaneSpec['service'];
  readonly annotations?: Readonly<Record<string, string>>;
}
const proxies = ({ addresses = [], service, annotations = {} }: Asked) =>
  gatewayProxies({ addresses, annotations, parameters: service ? { service } : {} });
const plan = (asked: Asked, live?: LiveService, of = common) => serviceAddresses(proxies(asked), of, live);
const made = (asked: Asked, live?: LiveService, of = common) =>
  serviceOf(proxies(asked), of, live) as unknown as V1Service;

test('several addresses are asked for by the annotations that the platform has for them', (t) => {
  const addresses = [{ value: '192.0.2.1' }, { value: 'fd00::1' }, {}];
  const byAnnotation = { ...common, loadBalancer: { ...loadBalancer, addressAnnotations: ['lb.example/ips'] } };
  const { metadata, spec } = made({ addresses }, undefined, byAnnotation);
  t.is(metadata?.annotations?.['lb.example/ips'], '192.0.2.1,fd00::1');
  t.is(spec?.loadBalancerIP, undefined);
  t.is(plan({ addresses }, undefined, byAnnotation).problem, undefined);
  t.regex(plan({ addresses }).problem ?? '', /192\.0\.2\.1 and fd00::1.*addressAnnotations/);
  t.is(plan({ addresses }).spec.loadBalancerIP, undefined, 'none of the two is chosen');
});

test('addresses of the parameters are asked for where the Gateway names none', (t) => {
  const service = { addresses: ['192.0.2.5'] };
  t.is(made({ service }).spec?.loadBalancerIP, '192.0.2.5');
  t.is(made({ service, addresses: [{}] }).spec?.loadBalancerIP, '192.0.2.5');
  t.is(made({ service, addresses: [{ value: '192.0.2.1' }] }).spec?.loadBalancerIP, '192.0.2.1');
});

test('no Gateway gets an address by externalIPs, which would take those of others', (t) => {
  for (const type of ['LoadBalancer', 'NodePort', 'ClusterIP'] as const) {
    const { spec } = made({ service: { type }, addresses: [{ value: '10.0.0.1' }] });
    t.is(spec?.externalIPs, undefined, type);
  }
});

test('a Gateway of the cluster alone has a ClusterIP, the one it asks for if it asks for one', (t) => {
  t.like(made({ addresses: [{ routability: 'Cluster' }] }).spec, { type: 'ClusterIP', clusterIP: undefined });
  t.like(made({ addresses: [{ routability: 'Cluster', value: '10.0.0.7' }] }).spec, {
    type: 'ClusterIP',
    clusterIP: '10.0.0.7',
    clusterIPs: ['10.0.0.7'],
  });
  const byParameters: Asked = { service: { routability: 'Cluster' }, addresses: [{ value: '10.0.0.7' }] };
  t.like(made(byParameters).spec, { type: 'ClusterIP', clusterIP: '10.0.0.7' });
  t.is(plan(byParameters).routability, 'Cluster');
});

test('one of both has a load balancer, and a ClusterIP beside it', (t) => {
  const addresses = [{ value: '192.0.2.1' }, { routability: 'Cluster', value: '10.0.0.7' }];
  t.like(made({ addresses }).spec, { type: 'LoadBalancer', loadBalancerIP: '192.0.2.1', clusterIP: '10.0.0.7' });
});

test('a ClusterIP that is there is never asked to be another, so that no other change is rejected with it', (t) => {
  const asked: Asked = { addresses: [{ routability: 'Cluster', value: '10.0.0.7' }] };
  const live = { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] };
  t.is(made(asked, live).spec?.clusterIP, undefined);
  t.regex(plan(asked, live).problem ?? '', /ClusterIP 10\.0\.0\.1, which Kubernetes does not change to 10\.0\.0\.7/);
  const both = { clusterIP: '10.0.0.7', clusterIPs: ['10.0.0.7', 'fd00::7'] };
  t.like(made(asked, both).spec, both);
  t.is(plan(asked, both).problem, undefined);
});

test('a load balancer is private or public as the platform has it', (t) => {
  const of = (routability: string) => made({ addresses: [{ routability }] });
  t.is(of(ofNetwork).spec?.type, 'LoadBalancer');
  t.is(of(ofNetwork).metadata?.annotations?.['cloud.example/internal'], 'true');
  t.is(of(ofNetwork).metadata?.annotations?.['cloud.example/ip'], undefined);
  t.is(of(ofInternet).metadata?.annotations?.['cloud.example/ip'], 'x');
  t.is(made({}).metadata?.annotations?.['cloud.example/ip'], undefined, 'by default it is as the platform has it');
  t.is(made({ service: { routability: 'Private' } }).metadata?.annotations?.['cloud.example/internal'], 'true');
});

test('of private and public the private one holds, and a class that is private stays so', (t) => {
  const both = [{ routability: ofInternet }, { routability: ofNetwork }];
  t.is(plan({ addresses: both }).routability, ofNetwork);
  t.is(plan({ addresses: [both[0] ?? {}], service: { routability: 'Private' } }).routability, ofNetwork);
  t.is(plan({ addresses: [both[0] ?? {}], service: { routability: 'Cluster' } }).type, 'ClusterIP');
  t.is(
    plan({ addresses: [{ routability: ofInternet, value: '192.0.2.1' }, both[1] ?? {}] }).spec.loadBalancerIP,
    undefined,
  );
});

test('where the configuration does not say how load balancers are private, none is made', (t) => {
  const asked: Asked = { addresses: [{ routability: ofNetwork }] };
  t.is(made(asked, undefined, settings).spec?.type, 'ClusterIP');
  t.regex(plan(asked, undefined, settings).problem ?? '', /infrastructure\.loadBalancer\.privateAnnotations/);
  const allAre = { ...settings, loadBalancer: { ...loadBalancer, privateAnnotations: {} } };
  t.is(made(asked, undefined, allAre).spec?.type, 'LoadBalancer');
});

test("no annotation of users takes the place of the platform's, which keep a load balancer private", (t) => {
  const opposite = { 'cloud.example/internal': 'false' };
  const { metadata } = made({
    annotations: opposite,
    service: { routability: 'Private', annotations: opposite },
  });
  t.is(metadata?.annotations?.['cloud.example/internal'], 'true');
});

test('all that is said of the Service stays when its scope changes', (t) => {
  const service: DataPlaneSpec['service'] = {
    annotations: { team: 'web' },
    labels: { tier: 'edge' },
    internalTrafficPolicy: 'Local',
    sessionAffinity: 'ClientIP',
  };
  for (const routability of ['Public', 'Private', 'Cluster'] as const) {
    const { metadata, spec } = made({ service: { ...service, routability } });
    t.like(metadata, { annotations: { team: 'web' }, labels: { tier: 'edge' } }, routability);
    t.like(spec, { internalTrafficPolicy: 'Local', sessionAffinity: 'ClientIP', ports: [{ port: 80 }] }, routability);
  }
});
