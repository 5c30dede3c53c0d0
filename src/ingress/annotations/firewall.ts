import type { Annotation } from './annotation.ts';

const why =
  'proxies do not run directives of ModSecurity: an ExtensionPolicy with the firewall of examples/waf has the rules of OWASP';

/** ModSecurity. */
export const firewall: readonly Annotation[] = [
  {
    name: 'enable-modsecurity',
    scope: 'location',
    risk: 'Low',
    value: 'boolean',
    default: 'false',
    protects: true,
    meaning: 'Requests are inspected by ModSecurity.',
    verdict: 'cannot',
    becomes: 'nothing',
    why,
  },
  {
    name: 'enable-owasp-core-rules',
    scope: 'location',
    risk: 'Low',
    value: 'boolean',
    default: 'false',
    protects: true,
    meaning: 'ModSecurity has the rules of OWASP.',
    verdict: 'cannot',
    becomes: 'nothing',
    why,
  },
  {
    name: 'modsecurity-snippet',
    scope: 'location',
    risk: 'Critical',
    value: 'directives',
    protects: true,
    meaning: 'Rules of ModSecurity.',
    verdict: 'cannot',
    becomes: 'nothing',
    why,
  },
  {
    name: 'modsecurity-transaction-id',
    scope: 'location',
    risk: 'High',
    value: 'text',
    meaning: 'The id of a request in ModSecurity’s log.',
    verdict: 'cannot',
    becomes: 'nothing',
    why,
  },
];
