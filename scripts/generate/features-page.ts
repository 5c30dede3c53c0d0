import { type Feature, features } from '../../src/gateway-api/features.ts';

/** docs/gateway-api.md: the supported features of the Gateway API, from the same table as the status of a GatewayClass. */
export function featuresPage(gatewayApiVersion: string): string {
  const byKind = Map.groupBy(features, ({ kind }) => kind);
  return [
    '# Gateway API features',
    '',
    '<!-- Made by `npm run generate` from src/gateway-api/features.ts. -->',
    '',
    `These are the features of Gateway API ${gatewayApiVersion} that Gatewright supports. The official conformance suite tests each of them.`,
    'The status of each GatewayClass of ours lists them under `supportedFeatures`, where the suite reads them; see',
    '`kubectl get gatewayclass gatewright -o yaml`. Read [how to run the suite](../test/conformance/README.md) and [its last report](conformance.md).',
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
