import { plural, texts } from '../../text/index.ts';

export const policyWords = texts(
  {
    title: 'Policies',
    filter: 'Filter by kind, namespace, name, target or what is wrong',
    kind: 'Kind',
    name: 'Name',
    state: 'State',
    detail: 'For what, and what is wrong',
    healthy: 'accepted',
    degraded: 'in part',
    failed: 'not accepted',
    unknown: 'without effect',
    shown: (count: number, all: number) => `${count} of ${plural(all, 'policy', 'policies')}`,
    none: 'No policy fits the filter.',
    empty: 'There is no policy yet. A policy names what it is for in targetRefs.',
  },
  {
    title: 'Richtlinien',
    filter: 'Nach Kind, Namespace, Name, Ziel oder Fehler filtern',
    kind: 'Kind',
    name: 'Name',
    state: 'Zustand',
    detail: 'Wofür, und was falsch ist',
    healthy: 'angenommen',
    degraded: 'zum Teil',
    failed: 'nicht angenommen',
    unknown: 'ohne Wirkung',
    shown: (count, all) => `${count} von ${plural(all, 'Richtlinie', 'Richtlinien')}`,
    none: 'Keine Richtlinie passt zum Filter.',
    empty: 'Es gibt noch keine Richtlinie. Eine Richtlinie nennt in targetRefs, wofür sie gilt.',
  },
);
