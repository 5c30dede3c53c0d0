import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../paths.mjs';

interface Report {
  readonly gatewayAPIChannel: string;
  readonly gatewayAPIVersion: string;
  readonly mode: string;
  readonly implementation: { readonly organization: string; readonly url: string; readonly version: string };
}

/** Where a report goes, below the folder of reports of the repository that takes it. */
interface Place {
  readonly folder: string;
  readonly file: string;
  readonly readme: string;
}

/**
 * Writes a report as its suite wrote it, with a README beside it.
 *
 * @param source the name of the report in docs
 * @param placeOf says where it goes, by what is in it
 */
export async function packReport<T>(out: string, source: string, placeOf: (report: T) => Place): Promise<void> {
  const path = join(root, 'docs', source);
  const place = placeOf(parse(await readFile(path, 'utf8')) as T);
  const folder = join(out, place.folder);
  await mkdir(folder, { recursive: true });
  await copyFile(path, join(folder, place.file));
  await writeFile(join(folder, 'README.md'), place.readme);
}

/**
 * Writes what the Gateway API's repository takes as a report of conformance: a folder with a README and the report as the suite wrote it.
 * Source: conformance/reports/README.md of kubernetes-sigs/gateway-api.
 *
 * @param out the folder that becomes `conformance/reports` there
 */
export const packConformance = (out: string): Promise<void> =>
  packReport<Report>(out, 'conformance-report.yaml', (report) => {
    const { version, organization } = report.implementation;
    const minor = report.gatewayAPIVersion.split('.').slice(0, 2).join('.');
    const file = `${report.gatewayAPIChannel}-${version}-${report.mode}-report.yaml`;
    return { folder: join(minor, organization), file, readme: readme(report, file) };
  });

const readme = (
  { gatewayAPIChannel, mode, implementation: { version, url } }: Report,
  file: string,
): string => `# Gatewright

Gatewright serves the Gateway API with unmodified Envoy proxies.

## Table of contents

| API channel | Implementation version | Mode | Report |
|-------------|------------------------|------|--------|
| ${gatewayAPIChannel} | [${version}](${url}) | ${mode} | [${version} report](./${file}) |

## Reproduce

Linux, as root, with Node 20 or newer, Python 3 and Go:

1. Clone the repository of Gatewright, and check out the tag \`${version}\`.
2. Run \`npm run conformance\`. It builds a cluster of one node, installs the manifests, and runs the suite of this version with no flag of features:
   the suite reads them from the status of the GatewayClass. With \`KUBECONFIG\` it uses that cluster.
3. The report is \`reports/conformance/report.yaml\`.
`;
