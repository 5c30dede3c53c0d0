import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isServed, readWorldFiles, readyEndpoints } from '../../../src/ingress/index.ts';

async function read(t: ExecutionContext, text: string, options: Parameters<typeof readWorldFiles>[1] = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-ingress-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'world.yaml'), text);
  const { findings, ...rest } = await readWorldFiles([folder], options);
  const words = findings.map(({ line, column, object, path, message }) =>
    [`${line}:${column}`, object, path, message].filter(Boolean).join(' '),
  );
  return { ...rest, words };
}

const ingress = (name: string, more = '', spec = '  rules: []') => `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  namespace: shop
${more}
spec:
${spec}
---`;

const controller = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ingress-nginx-controller, namespace: ingress-nginx}
spec:
  template:
    spec:
      containers:
        - image: registry.k8s.io/ingress-nginx/controller:v1.15.1@sha256:0
          args:
            - /nginx-ingress-controller
            - --configmap=$(POD_NAMESPACE)/settings
            - --ingress-class=edge
            - --controller-class=example.com/edge
            - --watch-ingress-without-class
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ingress-nginx}
data: {hsts: "false"}
---`;

test('a Deployment says how the controller is started, and its ConfigMap what is set', async (t) => {
  const { world } = await read(t, controller);
  t.is(world.controller.workload?.key, 'ingress-nginx/ingress-nginx-controller' as never);
  t.is(world.controller.className, 'edge');
  t.is(world.controller.controllerClass, 'example.com/edge');
  t.deepEqual(world.controller.settings, { hsts: 'false' });
  t.is(world.controller.flags.get('watch-ingress-without-class'), 'true');
});

test('an admission job and an unrelated Deployment are no controllers', async (t) => {
  const other = (image: string, args: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${args.replaceAll(/\W/g, 'x')}, namespace: ingress-nginx}
spec: {template: {spec: {containers: [{image: "${image}", args: ["${args}"]}]}}}
---`;
  const { world } = await read(
    t,
    [
      other('registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.0', 'create'),
      other('registry.k8s.io/defaultbackend-amd64:1.5', '--port=80'),
      other('nginx:1.29', '--configmap=a/b'),
    ].join('\n'),
  );
  t.is(world.controller.workload, undefined);
});

test('of several controllers the class names one, and the others are named', async (t) => {
  const second = controller
    .replaceAll('ingress-nginx-controller', 'internal')
    .replaceAll('--ingress-class=edge', '--ingress-class=internal');
  const { world } = await read(t, `${controller}${second}`, { className: 'internal' });
  t.is(world.controller.workload?.key, 'ingress-nginx/internal' as never);
  t.deepEqual(world.otherControllers, ['ingress-nginx/ingress-nginx-controller' as never]);
});

test('without a workload the chart’s ConfigMap counts, or the one that is named', async (t) => {
  const map = (name: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: ingress-nginx}
data: {from: ${name}}
---`;
  const text = `${map('ingress-nginx-controller')}${map('other')}`;
  t.deepEqual((await read(t, text)).world.controller.settings, { from: 'ingress-nginx-controller' });
  const named = await read(t, text, { configMap: 'ingress-nginx/other' });
  t.deepEqual(named.world.controller.settings, { from: 'other' });
});

const classes = `
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public}
spec: {controller: example.com/edge}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: edge}
spec: {controller: traefik.io/ingress-controller}
---`;

test('a controller serves Ingresses by class, annotation, or without either when it is started so', async (t) => {
  const annotated = (value: string) => `  annotations: {kubernetes.io/ingress.class: "${value}"}`;
  const { world } = await read(
    t,
    [
      controller,
      classes,
      ingress('by-class', '', '  ingressClassName: public'),
      ingress('by-foreign-class', '', '  ingressClassName: edge'),
      ingress('by-unknown-class', '', '  ingressClassName: nothing'),
      ingress('by-annotation', annotated('edge')),
      ingress('by-empty-annotation', annotated('')),
      ingress('by-foreign-annotation', annotated('traefik')),
      ingress('field-before-annotation', annotated('edge'), '  ingressClassName: edge'),
      ingress('without'),
    ].join('\n'),
  );
  const served = world.ingresses.filter((each) => isServed(world, each)).map(({ metadata }) => metadata.name);
  t.deepEqual(served, ['by-annotation', 'by-class', 'by-empty-annotation', 'without']);
});

test('an Ingress in a file without a class gets the default one, as the API server would give it', async (t) => {
  const standard = classes.replace(
    '{name: public}',
    '{name: public, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}',
  );
  const { world } = await read(t, `${standard}${ingress('without')}`);
  t.is(world.ingresses[0]?.spec.ingressClassName, 'public');
});

test('a class that is not among the files is the controller’s by its name', async (t) => {
  const { world } = await read(
    t,
    `${ingress('a', '', '  ingressClassName: nginx')}${ingress('b', '', '  ingressClassName: traefik')}`,
  );
  t.deepEqual(
    world.ingresses.map((each) => isServed(world, each)),
    [true, false],
  );
});

test('endpoints that are ready count; without slices nothing is known of them', async (t) => {
  const slice = `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
endpoints:
  - {addresses: [10.0.0.1]}
  - {addresses: [10.0.0.2], conditions: {ready: false}}
---`;
  const { world } = await read(t, slice);
  t.is(readyEndpoints(world, 'shop/web' as never), 1);
  t.is(readyEndpoints(world, 'shop/gone' as never), 0);
  t.is(readyEndpoints((await read(t, ingress('a'))).world, 'shop/web' as never), 'unknown');
});

test('what cannot be read is named with its place, and the rest is read', async (t) => {
  const { world, words } = await read(
    t,
    `${ingress('good')}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: bad, namespace: shop}
spec:
  rules:
    - host: 12
---
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: old, namespace: shop}
---
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: foreign}
---
{unfinished`,
  );
  t.deepEqual(
    world.ingresses.map(({ metadata }) => metadata.name),
    ['good'],
  );
  t.is(words.length, 3);
  t.regex(words[0] ?? '', /not valid YAML/);
  t.regex(words[1] ?? '', /^\d+:\d+ Ingress shop\/bad spec\.rules\[0\]\.host expected string/);
  t.regex(words[2] ?? '', /Ingress shop\/old apiVersion extensions\/v1beta1 ended with Kubernetes 1\.22/);
});
