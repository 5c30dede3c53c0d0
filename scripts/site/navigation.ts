import { globSync } from 'node:fs';
import { root } from '../paths.mjs';

/** A heading of the site's navigation, with the pages below it in the order in which people need them: paths in the repository. */
export interface Section {
  readonly title: string;
  readonly pages: readonly string[];
  /** Whether a reader sees its pages without asking for them. */
  readonly isOpen?: boolean;
}

/** Pages of the repository. The build adds those that it makes: reference, examples. */
export const sections: readonly Section[] = [
  {
    title: 'Start',
    isOpen: true,
    pages: [
      'docs/start.md',
      'docs/tasks.md',
      'docs/concepts.md',
      'docs/install.md',
      'docs/faq.md',
      'docs/comparison.md',
    ],
  },
  {
    title: 'Tasks',
    isOpen: true,
    pages: [
      'docs/tls.md',
      'docs/canary.md',
      'docs/teams.md',
      'docs/production.md',
      'docs/gitops.md',
      'docs/troubleshooting.md',
      'docs/validate.md',
    ],
  },
  {
    title: 'Features',
    pages: [
      'docs/gateway-api.md',
      'docs/policies.md',
      'docs/access-policies.md',
      'docs/rate-limits.md',
      'docs/traffic-policies.md',
      'docs/http-filters.md',
      'docs/extensions.md',
      'docs/envoy-patches.md',
      'docs/session-persistence.md',
      'docs/dynamic-backends.md',
      'docs/ai.md',
      'docs/inference.md',
      'docs/ingress.md',
      'docs/experimental.md',
    ],
  },
  {
    title: 'Move from elsewhere',
    pages: [
      'docs/from-ingress-nginx.md',
      'docs/ingress-nginx-moving.md',
      'docs/ingress-nginx-compare.md',
      'docs/ingress-nginx-annotations.md',
      'docs/ingress-nginx-answers.md',
      'docs/from-envoy-gateway.md',
      'docs/from-traefik.md',
      'docs/policy-groups.md',
    ],
  },
  {
    title: 'Operate',
    pages: [
      'docs/operating.md',
      'docs/configuration.md',
      'docs/data-plane-resource.md',
      'docs/data-plane.md',
      'docs/managed-resources.md',
      'docs/metrics.md',
      'docs/metrics-backend.md',
      'docs/limits.md',
      'docs/versions.md',
      'charts/README.md',
      'charts/gatewright/README.md',
      'manifests/README.md',
    ],
  },
  {
    title: 'Look inside',
    pages: [
      'docs/page.md',
      'docs/cli.md',
      'docs/admin-api.md',
      'docs/chatbot.md',
      'docs/problems.md',
      'docs/errors.md',
    ],
  },
  { title: 'Security', pages: ['docs/security.md', 'SECURITY.md', 'test/attack/README.md'] },
  {
    title: 'Project',
    pages: [
      'docs/architecture.md',
      'docs/performance.md',
      'docs/conformance.md',
      'docs/inference-conformance.md',
      'docs/development.md',
      'docs/releasing.md',
      'CONTRIBUTING.md',
      'GOVERNANCE.md',
      'CODE_OF_CONDUCT.md',
      'CHANGELOG.md',
    ],
  },
];

/** The decisions, in their order. */
export const decisions = (): readonly string[] => globSync('docs/adr/*.md', { cwd: root }).sort();
