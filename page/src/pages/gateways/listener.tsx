import { apiUrl, type LightListener } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { ConditionList, Fact, Gone, Loaded, Name, ObjectLink, Panel, Title } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { count } from '../../text/index.ts';
import { gatewayWords } from './words.ts';

/** One listener, named NAMESPACE.GATEWAY.LISTENER. */
export function ListenerDetail({ name }: { readonly name: string }) {
  const words = gatewayWords();
  const back = { href: link('gateways'), text: words.back };
  const listener = useLive<LightListener>(apiUrl(`/v1/listeners/${encodeURIComponent(name)}`, { view: 'light' }));
  if (listener.error?.status === 404) return <Gone back={back}>{words.goneListener}</Gone>;
  return (
    <>
      <Title at={listener.at} back={back}>
        {words.listener} <Name>{name}</Name>
      </Title>
      <Loaded live={listener}>
        {({ gateway, port, protocol, hostname, addresses, attachedRoutes, conditions, tls }) => (
          <Panel title={words.conditions}>
            <dl class="facts">
              <Fact name={words.gateway}>
                <ObjectLink object={{ kind: 'Gateway', ...gateway }} withKind={false} />
              </Fact>
              <Fact name={words.protocol}>
                {protocol} {port}
              </Fact>
              <Fact name={words.addresses}>
                <Name>{addresses.map(({ value }) => value).join(' ')}</Name>
              </Fact>
              <Fact name={words.hostname}>{hostname === null ? words.anyHost : <Name>{hostname}</Name>}</Fact>
              <Fact name={words.routes}>
                <a href={link('routes', [], { q: `${gateway.namespace}/${gateway.name}` })}>{count(attachedRoutes)}</a>
              </Fact>
              {tls !== null && (
                <Fact name={words.certificates}>
                  <ul>
                    {tls.certificates.map((certificate) => (
                      <li key={`${certificate.namespace}/${certificate.name}`}>
                        <ObjectLink object={{ kind: 'Secret', ...certificate }} withKind={false} />
                      </li>
                    ))}
                  </ul>
                </Fact>
              )}
            </dl>
            <ConditionList conditions={conditions} />
          </Panel>
        )}
      </Loaded>
    </>
  );
}
