import { readFileSync } from 'node:fs';
import test from 'ava';
import { maxChatBytes } from '../../../src/addons/chatbot/admin/index.ts';
import { longestText } from '../../../src/admin/http/http-error.ts';
import { bodyLimit } from '../../../src/admin/resource/read-body.ts';
import { mostProposed } from '../../../src/admin/validate/validate-proposal.ts';
import { maxDepth, maxValues } from '../../../src/config/document.ts';
import { maxRegexProgramSize } from '../../../src/contracts/index.ts';
import { leastRsaBits, mostRsaBits } from '../../../src/graph/certificates/certificate.ts';
import { largestBundle, largestKey, longestChain } from '../../../src/graph/certificates/pem.ts';
import { mostLists } from '../../../src/graph/certificates/revocation-list.ts';
import { largestRegexWeight } from '../../../src/graph/model/regex-weight.ts';
import { largestErrors, largestGrowth, smallestAllowance } from '../../../src/sources/directory/manifest.ts';
import { largestFile } from '../../../src/sources/directory/stable-read.ts';
import { mostLookedInto } from '../../../src/sources/directory/validate/oversized.ts';
import { largestCauses } from '../../../src/sources/directory/validate/validator.ts';
import { inlineLength, readingLimits } from '../../../src/sources/index.ts';
import { mostDifferentLines } from '../../../src/std/text-diff/index.ts';
import { largestAliases, largestDepth } from '../../../src/yaml/index.ts';

const kibi = 1024;
const mebi = 1024 * kibi;
const { jobMs, memoryMiB, waiting, idleMs } = readingLimits;

/** Inputs as the page names them, with the limits that the code has. */
const limits: readonly (readonly [input: string, limit: string])[] = [
  ['body of a request to the admin API', `${bodyLimit / mebi} MiB; of a chat ${maxChatBytes / kibi} KiB`],
  ['YAML or a file that is read on the event loop', `${inlineLength / kibi} KiB of text`],
  ['reading one text in the thread', `${jobMs / 1_000} s of a processor for each MiB, ${memoryMiB} MiB of heap`],
  ['bodies that wait for the thread', `${waiting}`],
  ['depth of maps and lists', `${largestDepth} levels`],
  ['anchors and aliases of one YAML document', `${largestAliases}`],
  ['expansion of aliases and merge keys', `${largestGrowth} times its length, or ${smallestAllowance / kibi} KiB`],
  ['keys of one map', 'no duplicates'],
  ['errors reported for one text', `${largestErrors}`],
  ['causes reported for one object', `${largestCauses}`],
  ['list or map that is longer than its definition allows', `${mostLookedInto} entries are checked`],
  ['text quoted in an error of the admin API', `${longestText} characters`],
  ['objects in one `POST /v1/validate`', `${mostProposed}`],
  ['file of a directory of resources', `${largestFile / mebi} MiB`],
  ['configuration file', `${maxValues} values, ${maxDepth} levels`],
  ['certificates in a Secret’s `tls.crt`', `${longestChain}`],
  ['key in a Secret’s `tls.key`', `${largestKey} bytes; RSA of ${leastRsaBits} to ${mostRsaBits} bits`],
  ['certificates of authorities in one ConfigMap or ClusterTrustBundle', `${largestBundle}`],
  ['lists of revoked certificates in one Secret or ConfigMap', `${mostLists}`],
  ['one regular expression of a route', `${maxRegexProgramSize} steps of its program`],
  ['regular expressions of one rule together', `${largestRegexWeight} steps`],
  ['differing lines in a diff of a chat or `gatewright diff`', `${mostDifferentLines}`],
];

test('docs/limits.md has every limit as the code has it, and no other', (t) => {
  const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split(' | ').slice(0, 2))
    .map(([input = '', limit = '']) => [input.slice(2).replaceAll("'", '’'), limit]);
  t.deepEqual(
    rows,
    limits.map((row) => [...row]),
  );
  t.true(page.includes(`ends after ${idleMs / 1_000} s without work`));
});
