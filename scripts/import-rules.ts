/** What a folder of src may import from other folders. `types`: by `import type` only. */
export type ImportRule = {
  readonly any: readonly string[];
  readonly types?: readonly string[];
};

/**
 * The direction of imports, by folder of src. `folder/part` is a second, lighter face of a folder: the agent, of which there is one for each proxy,
 * loads only that. Data flows from the API server to Envoy; imports point at the two
 * vocabularies, gateway-api and ir. A folder that is not here may not exist. `bin` may import all.
 */
export const importRules: Readonly<Record<string, ImportRule>> = {
  'gateway-api': { any: [] },
  envoy: { any: [] },
  ir: { any: [] },
  lean: { any: [] },
  telemetry: { any: [] },
  yaml: { any: [] },
  'text-diff': { any: [] },
  config: { any: ['egress', 'yaml'] },
  queue: { any: [] },
  steps: { any: [] },
  egress: { any: [] },
  outgoing: { any: ['egress'] },
  kube: { any: ['gateway-api', 'lean', 'telemetry'] },
  settings: { any: ['kube', 'gateway-api'] },
  'metrics-backend': { any: ['outgoing', 'settings', 'config'] },
  chatbot: { any: ['text-diff', 'outgoing', 'settings', 'config', 'gateway-api'] },
  mcp: { any: ['chatbot'] },
  ai: { any: ['envoy', 'ir', 'gateway-api', 'outgoing', 'config'], types: ['graph', 'xds', 'telemetry'] },
  sources: { any: ['kube', 'gateway-api', 'telemetry', 'yaml'] },
  validate: { any: ['sources', 'gateway-api'] },
  controllers: { any: ['sources', 'graph', 'gateway-api', 'telemetry'] },
  graph: { any: ['egress', 'gateway-api', 'ir', 'lean', 'steps', 'telemetry'] },
  translate: { any: ['egress', 'ir', 'envoy', 'lean', 'steps'] },
  'route-test': { any: ['gateway-api', 'ir', 'steps'] },
  xds: { any: ['envoy', 'ir', 'lean', 'config', 'telemetry'], types: ['translate'] },
  identity: { any: ['kube', 'xds', 'gateway-api', 'telemetry'] },
  replicas: { any: ['queue', 'config', 'telemetry', 'ir', 'xds'], types: ['graph'] },
  leader: { any: ['kube', 'queue', 'gateway-api', 'telemetry'] },
  status: { any: ['kube', 'queue', 'graph', 'gateway-api', 'ir', 'lean', 'telemetry', 'config'] },
  infrastructure: { any: ['egress', 'kube', 'queue', 'graph', 'gateway-api', 'ir', 'telemetry', 'config'] },
  admin: {
    any: [
      'gateway-api',
      'envoy',
      'ir',
      'lean',
      'telemetry',
      'config',
      'queue',
      'steps',
      'kube',
      'sources',
      'yaml',
      'controllers',
      'graph',
      'route-test',
      'translate',
      'xds',
      'status',
      'infrastructure',
      'settings',
      'metrics-backend',
      'chatbot',
      'mcp',
      'ai',
    ],
  },
  preview: { any: ['egress', 'sources', 'graph', 'translate', 'gateway-api', 'ir'] },
  cli: { any: ['text-diff', 'admin', 'preview', 'chatbot', 'mcp', 'gateway-api', 'infrastructure'] },
  agent: { any: ['egress', 'ir', 'envoy/wire', 'xds/methods', 'admin/http', 'config', 'telemetry'] },
};
