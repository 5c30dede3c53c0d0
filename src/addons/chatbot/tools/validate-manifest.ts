import * as z from 'zod';
import { counted } from '../../../std/index.ts';
import { tool } from './tool.ts';
import type { ValidationAnswer } from './wire.ts';

export const validateManifestTool = tool({
  name: 'validate_manifest',
  title: 'Whether manifests would work',
  description:
    'Dry-runs one or more Gateway API objects in YAML: schema, rules, and whether they would be accepted beside what there is. Changes nothing. Use it before you propose a manifest.',
  input: z.strictObject({ yaml: z.string().min(1).max(262_144).describe('One or more documents') }),
  async run({ yaml }, { ask }) {
    const value = (await ask({ method: 'POST', path: '/v1/validate', body: yaml })).body as ValidationAnswer;
    const { valid, errors, warnings, objects } = value;
    const but = warnings.length === 0 ? '' : `, with ${counted(warnings.length, 'warning')}: ${warnings[0]}`;
    return {
      summary: valid ? `${counted(objects.length, 'object')}, valid${but}` : `not valid: ${errors[0] ?? ''}`,
      value: { valid, errors, warnings, objects: objects.map(({ before: _, after: __, ...object }) => object) },
    };
  },
});
