import { createHash } from 'node:crypto';
import { root, versions } from '../paths.mjs';
import { run } from '../setup/run.mjs';
import { shippedPackages } from './shipped-packages.ts';

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
}

interface Bill {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
}

/** What the image has besides npm packages. */
const programs = (): readonly Component[] => [
  programOf('envoy', versions.ENVOY, 'pkg:github/envoyproxy/envoy@v', 'Apache-2.0'),
  programOf('node', process.versions.node, 'pkg:github/nodejs/node@v', 'MIT'),
];

const programOf = (name: string, version: string, purl: string, license: string): Component => ({
  type: 'application',
  name,
  version,
  purl: `${purl}${version}`,
  licenses: [{ license: { id: license } }],
});

/**
 * The bill of materials in CycloneDX's JSON: every npm package that the program may load, Envoy and Node. Its time is that of the commit, and its serial number
 * follows from the content, so that the same sources have the same bill.
 */
export async function billOfMaterials(taken: Date): Promise<string> {
  // `--omit=dev` leaves out packages of ours that development packages use, too.
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application'];
  const made = JSON.parse(await run('npm', ['sbom', ...options], { cwd: root })) as Bill;
  const shipped = new Set((await shippedPackages()).map(({ name, version }) => `${name}@${version}`));
  const isShipped = ({ name, version }: Component) => shipped.has(`${name}@${version}`);
  const component = { ...made.metadata.component, name: 'gatewright' };
  const content = {
    ...made,
    metadata: { ...made.metadata, timestamp: taken.toISOString(), component },
    components: [...made.components.filter(isShipped), ...programs()],
  };
  return `${JSON.stringify({ ...content, serialNumber: `urn:uuid:${uuidOf(JSON.stringify({ ...content, serialNumber: '' }))}` }, undefined, 2)}\n`;
}

/** A UUID of version 8 (RFC 9562), which is for values of one's own. */
function uuidOf(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
