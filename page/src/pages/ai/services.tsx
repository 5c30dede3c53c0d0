import { type AiService, apiUrl } from '../../api/index.ts';
import { useLive } from '../../live/index.ts';
import { Badge, Loaded, Name, Panel } from '../../parts/index.ts';
import { count } from '../../text/index.ts';
import { Table } from './figures.tsx';
import { aiWords } from './words.ts';

const mostShown = 100;
const mostModels = 5;

export function ServicesPanel() {
  const words = aiWords();
  const services = useLive<readonly AiService[]>(apiUrl('/v1/ai/services', { limit: mostShown }));
  const heads = [words.service, words.provider, words.models, words.state, words.credential, words.lastFive];
  return (
    <Panel title={words.services} live={services}>
      <Loaded live={services}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="quiet">{words.noServices}</p>
          ) : (
            <Table label={words.services} heads={heads}>
              {rows.map((service) => (
                <Row key={`${service.namespace}/${service.name}`} service={service} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Row({ service }: { readonly service: AiService }) {
  const words = aiWords();
  const { namespace, name, provider, pool, models, status, credential, last5m } = service;
  return (
    <tr data-service={name}>
      <th scope="row">
        <Name>{`${namespace}/${name}`}</Name>
      </th>
      <td>
        <Name>{pool === null ? provider : `${words.pool} ${pool.name}`}</Name>
      </td>
      <td>
        <Name>
          {models
            .slice(0, mostModels)
            .map(({ match }) => match)
            .join(', ')}
        </Name>
        {models.length > mostModels && ` +${models.length - mostModels}`}
      </td>
      <td>
        <Badge state={status === 'ready' ? 'ok' : 'failing'}>{status === 'ready' ? words.ready : status}</Badge>
      </td>
      <td>
        {credential === null ? (
          words.noCredential
        ) : (
          <Badge state={credential.present ? 'ok' : 'failing'}>
            {credential.present ? words.present : words.missing}
          </Badge>
        )}
      </td>
      <td>
        {words.errorsOf(count(last5m.errors), count(last5m.requests))}
        {last5m.timePerOutputTokenMs.p50 !== null && (
          <p class="quiet">
            {words.tokenTimes(
              words.millis(String(last5m.timeToFirstTokenMs.p50)),
              words.millis(String(last5m.timePerOutputTokenMs.p50)),
            )}
          </p>
        )}
      </td>
    </tr>
  );
}
