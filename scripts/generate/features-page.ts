import { type Feature, features } from '../../src/gateway-api/features.ts';

/** docs/gateway-api.md: what of the Gateway API works, from the same table as the status of a GatewayClass. */
export function featuresPage(gatewayApiVersion: string): string {
  const byKind = Map.groupBy(features, ({ kind }) => kind);
  return [
    '# What of the Gateway API works',
    '',
    '<!-- Made by `npm run generate` from src/gateway-api/features.ts. -->',
    '',
    `Gateway API ${gatewayApiVersion}. Every feature below is one that the official conformance suite has tests for and that the status of each`,
    'GatewayClass of ours claims (`kubectl get gatewayclass gatewright -o yaml`, under `supportedFeatures`), which is where the suite reads them',
    'from: [how to run it](../test/conformance/README.md), [its last report](conformance.md).',
    ...[...byKind].flatMap(([kind, rows]) => [
      '',
      `## ${kind}`,
      '',
      '| feature | what it is |',
      '|---|---|',
      ...rows.map(row),
    ]),
    '',
  ].join('\n');
}

const row = ({ name, summary }: Feature): string => `| ${name} | ${summary} |`;
