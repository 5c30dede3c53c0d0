import { apiUrl, type Traffic } from '../../api/index.ts';
import { trafficEvents, useLive } from '../../live/index.ts';
import { Choice, chosen, FailureList, Filtered, Loaded, Message, Panel, Title } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { columnsOf, nameOf } from './columns.tsx';
import { OverTime } from './over-time.tsx';
import { trafficWords } from './words.ts';

const groupings = ['route', 'backend', 'listener', 'gateway', 'node'] as const;
const windows = ['15m', '5m', '1h', '24h'] as const;
const orders = ['errors', 'requests', 'p99'] as const;
/** Rows that are asked for; the worst come first. */
const mostRows = 100;

/** What passes through the proxies, what fails of it, and why. */
export function Page() {
  const words = trafficWords();
  const [by, window, sort] = [chosen('by', groupings), chosen('window', windows), chosen('order', orders)];
  const asked = { window, series: true } as const;
  const traffic = useLive<Traffic>(apiUrl('/v1/traffic', { ...asked, by, sort, limit: mostRows }), {
    everyMs: 5_000,
    on: trafficEvents,
  });
  return (
    <>
      <Title at={traffic.at}>{words.title}</Title>
      <div class="tools">
        <Choice name="by" label={words.by} options={groupings.map((name) => [name, words[name]])} />
        <Choice name="window" label={words.window} options={windows.map((name) => [name, windowText(name)])} />
        <Choice name="order" label={words.order} options={orders.map((name) => [name, words[name]])} />
      </div>
      <Total asked={asked} />
      <Loaded live={traffic}>{(data) => <Rows traffic={data} />}</Loaded>
      <FailureList
        title={words.recent}
        none={words.noFailure}
        filter={{}}
        actions={<a href={link('failures')}>{words.all}</a>}
      />
    </>
  );
}

const windowText = (window: (typeof windows)[number]): string =>
  window.endsWith('m')
    ? trafficWords().minutes(Number.parseInt(window, 10))
    : trafficWords().hours(Number.parseInt(window, 10));

/** All requests together: of Gateways, of which there are few, so that none is left out. */
function Total({ asked }: { readonly asked: { readonly window: string; readonly series: true } }) {
  const words = trafficWords();
  const total = useLive<Traffic>(apiUrl('/v1/traffic', { ...asked, by: 'gateway', limit: 500 }), {
    everyMs: 5_000,
    on: trafficEvents,
  });
  return (
    <Panel title={words.time} live={total}>
      <Loaded live={total}>
        {(data) => (
          <>
            {data.warnings.map((warning) => (
              <p class="notice warning" key={warning}>
                <Message>{warning}</Message>
              </p>
            ))}
            {data.source === 'none' ? (
              <p class="quiet">{words.off}</p>
            ) : data.totals.requests === 0 ? (
              <p class="quiet">{words.noRequest}</p>
            ) : (
              <OverTime traffic={data} />
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Rows({ traffic }: { readonly traffic: Traffic }) {
  const words = trafficWords();
  if (traffic.source === 'none') return null;
  return (
    <div class="half">
      <Filtered
        label={words.title}
        filter={words.filter}
        rows={traffic.items}
        columns={columnsOf(traffic.window)}
        keyOf={({ kind, namespace, name, reason, gateway }) => JSON.stringify([kind, namespace, name, reason, gateway])}
        textOf={(item) => `${item.kind ?? ''} ${nameOf(item)} ${item.gateway ?? ''}`.toLowerCase()}
        shown={(count) => words.shown(count, traffic.total)}
        empty={words.noRequest}
        none={words.none}
      />
    </div>
  );
}
