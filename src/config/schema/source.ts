import * as z from 'zod';
import { namespace, text } from './leaf.ts';

/** The source of resources. */
export type SourceConfig =
  | { readonly kind: 'kubernetes'; readonly kubeconfig?: string; readonly namespaces?: readonly string[] }
  | { readonly kind: 'directory'; readonly path: string };

const kubernetes = z.strictObject({
  kubeconfig: text('the path of a kubeconfig file')
    .optional()
    .describe('A kubeconfig file. Default: `KUBECONFIG`, the pod’s service account, then `~/.kube/config`.'),
  namespaces: z
    .array(namespace('team-a'), { error: 'a list of namespaces such as ["team-a", "team-b"]' })
    .min(1, { error: 'one namespace or more: leave it out to read all' })
    .refine((names) => new Set(names).size === names.length, { error: 'each namespace once' })
    .optional()
    .describe('The only namespaces that are read. Default: all. Needs fewer rights: see install.md.'),
});

/** `kubernetes` (without `kubeconfig`: in-cluster credentials, else the usual files) or `directory`; kubernetes by default. */
export const source = z
  .strictObject({
    kubernetes: kubernetes.optional().describe('A cluster; the default.'),
    directory: text('the path of a directory of YAML files').optional().describe('A directory of YAML files instead.'),
  })
  .transform(({ kubernetes, directory }, context): SourceConfig => {
    if (directory === undefined) return { kind: 'kubernetes', ...kubernetes };
    if (kubernetes === undefined) return { kind: 'directory', path: directory };
    context.addIssue({ code: 'custom', message: 'one of kubernetes and directory: remove the other' });
    return z.NEVER;
  })
  .prefault({})
  .describe('The source of resources.');
