import { type AiOverview, apiUrl } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Choice, chosen, Loaded, Panel } from '../../parts/index.ts';
import { count } from '../../text/index.ts';
import { CostPanel } from './cost.tsx';
import { Completeness, Cost, Figure, Millis } from './figures.tsx';
import { ServicesPanel } from './services.tsx';
import { TokensPanel } from './tokens.tsx';
import { TracesPanel } from './traces.tsx';
import { aiWords } from './words.ts';

const windows = ['1h', '24h', '7d'] as const;

/** What requests to models do, what they cost, and what is left of budgets. */
export function Page() {
  const words = aiWords();
  const window = chosen('window', windows);
  return (
    <>
      <h1>{words.title}</h1>
      <div class="tools">
        <Choice
          name="window"
          label={words.window}
          options={[
            ['1h', words.hour],
            ['24h', words.day],
            ['7d', words.week],
          ]}
        />
      </div>
      <OverviewPanel window={window} />
      <ServicesPanel />
      <TokensPanel window={window} />
      <CostPanel />
      <TracesPanel />
    </>
  );
}

function OverviewPanel({ window }: { readonly window: string }) {
  const words = aiWords();
  const overview = useLive<AiOverview>(apiUrl('/v1/ai/overview', { window }));
  return (
    <Panel title={words.overview} live={overview}>
      <Loaded live={overview}>
        {(data) => (
          <>
            <Completeness {...data} />
            <div class="figures overview">
              <Figure label={words.requests}>{count(data.totalRequests)}</Figure>
              <Figure label={words.failed}>{count(data.failedRequests)}</Figure>
              <Figure label={words.tokens}>{count(data.totalTokens)}</Figure>
              <Figure label={words.spent}>
                <Cost value={data.totalCost} />
              </Figure>
              <Figure label={words.p95}>
                <Millis value={data.p95} />
              </Figure>
              <Figure label={words.firstToken}>
                <Millis value={data.timeToFirstTokenMs.p95} />
              </Figure>
              <Figure label={words.fallbacks}>{count(data.fallbackRequests)}</Figure>
              <Figure label={words.limited}>{count(data.limitedRequests)}</Figure>
            </div>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
