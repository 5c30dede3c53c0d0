import { Code, Panel } from '../../parts/index.ts';
import { overviewWords } from './words.ts';

const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: default}
spec:
  gatewayClassName: gatewright
  listeners: [{name: http, port: 80, protocol: HTTP}]`;

const route = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: hello, namespace: default}
spec:
  parentRefs: [{name: edge}]
  hostnames: [hello.example.com]
  rules: [{backendRefs: [{name: hello, port: 80}]}]`;

const request = 'curl -H "Host: hello.example.com" http://ADDRESS-OF-THE-GATEWAY/';

/** What to do where nothing is. */
export function FirstSteps() {
  const words = overviewWords();
  return (
    <Panel title={words.nothingYet}>
      <p>{words.stepClass}</p>
      <Code label={words.stepClass} text={gateway} />
      <p>{words.stepRoute}</p>
      <Code label={words.stepRoute} text={route} />
      <p>{words.stepAsk}</p>
      <Code label={words.stepAsk} text={request} />
    </Panel>
  );
}
