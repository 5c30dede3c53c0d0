/** What a room of src may import from other rooms. `types`: by `import type` only. */
export type ImportRule = {
  /** `all`: every other room. */
  readonly any: readonly string[] | 'all';
  readonly types?: readonly string[];
};

/** Faces that every room may import. They know nothing of gateways, and import nothing of ours but each other. */
export const openToAll: readonly string[] = ['std', 'std/memory', 'std/queue', 'std/steps', 'std/text-diff'];

/**
 * The direction of imports, by room: a folder of src, or one inside of it that has a rule of its own, such as `addons/ai`. A part that only
 * others' rules name, such as `xds/methods`, is a second, lighter face of its room: the agent, of which there is one for each proxy, loads only
 * that. Data flows from the API server to Envoy; imports point at the two vocabularies, gateway-api and ir. A room that is not here may not
 * exist. `app` puts everything together and may import all; no room imports it.
 */
export const importRules: Readonly<Record<string, ImportRule>> = {
  std: { any: [] },
  'gateway-api': { any: [] },
  contracts: { any: [] },
  envoy: { any: [] },
  ir: { any: [] },
  telemetry: { any: [] },
  yaml: { any: [] },
  config: { any: ['egress', 'yaml'] },
  egress: { any: [] },
  'addons/outgoing': { any: ['egress'] },
  kube: { any: ['gateway-api', 'telemetry'] },
  'addons/settings': { any: ['kube', 'gateway-api'] },
  'addons/metrics-backend': { any: ['addons/outgoing', 'addons/settings', 'config'] },
  'addons/chatbot': { any: ['addons/outgoing', 'addons/settings', 'config', 'gateway-api'] },
  'addons/mcp': { any: ['addons/chatbot'] },
  'addons/ai': {
    any: ['envoy', 'ir', 'contracts', 'gateway-api', 'addons/outgoing', 'config'],
    types: ['graph', 'xds', 'telemetry'],
  },
  sources: { any: ['kube', 'gateway-api', 'telemetry', 'yaml'] },
  'offline/validate': { any: ['sources', 'gateway-api'] },
  controllers: {
    any: [
      'sources',
      'gateway-api',
      'ir',
      'std',
      'graph',
      'graph/backends',
      'graph/certificates',
      'graph/engine',
      'graph/gateways',
      'graph/model',
      'graph/routes',
    ],
    types: ['telemetry'],
  },
  graph: { any: ['egress', 'gateway-api', 'ir', 'telemetry', 'contracts'] },
  'translate/resource': { any: ['ir', 'envoy', 'contracts'] },
  'translate/secrets': { any: ['ir', 'envoy', 'translate/resource'] },
  'translate/downstream': { any: ['ir', 'envoy', 'translate/resource', 'translate/secrets'] },
  'translate/l4': { any: ['ir', 'envoy', 'translate/resource', 'translate/downstream'] },
  'translate/filters': { any: ['ir', 'envoy', 'translate/resource'] },
  'translate/routes': { any: ['ir', 'envoy', 'contracts', 'translate/resource', 'translate/filters'] },
  'translate/hosts': { any: ['ir', 'envoy', 'translate/resource', 'translate/filters', 'translate/routes'] },
  'translate/ai': { any: ['ir', 'envoy', 'contracts', 'translate/resource', 'translate/routes'] },
  'translate/clusters': { any: ['egress', 'ir', 'envoy', 'translate/resource', 'translate/ai'] },
  'translate/listeners': {
    any: [
      'ir',
      'envoy',
      'contracts',
      'translate/resource',
      'translate/downstream',
      'translate/l4',
      'translate/filters',
      'translate/routes',
      'translate/hosts',
    ],
  },
  translate: {
    any: [
      'ir',
      'envoy',
      'translate/resource',
      'translate/secrets',
      'translate/l4',
      'translate/hosts',
      'translate/ai',
      'translate/clusters',
      'translate/listeners',
    ],
  },
  'offline/route-test': { any: ['gateway-api', 'ir'] },
  xds: { any: ['envoy', 'ir', 'config', 'telemetry', 'contracts'], types: ['translate'] },
  'cluster/identity': { any: ['kube', 'xds', 'gateway-api', 'telemetry'] },
  'cluster/replicas': { any: ['config', 'telemetry', 'ir', 'xds'], types: ['graph'] },
  'cluster/leader': { any: ['kube', 'gateway-api', 'telemetry'] },
  status: { any: ['kube', 'graph', 'gateway-api', 'ir', 'telemetry', 'config'] },
  infrastructure: { any: ['egress', 'kube', 'graph', 'gateway-api', 'ir', 'telemetry', 'config'] },
  admin: {
    any: [
      'gateway-api',
      'envoy',
      'ir',
      'telemetry',
      'config',
      'kube',
      'sources',
      'yaml',
      'controllers',
      'graph',
      'offline/route-test',
      'translate',
      'xds',
      'status',
      'infrastructure',
      'addons/settings',
      'addons/metrics-backend',
      'addons/chatbot',
      'addons/mcp',
      'addons/ai',
    ],
  },
  'offline/preview': { any: ['egress', 'sources', 'controllers', 'graph', 'translate', 'gateway-api', 'ir'] },
  cli: {
    any: ['admin', 'offline/preview', 'addons/chatbot', 'addons/mcp', 'gateway-api', 'infrastructure'],
  },
  agent: { any: ['egress', 'envoy/wire', 'xds/methods', 'admin/http', 'config', 'telemetry', 'contracts'] },
  'app/process': { any: ['config', 'telemetry'] },
  app: { any: 'all' },
};
