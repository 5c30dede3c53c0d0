import { stringify } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { openApiDocument } from '../../src/admin/openapi/index.ts';
import { operations } from '../../src/app/addons/operations.ts';

/** docs/openapi.yaml: the description that `/openapi.json` serves. */
export const openApiYaml = (): string =>
  `# Made by \`npm run generate\` from the schemas in src/admin.\n${stringify(openApiDocument(packageJson.version, operations), { aliasDuplicateObjects: false, lineWidth: 0 })}`;
