/** One part of what is said of an object: for people under a heading, for programs under a key. */
export interface Section {
  /** In camelCase: `recentEvents`, which people read as RECENT EVENTS. */
  readonly key: string;
  readonly lines: readonly string[];
  readonly data: unknown;
}

/** What is said of one object. */
export interface Description {
  readonly kind: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
  /** How it is, in a few words. */
  readonly state: string;
  readonly isWell: boolean;
  /** The shortest facts, in front of the sections. Those without a value are left out. */
  readonly facts: Readonly<Record<string, string>>;
  readonly sections: readonly Section[];
}

export const section = (key: string, data: unknown, lines: readonly string[]): Section => ({ key, data, lines });

/** The lines for people, as long as they are. */
export function descriptionLines({ kind, namespace, name, state, facts, sections }: Description): string[] {
  const known = Object.entries(facts).filter(([, value]) => value !== '');
  const widest = Math.max(0, ...known.map(([key]) => key.length));
  return onceExplained([
    `${kind} ${namespace === '' ? name : `${namespace}/${name}`}: ${state}`,
    ...known.map(([key, value]) => `${key.padEnd(widest)}   ${value}`),
    ...sections.flatMap(({ key, lines }) =>
      lines.length === 0 ? [] : ['', headingOf(key), ...lines.map((line) => `  ${line}`)],
    ),
  ]);
}

/** What something means and what to do is said the first time: a problem often comes from a condition. */
function onceExplained(lines: readonly string[]): string[] {
  const said = new Set<string>();
  return lines.filter((line) => {
    const text = line.trimStart();
    const isRepeated = /^(?:means|next): /.test(text) && said.has(text);
    said.add(text);
    return !isRepeated;
  });
}

const headingOf = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();

/** The same for programs. */
export const descriptionData = ({ kind, namespace, name, state, isWell, facts, sections }: Description): object => ({
  kind,
  namespace,
  name,
  state,
  isWell,
  facts,
  ...Object.fromEntries(sections.map(({ key, data }) => [key, data])),
});
