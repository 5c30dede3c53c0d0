import { type AiCost, apiUrl } from '../../api/index.ts';
import { now, useLive } from '../../live/index.ts';
import { Choice, chosen, Loaded, Name, Panel } from '../../parts/index.ts';
import { ago, count } from '../../text/index.ts';
import { costOfYesterday, Days, rangeOfDays } from './days.tsx';
import { Completeness, Cost, Figure, Table } from './figures.tsx';
import { aiWords } from './words.ts';

const ranges = ['24h', '7d', '30d'] as const;

/** What was paid by model, route and day, with what has no price apart, and what is left of budgets. */
export function CostPanel() {
  const words = aiWords();
  const range = chosen('range', ranges);
  const cost = useLive<AiCost>(apiUrl('/v1/ai/cost', { range }));
  const days = useLive<AiCost>(apiUrl('/v1/ai/cost', { range: rangeOfDays(range) }), { everyMs: 60_000 });
  const choice = (
    <Choice
      name="range"
      label={words.window}
      options={[
        ['24h', words.day],
        ['7d', words.week],
        ['30d', words.month],
      ]}
    />
  );
  return (
    <>
      <Panel title={words.costs} live={cost} actions={choice}>
        <Loaded live={cost}>{(data) => <Costs cost={data} days={days.data} />}</Loaded>
      </Panel>
      <Panel title={words.budgets} live={cost}>
        <Loaded live={cost}>{(data) => <Budgets budgets={data.budgets} />}</Loaded>
      </Panel>
    </>
  );
}

function Costs({ cost, days }: { readonly cost: AiCost; readonly days: AiCost | undefined }) {
  const words = aiWords();
  const { byModel, byRoute, unpriced } = cost;
  return (
    <>
      <Completeness {...cost} />
      <div class="figures">
        <Figure label={words.today}>
          <Cost value={cost.todayCost} />
        </Figure>
        {days && (
          <Figure label={words.yesterday}>
            <Cost value={costOfYesterday(days)} />
          </Figure>
        )}
        <Figure label={words.thisMonth}>
          <Cost value={cost.monthCost} />
        </Figure>
        <Figure label={words.projected}>
          <Cost value={cost.projectedMonthCost} />
        </Figure>
      </div>
      {unpriced.requests > 0 && (
        <p class="notice warning unpriced">
          {words.unpriced(unpriced.requests, unpriced.tokens)} <Name>{unpriced.models.join(', ')}</Name>
        </p>
      )}
      {byModel.length > 0 && (
        <Table label={words.model} heads={[words.model, words.cost, words.requests, words.priceFrom]}>
          {byModel.map(({ model, provider, cost: paid, requests, unitPrices }) => (
            <tr key={`${provider} ${model}`} data-cost-of={model}>
              <th scope="row">
                <Name>{model}</Name>
              </th>
              <td>
                <Cost value={paid} />
              </td>
              <td>{count(requests)}</td>
              <td>{unitPrices.source}</td>
            </tr>
          ))}
        </Table>
      )}
      {byRoute.length > 0 && (
        <Table label={words.byRoute} heads={[words.route, words.cost, words.requests, words.tokens]}>
          {byRoute.map(({ route, cost: paid, requests, tokens }) => (
            <tr key={route}>
              <th scope="row">
                <Name>{route}</Name>
              </th>
              <td>
                <Cost value={paid} />
              </td>
              <td>{count(requests)}</td>
              <td>{count(tokens)}</td>
            </tr>
          ))}
        </Table>
      )}
      {days && <Days cost={days} />}
    </>
  );
}

function Budgets({ budgets }: { readonly budgets: AiCost['budgets'] }) {
  const words = aiWords();
  if (budgets.length === 0) return <p class="quiet">{words.noBudgets}</p>;
  return (
    <ul class="endpoints">
      {budgets.map(({ policy, key, unit, per, used, limit, resetsAt }) => (
        <li key={`${policy} ${key} ${unit} ${per}`} data-budget={policy}>
          <Name>{policy}</Name> <Name>{key}</Name>{' '}
          <meter min={0} max={Math.max(limit, 1)} value={used} aria-label={policy} />{' '}
          {words.of(count(used), count(limit))} {unit} / {per}{' '}
          <span class="quiet">{words.resets(ago(new Date(resetsAt), now.value))}</span>
        </li>
      ))}
    </ul>
  );
}
