import type { Diff } from '../../api/index.ts';
import { FoldedDifference, type Sides, WeakerList } from '../../differences/index.ts';
import { Message, Name } from '../../parts/index.ts';
import { editWords } from './words.ts';

/** What a text would change: objects, statuses, and what proxies are sent. */
export function Differences({ diff }: { readonly diff: Diff }) {
  const words = editWords();
  const { resources, statuses, envoy, skipped, weaker } = diff;
  const changed = resources.filter(({ operation }) => operation !== 'unchanged');
  const gateways = [...new Set(envoy.map(({ gateway }) => gateway))];
  return (
    <div class="differences">
      <WeakerList weaker={weaker} />
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

interface Change extends Sides {
  readonly title: string;
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
      {items.map(({ title: text, before, after }) => (
        <FoldedDifference key={text} before={before} after={after} isOpen={open}>
          <Name>{text}</Name>
        </FoldedDifference>
      ))}
    </section>
  );
}
