/**
 * Runs the Gateway API's conformance suite, or that of its Inference Extension, against Gatewright in a real cluster; test/conformance/README.md has the
 * details.
 * usage: npm run conformance [-- [--inference] --subset | --run REGEXP | --publish] [--keep]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { type Cluster, openCluster, runTestbed } from '../test/cluster/support/cluster.ts';
import { install } from '../test/cluster/support/install.ts';
import { judge, parseList } from '../test/conformance/judge.ts';
import type { Report } from '../test/conformance/page.ts';
import { namesOf, parseResults, type Results } from '../test/conformance/results.ts';
import { gatewayApi, inference } from '../test/conformance/suites.ts';
import { root, testbedDir } from './paths.mjs';

const { values: options } = parseArgs({
  options: {
    inference: { type: 'boolean' },
    subset: { type: 'boolean' },
    run: { type: 'string' },
    publish: { type: 'boolean' },
    keep: { type: 'boolean' },
  },
});
const suite = options.inference ? inference : gatewayApi;
const folder = join(root, 'test/conformance', suite.lists);
const reports = join(root, 'reports', suite.reports);
const listed = async (name: string) => parseList(await readFile(join(folder, name), 'utf8'));
const selection = options.subset ? (await listed('subset.txt')).map((name) => `^${name}$`).join('|') : options.run;

const cluster = await openCluster(suite.build);
try {
  if (cluster.isTestbed && suite.definitions)
    await cluster.kubectl(['apply', '--server-side', '-f', join(testbedDir(), suite.definitions)]);
  await install(cluster, suite.config);
  const results = parseResults(await runSuite(cluster));
  const knownFailures = await listed('known-failures.txt');
  const faults = judge(results, { knownFailures, isWhole: selection === undefined });
  const tolerated = namesOf(results, 'failed').filter((name) => knownFailures.includes(name));
  if (tolerated.length > 0) console.log(`failed as known: ${tolerated.join(', ')}`);
  for (const fault of faults) console.log(`fault: ${fault}`);
  // A suite that was ended leaves none.
  if (options.publish && selection === undefined && existsSync(join(reports, 'report.yaml'))) await publish(results);
  console.log(`${namesOf(results, 'passed').length} passed, ${faults.length} failed`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  if (cluster.isTestbed && !process.env.KUBECONFIG && !options.keep) await runTestbed('down');
}

/** Resolves with all that the suite printed, which is shown and kept as well. That it failed is for its results to say. */
async function runSuite(cluster: Cluster): Promise<string> {
  await mkdir(reports, { recursive: true });
  const log = createWriteStream(join(reports, 'output.log'));
  const [command, ...before] = suiteOf(cluster);
  const run = spawn(command, [...before, ...(await flags())], {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig, TESTBED_CACHE: testbedDir() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  run.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
    log.write(text);
    for (const line of text.split('\n')) if (/^\s*--- /.test(line)) console.log(line);
  });
  await once(run, 'close');
  log.end();
  return output;
}

/** Puts the report of a whole run where users read it. */
async function publish(results: Results): Promise<void> {
  const report = join(reports, 'report.yaml');
  const { published } = suite;
  const page = published.pageOf(parse(await readFile(report, 'utf8')) as Report, results);
  await copyFile(report, join(root, 'docs', published.report));
  await writeFile(join(root, 'docs', published.page), page);
}

/** The testbed knows addresses that a Gateway can and cannot have; those of another cluster are unknown. */
function suiteOf({ isTestbed }: Cluster): [string, ...string[]] {
  if (isTestbed) return [join(root, 'test/cluster/cluster'), suite.command];
  return [join(testbedDir(), 'bin', suite.program), '-test.v', '-test.timeout', suite.timeout];
}

async function flags(): Promise<string[]> {
  const always = ['-gateway-class', 'gatewright', ...suite.flags];
  // A part of the tests is no report.
  if (selection !== undefined) return ['-test.run', `^TestConformance$/(${selection})`, ...always];
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const report = join(reports, 'report.yaml');
  await rm(report, { force: true });
  const about = {
    organization: 'gatewright',
    project: 'gatewright',
    url: 'https://gatewright.dev',
    version: `v${version}`,
  };
  const words = Object.entries({ ...about, contact: 'https://gatewright.dev', 'report-output': report });
  return [...always, ...words.flatMap(([name, value]) => [`-${name}`, value])];
}
