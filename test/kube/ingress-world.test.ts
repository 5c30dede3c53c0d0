import anyTest, { type TestFn } from 'ava';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { type IngressParts, ingressOf } from '../support/ingress-model.ts';
import { borrowApiServer } from '../support/kube-apiserver/borrow.ts';
import type { KubeApiServer } from '../support/kube-apiserver.ts';
import { fileFor } from '../support/program.ts';

// What decides how an ingress-nginx answers, read from a cluster by the program, with no more than what a reader may do.

const test = anyTest as TestFn<{ api: KubeApiServer }>;
const patient = 600_000;

const controller = `
{apiVersion: v1, kind: Namespace, metadata: {name: ingress-nginx}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: public}, spec: {controller: k8s.io/ingress-nginx}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ingress-nginx}, data: {ssl-redirect: "false"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller, namespace: ingress-nginx}
spec:
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec:
      containers:
        - {name: controller, image: "registry.k8s.io/ingress-nginx/controller:v1.15.1", args: [/nginx-ingress-controller, --configmap=$(POD_NAMESPACE)/settings]}
---
{apiVersion: v1, kind: Service, metadata: {name: shop, namespace: shop}, spec: {ports: [{port: 80}]}}
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: shop-1, namespace: shop, labels: {kubernetes.io/service-name: shop}}, addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], ports: [{port: 80}]}
`;

const served = (parts: IngressParts, className = 'public'): string => {
  const { spec, ...rest } = ingressOf(parts);
  return stringify({ ...rest, spec: { ...spec, ingressClassName: className } });
};

const converted = `
{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: edge, namespace: shop}, spec: {gatewayClassName: gatewright, listeners: [{name: http, port: 80, protocol: HTTP}]}}
---
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: app, namespace: shop}, spec: {parentRefs: [{name: edge}], hostnames: [a.test], rules: [{backendRefs: [{name: shop, port: 80}]}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: shop, namespace: shop}, spec: {ports: [{port: 80}]}}
`;

test.before(async (t) => {
  t.timeout(patient);
  const api = await borrowApiServer({ users: ['stranger'] });
  t.context.api = api;
});
test.after.always(async (t) => {
  await t.context.api?.stop();
});

const compare = (kubeconfig: string, path: string, ...more: readonly string[]) =>
  runCommand([
    'migrate',
    'compare',
    '--offline',
    '--kubeconfig',
    kubeconfig,
    '--converted',
    path,
    '-o',
    'json',
    ...more,
  ]);

test.serial('a cluster without ingress-nginx is exit code 2, and says what to name', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  const path = fileFor(t, converted, 'converted.yaml');
  const { code, stderr } = await compare(api.kubeconfig, path);
  t.is(code, 2);
  t.regex(stderr, /no Deployment or DaemonSet with --configmap or image ingress-nginx; name the class with --class/);
});

test.serial(
  'Ingresses of the controller’s class are compared, with its flags, its ConfigMap and endpoints',
  async (t) => {
    t.timeout(patient);
    const { api } = t.context;
    const path = fileFor(t, converted, 'converted.yaml');
    await api.apply(controller);
    await api.apply(served({ paths: { '/': 'shop' }, tls: ['a.test'] }));
    await api.apply(served({ name: 'foreign', host: 'b.test', paths: { '/': 'shop' } }, 'traefik'));
    await api.apply(served({ name: 'gone', host: 'c.test', paths: { '/': 'gone' } }));
    const { code, stdout, stderr } = await compare(api.kubeconfig, path);
    t.is(code, 1, stderr);
    const { different } = JSON.parse(stdout) as {
      different: {
        request: { scheme: string; host: string; target: string };
        from: { status?: number; reason: string };
      }[];
    };
    const overHttp = different.filter(({ request }) => request.scheme === 'http' && request.target === '/');
    t.false(
      overHttp.some(({ request }) => request.host === 'a.test'),
      'ssl-redirect is off by the ConfigMap',
    );
    t.true(overHttp.some(({ request, from }) => request.host === 'c.test' && from.status === 503));
    t.false(stdout.includes('b.test'));
  },
);

test.serial('what a user may not read is named with the right that lacks', async (t) => {
  t.timeout(patient);
  const { api } = t.context;
  const path = fileFor(t, converted, 'converted.yaml');
  const kubeconfig = fileFor(t, api.kubeConfigOf('stranger').exportConfig(), 'kubeconfig');
  const { code, stderr } = await compare(kubeconfig, path);
  t.is(code, 2);
  t.regex(stderr, /error: may not list Ingress: .*cannot list resource "ingresses".*has a ClusterRole that allows it/);
});
