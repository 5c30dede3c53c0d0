import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';

const folder = join(import.meta.dirname, 'charts');

/** Ingresses and Services as popular charts make them with the annotations that their documentation recommends, by chart. */
export const charts: ReadonlyMap<string, readonly KubernetesObject[]> = new Map(
  readdirSync(folder)
    .sort()
    .map((file) => [
      basename(file, '.yaml'),
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((each) => each.toJS() as KubernetesObject),
    ]),
);
