import { apiUrl, type Gateway } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { ConditionList, EditLink, Fact, Gone, Loaded, Name, Panel, Title } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { gatewayWords } from './words.ts';

interface GatewayName {
  readonly namespace: string;
  readonly name: string;
}

/** One Gateway: where it listens, what its conditions say, and which proxies carry its traffic. */
export function GatewayDetail({ namespace, name }: GatewayName) {
  const words = gatewayWords();
  const back = { href: link('gateways'), text: words.back };
  const gateway = useLive<Gateway>(
    apiUrl(`/v1/gateways/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`),
    { on: ['snapshot', 'node', 'problem'] },
  );
  if (gateway.error?.status === 404) return <Gone back={back}>{words.gone}</Gone>;
  return (
    <>
      <Title at={gateway.at} back={back} actions={<EditLink kind="Gateway" namespace={namespace} name={name} />}>
        Gateway <Name>{`${namespace}/${name}`}</Name>
      </Title>
      <Loaded live={gateway}>{(data) => <Facts gateway={data} />}</Loaded>
    </>
  );
}

function Facts({ gateway }: { readonly gateway: Gateway }) {
  const words = gatewayWords();
  const { namespace, name, gatewayClass, addresses, conditions, clients, listeners } = gateway;
  return (
    <>
      <Panel title={words.conditions}>
        <dl class="facts">
          <Fact name={words.class}>
            <Name>{gatewayClass}</Name>
          </Fact>
          <Fact name={words.addresses}>
            <Name>{addresses.map(({ value }) => value).join(' ')}</Name>
          </Fact>
          <Fact name={words.proxies}>
            {clients.length === 0 && words.noProxy}
            <ul>
              {clients.map((client) => (
                <li key={client}>
                  <a href={link('proxies', [client])}>
                    <Name>{client}</Name>
                  </a>
                </li>
              ))}
            </ul>
          </Fact>
        </dl>
        <ConditionList conditions={conditions} />
      </Panel>
      <Panel title={words.listeners}>
        {listeners.map((listener) => (
          <section key={listener.name}>
            <h3>
              <a href={link('listeners', [`${namespace}.${name}.${listener.name}`])}>
                <Name>{listener.name}</Name>
              </a>{' '}
              {listener.protocol} {listener.port} <Name>{listener.hostname ?? ''}</Name>{' '}
              <span class="quiet">{words.attached(listener.attachedRoutes)}</span>
            </h3>
            <ConditionList conditions={listener.conditions} />
          </section>
        ))}
      </Panel>
    </>
  );
}
