import { type AiTokenUsage, apiUrl } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Loaded, Name, Panel } from '../../parts/index.ts';
import { count } from '../../text/index.ts';
import { Completeness, Table } from './figures.tsx';
import { aiWords } from './words.ts';

/** Tokens of each model in the window, the most first, with a bar of its share. */
export function TokensPanel({ window }: { readonly window: string }) {
  const words = aiWords();
  const usage = useLive<AiTokenUsage>(apiUrl('/v1/ai/token-usage', { window, groupBy: 'model' }));
  return (
    <Panel title={words.byModel} live={usage}>
      <Loaded live={usage}>
        {(data) => (
          <>
            <Completeness {...data} />
            {data.series.length === 0 ? <p class="quiet">{words.notKnown}</p> : <Models series={data.series} />}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Models({ series }: { readonly series: AiTokenUsage['series'] }) {
  const words = aiWords();
  const rows = [...Map.groupBy(series, ({ model }) => model ?? '')]
    .map(([model, parts]) => {
      const sum = (of: (part: AiTokenUsage['series'][number]) => number) =>
        parts.reduce((total, part) => total + of(part), 0);
      return {
        model,
        requests: sum(({ requests }) => requests),
        input: sum(({ promptTokens }) => promptTokens),
        output: sum(({ completionTokens }) => completionTokens),
        cached: sum(({ cachedTokens }) => cachedTokens),
        total: sum(({ totalTokens }) => totalTokens),
      };
    })
    .sort((a, b) => b.total - a.total);
  const all = Math.max(1, ...rows.map(({ total }) => total));
  return (
    <Table
      label={words.byModel}
      heads={[words.model, words.tokens, words.input, words.output, words.cached, words.requests]}
    >
      {rows.map(({ model, total, input, output, cached, requests }) => (
        <tr key={model} data-model={model}>
          <th scope="row">
            <Name>{model}</Name>
          </th>
          <td>
            <meter min={0} max={all} value={total} aria-label={words.tokens} /> {count(total)}
          </td>
          <td>{count(input)}</td>
          <td>{count(output)}</td>
          <td>{count(cached)}</td>
          <td>{count(requests)}</td>
        </tr>
      ))}
    </Table>
  );
}
