import { join } from 'node:path';
import { packReport } from './conformance.ts';

interface Report {
  readonly GatewayAPIInferenceExtensionVersion: string;
  readonly mode: string;
  readonly implementation: { readonly organization: string; readonly url: string; readonly version: string };
}

/**
 * Writes what the repository of the Inference Extension takes as a report of conformance: a folder with a README and the report as the suite wrote it.
 * Source: conformance/reports/README.md of kubernetes-sigs/gateway-api-inference-extension.
 *
 * @param out the folder that becomes `conformance/reports` there
 */
export const packInferenceConformance = (out: string): Promise<void> =>
  packReport<Report>(out, 'inference-conformance-report.yaml', (report) => {
    const { version, organization } = report.implementation;
    const file = `${version}-${report.mode}-gateway-report.yaml`;
    const folder = join(report.GatewayAPIInferenceExtensionVersion, 'gateway', organization);
    return { folder, file, readme: readme(report, file) };
  });

const readme = (
  { GatewayAPIInferenceExtensionVersion: extension, mode, implementation: { version, url } }: Report,
  file: string,
): string => `# Gatewright (Gateway Profile Conformance)

Gatewright serves the Gateway API with unmodified Envoy proxies, and InferencePools as backends of its routes.

## Table of Contents

| Extension Version Tested | Profile Tested | Implementation Version | Mode | Report |
|--------------------------|----------------|------------------------|------|--------|
| ${extension} | Gateway | [${version}](${url}) | ${mode} | [${version} report](./${file}) |

## Reproduce

Linux, as root, with Node 20 or newer, Python 3 and Go:

1. Clone the repository of Gatewright, and check out the tag \`${version}\`.
2. Run \`npm run conformance -- --inference\`. It builds a cluster of one node, installs the manifests, and runs the suite, which is not changed.
   With \`KUBECONFIG\` it uses that cluster.
3. The report is \`reports/conformance-inference/report.yaml\`.

The mode \`${mode}\` is a setting of the control plane: \`backends: {endpointPickerMode: Auto}\`. Gatewright asks pickers by full duplex first, as the
protocol demands. The picker of the suite's manifests, \`lwepp\` v1.6.0, answers bodies in one message instead, which Envoy rejects in full duplex.
With \`Auto\` such a picker is asked again with the body in one message.
`;
