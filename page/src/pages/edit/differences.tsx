import { diffLines } from 'diff';
import type { Diff } from '../../api/index.ts';
import { Message, Name } from '../../parts/index.ts';
import { editWords } from './words.ts';

/** What a text would change: objects, statuses, and what proxies are sent. */
export function Differences({ diff }: { readonly diff: Diff }) {
  const words = editWords();
  const { resources, statuses, envoy, skipped } = diff;
  const changed = resources.filter(({ operation }) => operation !== 'unchanged');
  const gateways = [...new Set(envoy.map(({ gateway }) => gateway))];
  return (
    <div class="differences">
      {changed.length + statuses.length + envoy.length === 0 && <p>{words.nothing}</p>}
      <Section
        title={words.objects}
        items={changed.map(({ kind, namespace, name, operation, before, after }) => ({
          title: `${kind} ${namespace}/${name}: ${words[operation]}`,
          before,
          after,
        }))}
        open
      />
      <Section
        title={words.statuses}
        items={statuses.map(({ kind, namespace, name, before, after }) => ({
          title: `${kind} ${namespace}/${name}`,
          before,
          after,
        }))}
      />
      <Section
        title={words.envoy}
        items={envoy.map(({ gateway, typeUrl, name, operation, before, after }) => ({
          title: `${gateway} ${typeUrl.split('.').at(-1)} ${name}: ${words[operation]}`,
          before,
          after,
        }))}
      />
      {skipped.map(({ kind, namespace, name, reason }) => (
        <p key={`${kind} ${namespace}/${name}`}>
          {words.skipped}: <Name>{`${kind} ${namespace}/${name}`}</Name> <Message>{reason}</Message>
        </p>
      ))}
      <p>{gateways.length === 0 ? words.noProxies : words.proxies(gateways.join(', '))}</p>
    </div>
  );
}

interface Change {
  readonly title: string;
  readonly before: unknown;
  readonly after: unknown;
}

function Section({
  title,
  items,
  open = false,
}: {
  readonly title: string;
  readonly items: readonly Change[];
  readonly open?: boolean;
}) {
  if (items.length === 0) return null;
  return (
    <section>
      <h3>
        {title} ({items.length})
      </h3>
      {items.map((item) => (
        <details key={item.title} open={open}>
          <summary>
            <Name>{item.title}</Name>
          </summary>
          <LineDifference {...item} />
        </details>
      ))}
    </section>
  );
}

/** Lines that go and come, with a sign before each. */
function LineDifference({ before, after }: Change) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <pre class="lines" tabIndex={0}>
      {diffLines(linesOf(before), linesOf(after)).map(({ value, added, removed }, at) => {
        const sign = added ? '+ ' : removed ? '- ' : '  ';
        const lines = value.replace(/\n$/, '').replaceAll(/^/gm, sign);
        const Tag = added ? 'ins' : removed ? 'del' : 'span';
        return <Tag key={at}>{`${lines}\n`}</Tag>;
      })}
    </pre>
  );
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
const linesOf = (value: unknown): string => (isNothing(value) ? '' : `${JSON.stringify(value, null, 2)}\n`);
